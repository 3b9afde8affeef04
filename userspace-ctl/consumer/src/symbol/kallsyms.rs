// SPDX-License-Identifier: GPL-2.0
//! The kernel's symbols from /proc/kallsyms. Its ten megabytes of text are kept as one text of
//! names and one row of 16 bytes for each symbol.

use super::NamedAddress;
use std::io::Read;
use std::time::{Duration, Instant};

/// Symbols sorted by address.
#[derive(Debug, Default)]
pub(super) struct Kernel {
    rows: Vec<Row>,
    names: Vec<u8>,
    /// The last time the file was read; `None`: not yet.
    read: Option<Instant>,
    is_fixed: bool,
}

/// A symbol's address and the place of its name in `names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    address: u64,
    /// Orders several names of one address; the lowest is best.
    rank: u8,
    len: u16,
    name: u32,
}

/// Larger than any function: an address this far behind a symbol does not belong to it.
const FAR: u64 = 1 << 20;
/// The least time between two reads of the file, even if modules load and unload.
const PERIOD: Duration = Duration::from_secs(1);
/// The start of the kernel's half of the address space.
const KERNEL: u64 = 1 << 63;

impl Kernel {
    /// Makes a fixed table; each name is `module`symbol`.
    pub(super) fn fixed(rows: Vec<(u64, String)>) -> Self {
        let mut kernel = Self { is_fixed: true, ..Self::default() };
        rows.iter().for_each(|(address, name)| kernel.add(*address, 0, name.as_bytes()));
        kernel.rows.sort_unstable();
        kernel
    }

    fn add(&mut self, address: u64, rank: u8, name: &[u8]) {
        let Ok(at) = u32::try_from(self.names.len()) else { return };
        let len = name.len().min(usize::from(u16::MAX));
        self.names.extend_from_slice(name.get(..len).unwrap_or(name));
        self.rows.push(Row { address, rank, len: len as u16, name: at });
    }

    /// Returns the symbol that contains an address.
    pub(super) fn place(&mut self, address: u64) -> Option<NamedAddress> {
        if let Some(place) = self.find(address) {
            return Some(place);
        }
        let is_due = self.read.is_none_or(|last| last.elapsed() > PERIOD);
        if self.is_fixed || !is_due || address < KERNEL {
            return None;
        }
        self.load();
        self.find(address)
    }

    /// Returns the address of a symbol in a module; with "" in the first module that has it.
    pub(super) fn address(&mut self, module: &str, symbol: &str) -> Option<u64> {
        if self.read.is_none() && !self.is_fixed {
            self.load();
        }
        let named = |row: &Row| {
            let (m, s) = std::str::from_utf8(self.name(row)?).ok()?.split_once('`')?;
            Some(s == symbol && (module.is_empty() || m == module))
        };
        self.rows.iter().find(|row| named(row) == Some(true)).map(|row| row.address)
    }

    fn name(&self, row: &Row) -> Option<&[u8]> {
        let from = row.name as usize;
        self.names.get(from..from + usize::from(row.len))
    }

    fn find(&self, address: u64) -> Option<NamedAddress> {
        let after = self.rows.partition_point(|r| r.address <= address);
        let start = self.rows.get(after.checked_sub(1)?)?.address;
        let offset = address - start;
        if offset >= FAR {
            return None;
        }
        let row = self.rows.get(self.rows.partition_point(|r| r.address < start))?;
        let (module, symbol) = std::str::from_utf8(self.name(row)?).ok()?.split_once('`')?;
        Some(NamedAddress { module: module.into(), symbol: Some(symbol.into()), offset })
    }

    fn load(&mut self) {
        self.read = Some(Instant::now());
        let mut text = Vec::new();
        let file = std::fs::File::open("/proc/kallsyms");
        if file.and_then(|mut f| f.read_to_end(&mut text)).is_err() {
            return;
        }
        self.rows.clear();
        self.names.clear();
        let mut name = Vec::new();
        for line in text.split(|b| *b == b'\n') {
            if let Some((address, rank)) = parse(line, &mut name) {
                self.add(address, rank, &name);
            }
        }
        self.rows.sort_unstable();
    }
}

/// Parses `ffffffff81000000 T _text` or `... t hello_open [hworld]`. Returns the address and the
/// rank, and writes `module`symbol` to `name`. Readers without privilege see address 0.
fn parse(line: &[u8], name: &mut Vec<u8>) -> Option<(u64, u8)> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let address = words.next()?;
    let digit = |b: &u8| char::from(*b).to_digit(16).map(u64::from);
    let address = address.iter().try_fold(0u64, |n, b| Some(n << 4 | digit(b)?))?;
    let [kind] = words.next()? else { return None };
    let symbol = words.next()?;
    if address < KERNEL || !b"tTwWdDbBrR".contains(kind) {
        return None;
    }
    name.clear();
    match words.next().and_then(|m| m.strip_prefix(b"[")?.strip_suffix(b"]")) {
        Some(module) => name.extend_from_slice(module),
        None => name.extend_from_slice(b"vmlinux"),
    }
    name.push(b'`');
    let symbol = own_name(symbol);
    name.extend_from_slice(symbol);
    // Prefers names that people use over names that the compiler made.
    let rank = 4 * u8::from(symbol.starts_with(b"_")) + 2 * u8::from(symbol.contains(&b'.'));
    Some((address, rank + u8::from(kind.is_ascii_lowercase())))
}

/// Returns a symbol's name as its source has it. A kernel built with LTO has `NAME.llvm.NUMBER`,
/// and the number differs from build to build. There are 200,000 symbols, of which few have a dot.
pub(crate) fn own_name(symbol: &[u8]) -> &[u8] {
    const SUFFIX: &[u8] = b".llvm.";
    let Some(dot) = symbol.iter().position(|b| *b == b'.') else { return symbol };
    let at = symbol[dot..].windows(SUFFIX.len()).position(|w| w == SUFFIX);
    &symbol[..at.map_or(symbol.len(), |at| dot + at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let mut name = Vec::new();
        let of = |line: &str, name: &mut Vec<u8>| parse(line.as_bytes(), name);
        let line = "ffffffff81000000 t get_idle.llvm.4109933557664884252";
        assert_eq!(of(line, &mut name), Some((0xffff_ffff_8100_0000, 1)));
        assert_eq!(name, b"vmlinux`get_idle");
        assert_eq!(of("ffffffff81000000 T _text", &mut name), Some((0xffff_ffff_8100_0000, 4)));
        assert_eq!(name, b"vmlinux`_text");
        let line = "ffffffffc0000010 t hello_open\t[hworld]";
        assert_eq!(of(line, &mut name), Some((0xffff_ffff_c000_0010, 1)));
        assert_eq!(name, b"hworld`hello_open");
        // Hidden, a per-CPU variable, damaged.
        for line in ["0000000000000000 t hidden", "0000000000001000 A cpu", "xyz T f", ""] {
            assert_eq!(of(line, &mut name), None, "{line}");
        }
    }

    #[test]
    fn of_several_names_the_best() {
        let mut k = Kernel { is_fixed: true, ..Kernel::default() };
        for line in ["t __do_sys_getpid", "T sys_getpid", "t getpid.cold"] {
            let mut name = Vec::new();
            let line = format!("ffffffff81000000 {line}");
            let (address, rank) = parse(line.as_bytes(), &mut name).unwrap();
            k.add(address, rank, &name);
        }
        k.rows.sort_unstable();
        let place = k.place(0xffff_ffff_8100_0004).unwrap();
        assert_eq!(place.full(), "vmlinux`sys_getpid+0x4");
    }
}
