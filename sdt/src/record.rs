// SPDX-License-Identifier: GPL-2.0
//! The record of one probe site, as `dtrace/sdt.h` writes it into a driver, and the rules that it
//! must pass.
//!
//! A driver is code that already runs in the kernel. But its records may come from another
//! compiler, another version of the header or a damaged file, and we write into the text that they
//! point to. So each record is checked:
//!
//! | rule | what holds after it |
//! |---|---|
//! | 1 | the label is at a multiple of four and the whole record is data of this module |
//! | 2 | the magic is ours |
//! | 3 | kind and argument count are known ones |
//! | 4 | the four names are data of this module, terminated, legal; the provider is none of our own |
//! | 5 | the site is text of this module |
//! | 6 | an instruction starts there |
//! | 7 | it is the five-byte nop, or for the call form a call to the stub with these very names |
//!
//! `sdt/include/dtrace/sdt.h` describes the layout at its head. This file is pure: it reads memory
//! through [`Image`], so the host's tests can pass any bytes.

use abi::probe::ProbeDesc;
use x86::encoding::{CALL, WIDE, WIDE_NOP};
use x86::Boundary;

/// The prefix of a record's label. A C name has no dot, so no stub begins with it.
pub const LABEL: &[u8] = b"__dtrace_sdt.";
/// The prefix of a stub's symbol.
pub const STUB: &[u8] = b"__dtrace_";
/// The separator of the names in a stub's symbol.
pub const SEPARATOR: &[u8] = b"___";
/// The size of a record in bytes.
pub const RECORD_LEN: usize = 16;
/// "SDT1", little endian.
pub const MAGIC: u32 = 0x3154_4453;
/// The most arguments of a probe.
pub const MAX_ARGS: u16 = 8;
/// The size in bytes of the instruction at a site, in either form.
pub const SITE_LEN: usize = WIDE;
/// Call depth tracking moves the target of a call into the padding before the function, by at most
/// this number of bytes.
const MAX_PADDING: u64 = 16;
/// The names of our own providers, which no driver may use.
const RESERVED: [&[u8]; 5] = [b"dtrace", b"fbt", b"pid", b"profile", b"syscall"];

/// The memory and symbols of a loaded module.
pub trait Image {
    /// Copies data of this module. Returns false if a part is not its data.
    fn data(&self, addr: u64, into: &mut [u8]) -> bool;
    /// Copies text of this module, also its init text. Returns false if a part is not its text.
    fn text(&self, addr: u64, into: &mut [u8]) -> bool;
    /// Returns the instruction that begins at `addr`, which is text of this module.
    fn boundary(&self, addr: u64) -> Option<Boundary>;
    /// Tells whether `is_it` holds for one of the stubs with an address from `first` to `last`.
    fn has_stub(&self, first: u64, last: u64, is_it: &mut dyn FnMut(&[u8]) -> bool) -> bool;
}

/// The two forms of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A nop.
    Nop,
    /// A call to a stub that returns.
    Call,
}

/// A record that has passed all rules.
pub struct Record {
    /// The site.
    pub site: Boundary,
    /// The form of the site.
    pub kind: Kind,
    /// The instruction at the site.
    pub bytes: [u8; SITE_LEN],
    /// The names and the number of arguments of its probe.
    pub desc: ProbeDesc,
}

/// The rule that a record broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// Rule 1.
    NotData,
    /// Rule 2, with the number found instead.
    Magic(u32),
    /// Rule 3.
    Kind(u16),
    /// Rule 3.
    Nargs(u16),
    /// Rule 4: a name lies outside of the module's data.
    NamesNotData,
    /// Rule 4: this one of the four names is empty.
    Empty(&'static str),
    /// Rule 4: this one of the four names is too long.
    TooLong(&'static str),
    /// Rule 4: this one of the four names has a character that D cannot write.
    Character(&'static str, u8),
    /// Rule 4: the provider is one of DTrace's own.
    Reserved,
    /// Rule 5.
    NotText(u64),
    /// Rule 6.
    MidInstruction(u64),
    /// Rule 7.
    Bytes([u8; SITE_LEN]),
    /// Rule 7: it is a call, but not to the stub.
    WrongStub(u64),
    /// The kernel patches the site itself: a jump label, or ftrace.
    Shared(u64),
    /// The module has another record for the same site.
    Taken(u64),
}

impl core::fmt::Display for Malformed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Self::NotData => f.write_str("the record is not in the module's data"),
            Self::Magic(m) => write!(
                f,
                "magic {m:#x} is not {MAGIC:#x} (written by another version of dtrace/sdt.h?)"
            ),
            Self::Kind(k) => write!(f, "kind {k} is neither 0 (nop) nor 1 (call)"),
            Self::Nargs(n) => write!(f, "{n} arguments, at most {MAX_ARGS} can be passed"),
            Self::NamesNotData => f.write_str("its names are not in the module's data"),
            Self::Empty(part) => write!(f, "its {part} name is empty"),
            Self::TooLong(part) => write!(f, "its {part} name is too long or not terminated"),
            Self::Character(part, c) => write!(f, "its {part} name contains byte {c:#04x}"),
            Self::Reserved => f.write_str("its provider name is one of DTrace's own"),
            Self::Shared(site) => write!(f, "site {site:#x} is patched by the kernel itself"),
            Self::NotText(site) => write!(f, "site {site:#x} is not in the module's text"),
            Self::MidInstruction(site) => {
                write!(f, "site {site:#x} is not where an instruction starts")
            }
            Self::Bytes(b) => write!(f, "its site holds {b:02x?}, neither the nop nor a call"),
            Self::WrongStub(to) => {
                write!(f, "its site calls {to:#x}, which is not the stub of that name")
            }
            Self::Taken(site) => write!(f, "site {site:#x} belongs to another record already"),
        }
    }
}

/// Reads the record at label `addr` and checks it by all rules.
pub fn read(image: &impl Image, addr: u64) -> Result<Record, Malformed> {
    let raw = Raw::at(image, addr)?;
    if raw.magic != MAGIC {
        return Err(Malformed::Magic(raw.magic));
    }
    let kind = match raw.kind {
        0 => Kind::Nop,
        1 => Kind::Call,
        other => return Err(Malformed::Kind(other)),
    };
    if raw.nargs > MAX_ARGS {
        return Err(Malformed::Nargs(raw.nargs));
    }
    let mut desc = names(image, relative(addr.wrapping_add(4), raw.names))?;
    desc.nargs = u32::from(raw.nargs);
    let site = relative(addr, raw.site);
    let (site, bytes) = check_site(image, site, kind, &desc)?;
    dash(&mut desc.name);
    Ok(Record { site, kind, bytes, desc })
}

/// The fields of a record in memory.
struct Raw {
    site: i32,
    names: i32,
    kind: u16,
    nargs: u16,
    magic: u32,
}

impl Raw {
    fn at(image: &impl Image, addr: u64) -> Result<Self, Malformed> {
        let mut bytes = [0; RECORD_LEN];
        if addr % 4 != 0 || !image.data(addr, &mut bytes) {
            return Err(Malformed::NotData);
        }
        let [s0, s1, s2, s3, n0, n1, n2, n3, k0, k1, a0, a1, m0, m1, m2, m3] = bytes;
        Ok(Self {
            site: i32::from_le_bytes([s0, s1, s2, s3]),
            names: i32::from_le_bytes([n0, n1, n2, n3]),
            kind: u16::from_le_bytes([k0, k1]),
            nargs: u16::from_le_bytes([a0, a1]),
            magic: u32::from_le_bytes([m0, m1, m2, m3]),
        })
    }
}

fn relative(base: u64, offset: i32) -> u64 {
    base.wrapping_add_signed(i64::from(offset))
}

/// Checks rule 4 for all four names.
fn names(image: &impl Image, mut addr: u64) -> Result<ProbeDesc, Malformed> {
    let mut desc = ProbeDesc::EMPTY;
    name(image, &mut addr, "provider", &mut desc.provider)?;
    name(image, &mut addr, "module", &mut desc.module)?;
    name(image, &mut addr, "function", &mut desc.function)?;
    name(image, &mut addr, "probe", &mut desc.name)?;
    let [provider, ..] = desc.parts();
    if RESERVED.contains(&provider) {
        return Err(Malformed::Reserved);
    }
    Ok(desc)
}

/// Checks rule 4 for one name, and moves `addr` behind its NUL. `into` is all NUL and keeps at
/// least one at its end.
fn name(
    image: &impl Image,
    addr: &mut u64,
    part: &'static str,
    into: &mut [u8],
) -> Result<(), Malformed> {
    let mut empty = true;
    let (_, room) = into.split_last_mut().ok_or(Malformed::TooLong(part))?;
    let mut room = room.iter_mut();
    loop {
        let mut byte = [0];
        if !image.data(*addr, &mut byte) {
            return Err(Malformed::NamesNotData);
        }
        *addr = addr.wrapping_add(1);
        match byte {
            [0] if empty => return Err(Malformed::Empty(part)),
            [0] => return Ok(()),
            [c] if !is_name(c) => return Err(Malformed::Character(part, c)),
            [c] => *room.next().ok_or(Malformed::TooLong(part))? = c,
        }
        empty = false;
    }
}

/// Tells whether a name in C or Rust, or with a compiler's suffix, may have this character.
fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$')
}

/// Checks rules 5 to 7.
fn check_site(
    image: &impl Image,
    site: u64,
    kind: Kind,
    desc: &ProbeDesc,
) -> Result<(Boundary, [u8; SITE_LEN]), Malformed> {
    let mut bytes = [0; SITE_LEN];
    if !image.text(site, &mut bytes) {
        return Err(Malformed::NotText(site));
    }
    let found = image.boundary(site).ok_or(Malformed::MidInstruction(site))?;
    match (kind, bytes) {
        (Kind::Nop, WIDE_NOP) => Ok((found, bytes)),
        (Kind::Call, [CALL, a, b, c, d]) => {
            let end = site.wrapping_add(SITE_LEN as u64);
            let target = relative(end, i32::from_le_bytes([a, b, c, d]));
            let last = target.wrapping_add(MAX_PADDING);
            if image.has_stub(target, last, &mut |symbol| is_stub(symbol, desc)) {
                Ok((found, bytes))
            } else {
                Err(Malformed::WrongStub(target))
            }
        }
        _ => Err(Malformed::Bytes(bytes)),
    }
}

/// Tells whether `symbol` is that of the stub of this probe.
fn is_stub(symbol: &[u8], desc: &ProbeDesc) -> bool {
    let Some(mut rest) = symbol.strip_prefix(STUB) else {
        return false;
    };
    for (i, part) in desc.parts().into_iter().enumerate() {
        if i != 0 {
            match rest.strip_prefix(SEPARATOR) {
                Some(more) => rest = more,
                None => return false,
            }
        }
        match rest.strip_prefix(part) {
            Some(more) => rest = more,
            None => return false,
        }
    }
    rest.is_empty()
}

/// Replaces `__` in a probe name by `-`, as every DTrace does.
fn dash(name: &mut [u8]) {
    let mut from = 0usize;
    let mut to = 0usize;
    while let Some(&c) = name.get(from) {
        let double = c == b'_' && name.get(from.wrapping_add(1)) == Some(&b'_');
        if let Some(slot) = name.get_mut(to) {
            *slot = if double { b'-' } else { c };
        }
        from = from.wrapping_add(if double { 2 } else { 1 });
        to = to.wrapping_add(1);
    }
    if let Some(rest) = name.get_mut(to..) {
        rest.fill(0);
    }
}
