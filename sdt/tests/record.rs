// SPDX-License-Identifier: GPL-2.0
//! The records that the reader accepts, and each wrong record that it must detect.
#![forbid(unsafe_code)]

use sdt::record::{read, Image, Kind, Malformed, Record, MAGIC};
use x86::encoding::WIDE_NOP;
use x86::Boundary;

const DATA: u64 = 0xffff_ffff_c010_0000;
const TEXT: u64 = 0xffff_ffff_c000_0000;
const SITE: u64 = TEXT + 0x40;
const STUB: u64 = TEXT + 0x80;
const NAMES: u64 = DATA + 0x100;

/// A module with one record at DATA, its names at NAMES, its site at SITE.
struct Module {
    data: Vec<u8>,
    text: Vec<u8>,
    boundaries: Vec<u64>,
    symbols: Vec<(u64, String)>,
}

fn copy(from: &[u8], base: u64, addr: u64, into: &mut [u8]) -> bool {
    let Some(start) = addr.checked_sub(base).and_then(|o| usize::try_from(o).ok()) else {
        return false;
    };
    match start.checked_add(into.len()).and_then(|end| from.get(start..end)) {
        Some(bytes) => {
            into.copy_from_slice(bytes);
            true
        }
        None => false,
    }
}

impl Image for Module {
    fn data(&self, addr: u64, into: &mut [u8]) -> bool {
        copy(&self.data, DATA, addr, into)
    }
    fn text(&self, addr: u64, into: &mut [u8]) -> bool {
        copy(&self.text, TEXT, addr, into)
    }
    fn boundary(&self, addr: u64) -> Option<Boundary> {
        let found = Boundary::find(&WIDE_NOP, addr, addr);
        found.filter(|_| self.boundaries.contains(&addr))
    }
    fn has_stub(&self, first: u64, last: u64, is_it: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        self.symbols.iter().any(|(a, name)| (first..=last).contains(a) && is_it(name.as_bytes()))
    }
}

impl Module {
    fn good() -> Self {
        let mut m = Module {
            data: vec![0; 0x400],
            text: vec![0xcc; 0x100],
            boundaries: vec![SITE],
            symbols: vec![(STUB, "__dtrace_hworld___open_module___open1___entry".into())],
        };
        m.record(SITE, NAMES, 0, 1, MAGIC);
        m.names(b"hworld\0open_module\0open1\0entry\0");
        m.site(&WIDE_NOP);
        m
    }
    fn call(target: u64) -> Self {
        let mut m = Self::good();
        m.record(SITE, NAMES, 1, 1, MAGIC);
        let rel = target.wrapping_sub(SITE + 5) as i32;
        let mut insn = vec![0xe8];
        insn.extend(rel.to_le_bytes());
        m.site(&insn);
        m
    }
    fn record(&mut self, site: u64, names: u64, kind: u16, nargs: u16, magic: u32) {
        let mut r = Vec::new();
        r.extend((site.wrapping_sub(DATA) as i32).to_le_bytes());
        r.extend((names.wrapping_sub(DATA + 4) as i32).to_le_bytes());
        r.extend(kind.to_le_bytes());
        r.extend(nargs.to_le_bytes());
        r.extend(magic.to_le_bytes());
        self.data[..16].copy_from_slice(&r);
    }
    fn names(&mut self, names: &[u8]) {
        self.data[0x100..0x100 + names.len()].copy_from_slice(names);
    }
    fn site(&mut self, insn: &[u8]) {
        self.text[0x40..0x40 + insn.len()].copy_from_slice(insn);
    }
    fn read(&self) -> Result<Record, Malformed> {
        read(self, DATA)
    }
    fn error(&self) -> Malformed {
        match self.read() {
            Ok(_) => panic!("believed"),
            Err(e) => e,
        }
    }
}

fn parts(r: &Record) -> Vec<String> {
    r.desc.parts().iter().map(|p| String::from_utf8(p.to_vec()).unwrap()).collect()
}

#[test]
fn nop_form() {
    let r = Module::good().read().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((r.site.addr(), r.kind, r.bytes, r.desc.nargs), (SITE, Kind::Nop, WIDE_NOP, 1));
    assert_eq!(parts(&r), ["hworld", "open_module", "open1", "entry"]);
}

#[test]
fn call_form_direct_and_by_way_of_the_padding() {
    for back in [0, 1, 10, 16] {
        let r = Module::call(STUB - back).read().unwrap_or_else(|e| panic!("{back}: {e}"));
        assert_eq!((r.kind, r.bytes[0]), (Kind::Call, 0xe8));
    }
}

#[test]
fn double_underscore_is_a_dash_in_the_probe_name_only() {
    let mut m = Module::good();
    m.names(b"a__b\0c__d\0e__f\0g__h___i__\0");
    let r = m.read().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parts(&r), ["a__b", "c__d", "e__f", "g-h-_i-"]);
    // The stub has the name in its C form.
    let mut m = Module::call(STUB);
    m.names(b"a\0b\0c\0io__start\0");
    m.symbols = vec![(STUB, "__dtrace_a___b___c___io__start".into())];
    assert_eq!(parts(&m.read().unwrap_or_else(|e| panic!("{e}")))[3], "io-start");
}

#[test]
fn longest_names() {
    let mut m = Module::good();
    let (p, f) = ("p".repeat(63), "f".repeat(191));
    m.names(format!("{p}\0{p}\0{f}\0{p}\0").as_bytes());
    let r = m.read().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parts(&r), [&p, &p, &f, &p].map(String::as_str));
    for (names, part) in [
        (format!("x{p}\0m\0f\0n\0"), "provider"),
        (format!("p\0x{p}\0f\0n\0"), "module"),
        (format!("p\0m\0x{f}\0n\0"), "function"),
        (format!("p\0m\0f\0x{p}\0"), "probe"),
    ] {
        let mut m = Module::good();
        m.names(names.as_bytes());
        assert_eq!(m.error(), Malformed::TooLong(part));
    }
}

#[test]
fn rule_1_record_is_data() {
    let m = Module::good();
    for addr in [DATA - 4, DATA + 2, DATA + 0x400, DATA + 0x3f4, TEXT, 0, u64::MAX, u64::MAX - 15] {
        assert_eq!(read(&m, addr).err(), Some(Malformed::NotData), "{addr:#x}");
    }
}

#[test]
fn rules_2_and_3_fields() {
    let mut m = Module::good();
    for magic in [0, u32::MAX, MAGIC ^ 1, MAGIC + (1 << 24)] {
        m.record(SITE, NAMES, 0, 1, magic);
        assert_eq!(m.error(), Malformed::Magic(magic));
    }
    for kind in [2, 9, u16::MAX] {
        m.record(SITE, NAMES, kind, 1, MAGIC);
        assert_eq!(m.error(), Malformed::Kind(kind));
    }
    for nargs in [9, u16::MAX] {
        m.record(SITE, NAMES, 0, nargs, MAGIC);
        assert_eq!(m.error(), Malformed::Nargs(nargs));
    }
    for nargs in 0..=8 {
        m.record(SITE, NAMES, 0, nargs, MAGIC);
        assert!(m.read().is_ok_and(|r| r.desc.nargs == u32::from(nargs)));
    }
}

#[test]
fn rule_4_names() {
    for (names, error) in [
        (&b"\0m\0f\0n\0"[..], Malformed::Empty("provider")),
        (b"p\0\0f\0n\0", Malformed::Empty("module")),
        (b"p\0m\0\0n\0", Malformed::Empty("function")),
        (b"p\0m\0f\0\0", Malformed::Empty("probe")),
        (b"p:\0m\0f\0n\0", Malformed::Character("provider", b':')),
        (b"p\0m*\0f\0n\0", Malformed::Character("module", b'*')),
        (b"p\0m\0f \0n\0", Malformed::Character("function", b' ')),
        (b"p\0m\0f\0n\x1b[2J\0", Malformed::Character("probe", 0x1b)),
        (b"p\0m\0f\0n\xff\0", Malformed::Character("probe", 0xff)),
        (b"dtrace\0m\0f\0BEGIN\0", Malformed::Reserved),
        (b"fbt\0m\0f\0entry\0", Malformed::Reserved),
    ] {
        let mut m = Module::good();
        m.data[0x100..].fill(0);
        m.names(names);
        assert_eq!(m.error(), error);
    }
    // Outside of the data: before and behind it, and across its end.
    let mut m = Module::good();
    for names in [DATA - 1, DATA + 0x400, TEXT] {
        m.record(SITE, names, 0, 1, MAGIC);
        assert_eq!(m.error(), Malformed::NamesNotData);
    }
    m.data[0x3fa..].copy_from_slice(b"p\0m\0ff");
    m.record(SITE, DATA + 0x3fa, 0, 1, MAGIC);
    assert_eq!(m.error(), Malformed::NamesNotData);
}

#[test]
fn rules_5_to_7_site() {
    let mut m = Module::good();
    for site in [TEXT - 1, TEXT + 0xfc, TEXT + 0x100, DATA, DATA + 0x100] {
        m.record(site, NAMES, 0, 1, MAGIC);
        assert_eq!(m.error(), Malformed::NotText(site));
    }
    // The tail of a six-byte nop is byte for byte the five-byte one.
    let mut m = Module::good();
    m.text[0x3f] = 0x66;
    m.boundaries = vec![SITE - 1, SITE + 5];
    assert_eq!(m.error(), Malformed::MidInstruction(SITE));

    for insn in [
        [0x90; 5],
        [0x0f, 0x1f, 0x44, 0x00, 0x01],
        [0xcc; 5],
        [0xe9, 0, 0, 0, 0],
        [0xe8, 0, 0, 0, 0],
    ] {
        let mut m = Module::good();
        m.site(&insn);
        assert_eq!(m.error(), Malformed::Bytes(insn));
    }
    let mut m = Module::call(STUB);
    m.site(&WIDE_NOP);
    assert_eq!(m.error(), Malformed::Bytes(WIDE_NOP));
    for target in [STUB + 1, STUB - 17, SITE, 0xffff_ffff_8100_0000] {
        assert_eq!(Module::call(target).error(), Malformed::WrongStub(target));
    }
    for symbol in [
        "__dtrace_hworld___open_module___open1___entry2",
        "__dtrace_hworld___open_module___open1__entry",
        "__dtrace_hworld___open_module___open1___",
        "__dtrace_hworld",
        "printk",
        "",
    ] {
        let mut m = Module::call(STUB);
        m.symbols = vec![(STUB, symbol.into())];
        assert_eq!(m.error(), Malformed::WrongStub(STUB), "{symbol}");
    }
}

/// Every single-bit change of the record, and a truncation at every length, is refused or is about
/// a legal site.
#[test]
fn mutations_never_reach_another_site() {
    let base = Module::call(STUB);
    let mut believed = 0;
    for bit in 0..16 * 8 {
        let mut m = Module::call(STUB);
        m.data[bit / 8] ^= 1 << (bit % 8);
        if let Ok(r) = m.read() {
            assert_eq!((r.site.addr(), r.kind), (SITE, Kind::Call));
            assert!(r.desc.nargs <= 8);
            believed += 1;
        }
    }
    // nargs 1 may become 0, 3, 5; names may only move to other names.
    assert!((3..=8).contains(&believed), "{believed}");
    for len in 0..base.data.len() {
        let mut m = Module::call(STUB);
        m.data.truncate(len);
        let whole = len >= 0x100 + b"hworld\0open_module\0open1\0entry\0".len();
        assert_eq!(m.read().is_ok(), whole, "{len}");
    }
}
