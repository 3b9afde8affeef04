// SPDX-License-Identifier: GPL-2.0
//! The kernel's symbols from /proc/kallsyms. Its ten megabytes of text are kept as one text of
//! names and one row of 16 bytes for each symbol.
//!
//! Modules and BPF programs that were loaded since the file was read look like the end of whatever
//! is before them. So the names in modules are used only while the list of modules has nothing new.

use super::NamedAddress;
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Symbols sorted by address.
#[derive(Debug)]
pub(super) struct Kernel {
    /// Where the kernel's files are.
    folder: PathBuf,
    rows: Vec<Row>,
    names: Vec<u8>,
    /// The end of the last time when the file was read; `None`: not yet.
    read: Option<Instant>,
    /// How long that took.
    took: Duration,
    /// The modules at that time: the name, size and address of each.
    modules: HashSet<[Box<str>; 3]>,
    /// Tells whether there are other modules now; `None`: nobody has looked since the last batch of
    /// data came.
    has_new: Option<bool>,
    is_fixed: bool,
}

impl Default for Kernel {
    fn default() -> Self {
        Self {
            folder: "/proc".into(),
            rows: Vec::new(),
            names: Vec::new(),
            read: None,
            took: Duration::ZERO,
            modules: HashSet::new(),
            has_new: None,
            is_fixed: false,
        }
    }
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
/// The least time between two reads of the file for the sake of addresses without a name.
const PERIOD: Duration = Duration::from_secs(1);
/// The same for these addresses, for new modules, and for BPF programs, which have no list: how
/// many times as long as a read.
const WHILE_UNNAMED: u32 = 4;
const WHILE_MODULES_LOAD: u32 = 4;
const WHILE_BPF_MAY_LOAD: u32 = 100;
/// The modules of the kernel's own symbols, and of BPF programs.
const OWN: &str = "vmlinux";
const BPF: &str = "bpf";
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

    /// Notes that data was taken from the kernel: since then, modules may have been loaded.
    pub(super) fn take(&mut self) {
        self.has_new = None;
    }

    /// Returns the symbol that contains an address.
    pub(super) fn place(&mut self, address: u64) -> Option<NamedAddress> {
        let found = self.find(address);
        if self.is_fixed || address < KERNEL {
            return found;
        }
        let (wait, found) = match found {
            None => (PERIOD.max(self.took * WHILE_UNNAMED), None),
            Some(place) if place.module == OWN => return Some(place),
            Some(_) if self.has_new_modules() => (self.took * WHILE_MODULES_LOAD, None),
            Some(place) if place.module == BPF => (self.took * WHILE_BPF_MAY_LOAD, Some(place)),
            Some(place) => return Some(place),
        };
        if self.read.is_some_and(|last| last.elapsed() <= wait) {
            return found;
        }
        self.load();
        self.find(address)
    }

    /// Tells whether modules were loaded since the symbols were read.
    fn has_new_modules(&mut self) -> bool {
        if let Some(known) = self.has_new {
            return known;
        }
        let has_new = self.listed().iter().any(|module| !self.modules.contains(module));
        *self.has_new.insert(has_new)
    }

    /// Reads the list of modules.
    fn listed(&self) -> HashSet<[Box<str>; 3]> {
        // `hworld 16384 0 - Live 0xffffffffc0000000 (OE)`; how often one is in use changes.
        let module = |line: &str| {
            let mut words = line.split(' ');
            Some([words.next()?, words.next()?, words.nth(3)?].map(Box::from))
        };
        let text = fs::read(self.folder.join("modules")).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().filter_map(module).collect()
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
        let begin = Instant::now();
        self.read_all();
        let end = Instant::now();
        (self.read, self.took) = (Some(end), end - begin);
    }

    fn read_all(&mut self) {
        // A module that is loaded meanwhile is new at the next look.
        (self.modules, self.has_new) = (self.listed(), Some(false));
        let Ok(text) = fs::read(self.folder.join("kallsyms")) else { return };
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
        None => name.extend_from_slice(OWN.as_bytes()),
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

    /// The addresses of a new module do not get the names of its neighbour.
    #[test]
    fn what_is_loaded_later_has_its_own_names() {
        let folder = std::env::temp_dir().join(format!("dtrace-kallsyms-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let put = |modules: &[&str], symbols: &[&str]| {
            fs::write(folder.join("modules"), modules.join("\n")).unwrap();
            fs::write(folder.join("kallsyms"), symbols.join("\n")).unwrap();
        };
        let mut k = Kernel { folder: folder.clone(), ..Kernel::default() };
        let old = "ffffffffc0000010 t old_open\t[old]";
        let new = "ffffffffc0008010 t new_open\t[new]";
        let vmlinux = "ffffffff81000000 T start_kernel";
        put(&["old 16384 0 - Live 0xffffffffc0000000"], &[vmlinux, old]);
        let at = |k: &mut Kernel, address| k.place(address).map(|p| p.full());
        assert_eq!(at(&mut k, 0xffff_ffff_c000_0010).as_deref(), Some("old`old_open"));
        let both =
            ["new 8192 0 - Live 0xffffffffc0008000", "old 16384 2 - Live 0xffffffffc0000000"];
        put(&both, &[vmlinux, old, new]);
        // The file was just read. A name of another module would be worse than none.
        (k.has_new, k.took) = (None, Duration::from_secs(1000));
        assert_eq!(at(&mut k, 0xffff_ffff_c000_8018), None);
        assert_eq!(at(&mut k, 0xffff_ffff_8100_0000).as_deref(), Some("vmlinux`start_kernel"));
        k.took = Duration::ZERO;
        assert_eq!(at(&mut k, 0xffff_ffff_c000_8018).as_deref(), Some("new`new_open+0x8"));
        // A use of a module and the end of one leave the names of all others what they are.
        put(&["old 16384 9 - Live 0xffffffffc0000000"], &[]);
        k.take();
        assert_eq!(at(&mut k, 0xffff_ffff_c000_8018).as_deref(), Some("new`new_open+0x8"));
        let bpf = |n: u32| format!("ffffffffc010{n}000 t bpf_prog_{n}\t[bpf]");
        put(&[], &[&bpf(1)]);
        k.load();
        put(&[], &[&bpf(1), &bpf(2)]);
        k.took = Duration::from_secs(1000);
        assert_eq!(at(&mut k, 0xffff_ffff_c010_2000).as_deref(), Some("bpf`bpf_prog_1+0x1000"));
        k.took = Duration::ZERO;
        assert_eq!(at(&mut k, 0xffff_ffff_c010_2000).as_deref(), Some("bpf`bpf_prog_2"));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// On a slow machine a read takes seconds, and any address without a name would ask for one.
    #[test]
    fn addresses_without_a_name_take_a_part_of_the_time() {
        let folder = std::env::temp_dir().join(format!("dtrace-unnamed-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let put = |symbols: &str| fs::write(folder.join("kallsyms"), symbols).unwrap();
        let mut k = Kernel { folder: folder.clone(), ..Kernel::default() };
        put(&"ffffffff81000000 T start_kernel\n".repeat(20_000));
        let begin = Instant::now();
        k.load();
        // The time until the next read begins when this one has ended.
        assert!(k.read.unwrap() - begin >= k.took);
        put("ffffffff82000000 T late");
        let late = 0xffff_ffff_8200_0000;
        let mut named_after = |took: Duration, ago: Duration| {
            (k.took, k.read) = (took, Instant::now().checked_sub(ago));
            k.place(late).is_some()
        };
        let (short, long) = (Duration::from_millis(1), Duration::from_secs(100));
        assert!(!named_after(long, long * 2));
        assert!(named_after(short, PERIOD * 2));
        fs::remove_dir_all(&folder).unwrap();
    }
}
