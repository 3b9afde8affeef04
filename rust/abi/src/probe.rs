// SPDX-License-Identifier: GPL-2.0
//! Probes and their four-part names: provider, module, function, name, always in this order.

use crate::ids::ProbeId;
use zerocopy::FromBytes as _;
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bytes of a provider name, NUL included.
pub const PROVIDER_LEN: usize = 64;
/// Bytes of a module name, NUL included.
pub const MODULE_LEN: usize = 64;
/// Bytes of a function name, NUL included. The kernel's symbols go up to 512 (KSYM_NAME_LEN).
pub const FUNCTION_LEN: usize = 192;
/// Bytes of a probe name, NUL included.
pub const NAME_LEN: usize = 64;

/// The bytes of each part. A matcher must be ready for the longest.
pub const PART_LENS: [usize; 4] = [PROVIDER_LEN, MODULE_LEN, FUNCTION_LEN, NAME_LEN];

/// A probe description as it crosses the ioctl boundary. Parts are NUL-terminated; in a pattern an
/// empty part matches everything and a part with any of `* ? [ \` is a glob.
#[repr(C)]
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ProbeDesc {
    /// The probe, or [`ProbeId::NONE`] in a pattern that matches by name.
    pub id: ProbeId,
    /// The number of arguments that the probe passes, if its provider knows (sdt), else
    /// 0xffff_ffff.
    pub nargs: u32,
    /// How it is implemented: the bits of [`Techniques`]; 0: unknown. In a pattern, a number other
    /// than 0 asks for the exact techniques, for which each probe must be examined; with 0, some of
    /// the bits may be missing.
    pub how: u32,
    /// The provider that offers the probe.
    pub provider: [u8; PROVIDER_LEN],
    /// Kernel module or user library.
    pub module: [u8; MODULE_LEN],
    /// Function.
    pub function: [u8; FUNCTION_LEN],
    /// The event that makes it fire.
    pub name: [u8; NAME_LEN],
}

/// `nargs` of a probe if its provider does not know the number.
pub const NARGS_UNKNOWN: u32 = u32::MAX;

/// Calls a macro with every technique: `(bit, NAME, "short words")`.
macro_rules! for_each_technique {
    ($m:ident) => {
        $m! {
            (0, FENTRY, "fentry"),
            (1, TRAP_PUSH, "int3 push"),
            (2, TRAP_DISPLACED, "int3 displaced"),
            (3, TRAP_EMULATED, "int3 emulated"),
            (4, CALL_RETURN, "five-byte return"),
            (5, CALL_TAIL, "five-byte tail jump"),
            (6, TRAP_RETURN, "int3 return"),
            (7, TRACEPOINT, "tracepoint"),
        }
    };
}

macro_rules! define_techniques {
    ($(($bit:literal, $name:ident, $words:literal)),* $(,)?) => {
        bitflags::bitflags! {
            /// The ways in which a probe gets control: the code at its places while it is enabled.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
            pub struct Techniques: u32 {
                $(#[doc = $words] const $name = 1 << $bit;)*
            }
        }
        impl Techniques {
            /// Returns the words that `dtrace -lv` prints for each of them.
            pub fn words(self) -> impl Iterator<Item = &'static str> {
                [$((Techniques::$name, $words)),*]
                    .into_iter()
                    .filter(move |(one, _)| self.contains(*one))
                    .map(|(_, words)| words)
            }
        }
    };
}
for_each_technique!(define_techniques);

/// Returns the bytes of a NUL-terminated array before its NUL, or all of them.
pub fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&b| b == 0).next().unwrap_or(&[])
}

/// Copies `text` into a NUL-terminated array. Returns false if it does not fit or contains a NUL.
pub fn put(into: &mut [u8], text: &[u8]) -> bool {
    if text.len() >= into.len() || text.contains(&0) {
        return false;
    }
    into.fill(0);
    match into.get_mut(..text.len()) {
        Some(head) => head.copy_from_slice(text),
        None => return false,
    }
    true
}

impl ProbeDesc {
    /// A pattern without id and parts. It matches every probe that has a function.
    pub const EMPTY: Self = Self {
        id: ProbeId::NONE,
        nargs: NARGS_UNKNOWN,
        how: 0,
        provider: [0; PROVIDER_LEN],
        module: [0; MODULE_LEN],
        function: [0; FUNCTION_LEN],
        name: [0; NAME_LEN],
    };

    /// Creates a description of four parts; `None` if one is too long or contains a NUL.
    pub fn new(provider: &[u8], module: &[u8], function: &[u8], name: &[u8]) -> Option<Self> {
        let mut d = Self::EMPTY;
        let ok = put(&mut d.provider, provider)
            && put(&mut d.module, module)
            && put(&mut d.function, function)
            && put(&mut d.name, name);
        ok.then_some(d)
    }

    /// Returns the four parts without their NULs.
    pub fn parts(&self) -> [&[u8]; 4] {
        [
            until_nul(&self.provider),
            until_nul(&self.module),
            until_nul(&self.function),
            until_nul(&self.name),
        ]
    }
}

/// The head of a probe in an answer to PROBES. Its four parts follow, one after the other, and
/// zeroes up to a multiple of [`PACK_ALIGN`]. This takes a tenth of the room of a [`ProbeDesc`];
/// there may be 100,000 probes.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ProbeHead {
    /// As in [`ProbeDesc`].
    pub id: ProbeId,
    /// As in [`ProbeDesc`].
    pub nargs: u32,
    /// As in [`ProbeDesc`].
    pub how: u32,
    /// Bytes of each part.
    pub lens: [u8; 4],
}

/// Packed probes begin at multiples of this.
pub const PACK_ALIGN: usize = 4;

/// The bytes of the longest packed probe.
pub const MAX_PACKED: usize =
    size_of::<ProbeHead>() + PROVIDER_LEN + MODULE_LEN + FUNCTION_LEN + NAME_LEN;

/// A probe, as a view of memory that belongs to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeView<'a> {
    /// As in [`ProbeDesc`].
    pub id: ProbeId,
    /// As in [`ProbeDesc`].
    pub nargs: u32,
    /// How it is implemented; empty: unknown.
    pub how: Techniques,
    /// The four parts of the name.
    pub parts: [&'a [u8]; 4],
}

impl<'a> ProbeView<'a> {
    /// Returns the view of a description.
    pub fn of(d: &'a ProbeDesc) -> Self {
        let how = Techniques::from_bits_retain(d.how);
        Self { id: d.id, nargs: d.nargs, how, parts: d.parts() }
    }

    /// Returns it as a description, which is empty if a part is too long.
    pub fn describe(&self) -> ProbeDesc {
        let [p, m, f, n] = self.parts;
        let d = ProbeDesc::new(p, m, f, n).unwrap_or(ProbeDesc::EMPTY);
        ProbeDesc { id: self.id, nargs: self.nargs, how: self.how.bits(), ..d }
    }

    /// Packs it at the beginning of `into`, whose bytes must be zero. Returns the number of bytes
    /// used. `None`: there is not enough room.
    pub fn pack(&self, into: &mut [u8]) -> Option<usize> {
        const HEAD: usize = size_of::<ProbeHead>();
        let [p, m, f, n] = self.parts;
        let len = |part: &[u8]| u8::try_from(part.len()).ok();
        let lens = [len(p)?, len(m)?, len(f)?, len(n)?];
        let names = lens.iter().fold(0usize, |sum, len| sum.wrapping_add(usize::from(*len)));
        let size = HEAD.wrapping_add(names).next_multiple_of(PACK_ALIGN);
        let (head, rest) = into.get_mut(..size)?.split_first_chunk_mut::<HEAD>()?;
        let packed = ProbeHead { id: self.id, nargs: self.nargs, how: self.how.bits(), lens };
        *head = zerocopy::transmute!(packed);
        let rest: &mut [u8] = put_first(rest, p)?;
        put_first(put_first(put_first(rest, m)?, f)?, n)?;
        Some(size)
    }

    /// Reads the first packed probe and moves `from` past it. `None`: `from` is at its end, or
    /// malformed.
    pub fn unpack(from: &mut &'a [u8]) -> Option<Self> {
        let (head, mut rest) = ProbeHead::read_from_prefix(from).ok()?;
        let mut size = size_of::<ProbeHead>();
        let mut parts: [&[u8]; 4] = [&[]; 4];
        for (part, len) in parts.iter_mut().zip(head.lens) {
            (*part, rest) = rest.split_at_checked(len.into())?;
            size = size.checked_add(len.into())?;
        }
        *from = from.get(size.next_multiple_of(PACK_ALIGN)..).unwrap_or_default();
        let how = Techniques::from_bits_retain(head.how);
        Some(Self { id: head.id, nargs: head.nargs, how, parts })
    }
}

/// Copies a part to the beginning of `to`. Returns the rest of `to`.
fn put_first<'t>(to: &'t mut [u8], part: &[u8]) -> Option<&'t mut [u8]> {
    let (here, behind) = to.split_at_mut_checked(part.len())?;
    here.copy_from_slice(part);
    Some(behind)
}

/// Most `*` in one part of a pattern.
pub const GLOB_DEPTH: usize = 8;

/// Tells whether the part must be matched as a glob instead of byte for byte.
pub fn is_glob(part: &[u8]) -> bool {
    part.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'\\'))
}

/// Returns a pattern's bytes before its first globbing character, and the rest.
pub fn split_glob(part: &[u8]) -> (&[u8], &[u8]) {
    let at = part.iter().position(|b| matches!(b, b'*' | b'?' | b'[' | b'\\'));
    part.split_at_checked(at.unwrap_or(part.len())).unwrap_or((part, &[]))
}

/// Tells whether the part has more `*` than [`GLOB_DEPTH`].
pub fn is_glob_too_deep(part: &[u8]) -> bool {
    part.iter().filter(|&&b| b == b'*').count() > GLOB_DEPTH
}

/// Tells whether `text` matches a part of a pattern. An empty part matches everything; globbing
/// characters are `*`, `?`, `[a-z]`, `[!a-z]`, `\x`. A `[` without its `]` is an ordinary
/// character.
pub fn part_matches(pattern: &[u8], text: &[u8]) -> bool {
    if pattern.is_empty() {
        return true;
    }
    if !is_glob(pattern) {
        return pattern == text;
    }
    glob(pattern, text)
}

/// Matches `text` against a pattern with globbing characters. It is iterative, with one backtrack
/// point, so its time is at most the pattern's length times the text's.
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    glob_counted(pattern, text, &mut 0)
}

/// Does what [`glob`] does, and adds its steps to `steps`: one for each look at the pattern, and
/// one for each byte of a set there.
pub fn glob_counted(pattern: &[u8], text: &[u8], steps: &mut usize) -> bool {
    let (mut p, mut t) = (pattern, text);
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        *steps = steps.saturating_add(1);
        if let Some((b'*', rest)) = p.split_first().map(|(c, r)| (*c, r)) {
            retry = Some((rest, t));
            p = rest;
            continue;
        }
        let step = match (p.is_empty(), t.split_first()) {
            (true, None) => return true,
            (true, Some(_)) => None,
            (false, None) => return false,
            (false, Some((&c, rest))) => one(p, c, steps).map(|next| (next, rest)),
        };
        match step {
            Some((np, nt)) => (p, t) = (np, nt),
            None => match retry {
                Some((rp, rt)) if !rt.is_empty() => {
                    let rt = rt.get(1..).unwrap_or(&[]);
                    retry = Some((rp, rt));
                    (p, t) = (rp, rt);
                }
                _ => return false,
            },
        }
    }
}

/// Matches one character against the head of the pattern. Returns the rest of the pattern.
fn one<'p>(p: &'p [u8], c: u8, steps: &mut usize) -> Option<&'p [u8]> {
    let (&head, rest) = p.split_first()?;
    match head {
        b'?' => Some(rest),
        b'\\' => match rest.split_first() {
            Some((&q, rest)) => (q == c).then_some(rest),
            None => (c == b'\\').then_some(rest),
        },
        b'[' => {
            // A `]` right after `[` or `[!` is a member.
            let negated = rest.first() == Some(&b'!');
            let set = if negated { rest.get(1..)? } else { rest };
            let end = set.iter().skip(1).position(|&b| b == b']').map(|i| i + 1);
            *steps = steps.saturating_add(end.unwrap_or(set.len()));
            let Some(end) = end else { return (c == b'[').then_some(rest) };
            let after = set.get(end + 1..)?;
            let mut members = set.get(..end)?;
            let mut found = false;
            while let Some((&a, tail)) = members.split_first() {
                match tail {
                    [b'-', z, more @ ..] => {
                        found |= (a..=*z).contains(&c);
                        members = more;
                    }
                    _ => {
                        found |= a == c;
                        members = tail;
                    }
                }
            }
            (found != negated).then_some(after)
        }
        _ => (head == c).then_some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_back() {
        let long = [b'f'; FUNCTION_LEN - 1];
        let names: [[&[u8]; 4]; 3] = [
            [b"dtrace", b"", b"", b"BEGIN"],
            [b"fbt", b"vmlinux", b"vfs_read", b"entry"],
            [b"p", b"m", &long, b"return"],
        ];
        let probes = [0, 1, 2].map(|i| ProbeView {
            id: ProbeId(i as u32 + 7),
            nargs: i as u32,
            how: Techniques::from_bits_retain(1 << i),
            parts: names[i],
        });
        let mut room = [0; 1024];
        let mut used = 0;
        for p in &probes {
            let need = p.pack(&mut room.clone()).unwrap();
            assert_eq!(
                p.pack(&mut room[used..used + need - 1]),
                None,
                "one byte less is too little"
            );
            room[used..].fill(0);
            used += p.pack(&mut room[used..]).unwrap();
            assert_eq!(used % PACK_ALIGN, 0);
        }
        let mut rest = &room[..used];
        for p in &probes {
            assert_eq!(ProbeView::unpack(&mut rest).as_ref(), Some(p));
            assert_eq!(ProbeView::of(&p.describe()), *p);
        }
        assert!(rest.is_empty() && ProbeView::unpack(&mut rest).is_none());
        for cut in 1..probes[0].pack(&mut [0; 400]).unwrap() - PACK_ALIGN {
            assert_eq!(ProbeView::unpack(&mut &room[..cut]), None, "{cut} bytes are no probe");
        }
    }

    #[test]
    fn techniques_have_words() {
        assert_eq!(Techniques::all().words().count(), Techniques::all().iter().count());
        assert!(Techniques::all().words().all(|w| !w.is_empty()));
        let two = Techniques::TRAP_PUSH | Techniques::TRACEPOINT;
        assert_eq!(two.words().collect::<Vec<_>>(), ["int3 push", "tracepoint"]);
    }

    #[test]
    fn globs() {
        for (p, t, want) in [
            ("", "anything", true),
            ("vfs_read", "vfs_read", true),
            ("vfs_read", "vfs_readv", false),
            ("vfs_*", "vfs_read", true),
            ("*read", "vfs_read", true),
            ("*a*b*c", "xxaxxbxxc", true),
            ("*a*b*c", "xxaxxbxxcx", false),
            ("v?s", "vfs", true),
            ("v?s", "vs", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]x", "]x", true),
            ("[x", "[x", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("*", "", true),
            ("?", "", false),
            ("[a-", "[a-", true),
        ] {
            let (p, t) = (p.as_bytes(), t.as_bytes());
            assert_eq!(part_matches(p, t), want, "{p:?} {t:?}");
            if !p.is_empty() {
                let (head, rest) = split_glob(p);
                let split = t.strip_prefix(head).is_some_and(|t| glob(rest, t));
                assert_eq!(split, want, "{p:?} {t:?} split");
            }
        }
    }
}
