// SPDX-License-Identifier: GPL-2.0
//! Names addresses: `module`function+0xOFF`.
//!
//! | | kernel ([`kallsyms`]) | process ([`process`]) |
//! |---|---|---|
//! | source | /proc/kallsyms | /proc/PID/maps and the symbol tables of the files there |
//! | read | when the first address needs a name | when addresses arrive |
//!
//! A handle is shared: all parts of the consumer use what one of them has looked up.

mod kallsyms;
mod mangled;
mod process;

use abi::action::ActionKind;
pub(crate) use kallsyms::own_name;
use kallsyms::Kernel;
use libproc::account::Account;
use process::Processes;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A handle to everything known about symbols.
#[derive(Debug, Clone, Default)]
pub struct Symbols(Rc<RefCell<Tables>>);

#[derive(Debug, Default)]
struct Tables {
    pulse: Pulse,
    kernel: Kernel,
    processes: Processes,
    naming: Naming,
    mangled: mangled::Known,
    /// `$target`.
    target: Option<u64>,
}

/// How often the kernel is shown that we are alive while names are looked for. It takes a consumer
/// for dead after half a minute of silence.
const PERIOD: Duration = Duration::from_secs(1);

/// What shows the kernel that we are alive.
#[derive(Default)]
struct Pulse {
    beat: Option<Box<dyn Fn()>>,
    last: Option<Instant>,
    /// How often something asked for a sign of life.
    #[cfg(test)]
    asked: usize,
}

impl Pulse {
    fn beat(&mut self) {
        #[cfg(test)]
        {
            self.asked += 1;
        }
        let Some(beat) = &self.beat else { return };
        if self.last.is_none_or(|last| last.elapsed() > PERIOD) {
            beat();
            self.last = Some(Instant::now());
        }
    }
}

impl fmt::Debug for Pulse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pulse").field("last", &self.last).finish_non_exhaustive()
    }
}

/// How addresses are named.
#[derive(Debug, Clone, Copy, Default)]
pub struct Naming {
    /// Demangles symbols.
    pub demangles: bool,
    /// Names inlined functions in stacks of processes, too.
    pub inlines: bool,
}

/// The most bytes of a stack's text. A program chooses the names in it, and the name of each of the
/// functions at an address may have 64 KiB.
const MOST_STACK: usize = 1 << 20;

/// The suffix of a function that is inlined into the next function of a stack.
pub(crate) const INLINED: &str = " [inlined]";

impl Tables {
    fn of_kernel(&mut self, address: u64) -> Option<NamedAddress> {
        self.pulse.beat();
        let mut place = self.kernel.place(address)?;
        demangle(&mut self.mangled, self.naming, &mut place);
        Some(harmless(place))
    }

    fn of_process(&mut self, pid: u64, address: u64) -> Option<NamedAddress> {
        self.pulse.beat();
        let place = self.processes.place(pid, address)?;
        Some(self.plain(pid, place))
    }

    /// Returns the names of the functions that are inlined at an address of a process, for a stack.
    fn inlined(&mut self, pid: u64, address: u64) -> Vec<String> {
        if !self.naming.inlines {
            return Vec::new();
        }
        self.pulse.beat();
        let Some((module, functions)) = self.processes.inlined(pid, address) else {
            return Vec::new();
        };
        let of = |f: &String| NamedAddress {
            module: module.clone(),
            symbol: Some(f.clone()),
            offset: 0,
        };
        functions.iter().map(|f| self.plain(pid, of(f)).full() + INLINED).collect()
    }

    /// Makes the names readable in the time of their process, and harmless for a terminal.
    fn plain(&mut self, pid: u64, mut place: NamedAddress) -> NamedAddress {
        let (known, naming) = (&mut self.mangled, self.naming);
        self.processes.spend(pid, || demangle(known, naming, &mut place));
        harmless(place)
    }
}

/// Makes a symbol readable.
fn demangle(known: &mut mangled::Known, naming: Naming, place: &mut NamedAddress) {
    if let Some(symbol) = place.symbol.as_mut().filter(|_| naming.demangles) {
        if let Some(plain) = known.plain(symbol) {
            *symbol = plain.to_string();
        }
    }
}

/// Makes names harmless for a terminal: programs choose them.
fn harmless(mut place: NamedAddress) -> NamedAddress {
    for name in [Some(&mut place.module), place.symbol.as_mut()].into_iter().flatten() {
        if let Cow::Owned(clean) = plaintext::clean(name) {
            *name = clean;
        }
    }
    place
}

/// The name of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedAddress {
    /// The kernel module, or the file.
    module: String,
    /// The symbol, if there is one.
    symbol: Option<String>,
    /// The distance from the start of the symbol, or else of the module.
    offset: u64,
}

impl NamedAddress {
    /// Returns the name with the offset, for a stack.
    fn full(&self) -> String {
        let Self { module, symbol, offset } = self;
        match (symbol, offset) {
            (Some(symbol), 0) => format!("{module}`{symbol}"),
            (Some(symbol), offset) => format!("{module}`{symbol}+0x{offset:x}"),
            (None, offset) => format!("{module}`0x{offset:x}"),
        }
    }

    /// Returns the name without the offset, so that all addresses of a function are equal.
    fn symbol(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{}`{symbol}", self.module),
            None => self.full(),
        }
    }
}

/// Returns the last line of a stack whose text has become too long.
fn cut(addresses: usize) -> String {
    let s = if addresses == 1 { "" } else { "es" };
    format!("[{addresses} more address{s}: the names of a stack may take 1 MiB]")
}

/// Returns the text of an address without a known name.
fn bare(address: u64) -> String {
    format!("0x{address:x}")
}

impl Symbols {
    /// Makes a handle for the symbols of this machine.
    pub fn new(naming: Naming) -> Self {
        Self(Rc::new(RefCell::new(Tables { naming, ..Tables::default() })))
    }

    /// Makes a table of given kernel symbols, for tests.
    pub fn fixed(rows: Vec<(u64, String)>) -> Self {
        let kernel = Kernel::fixed(rows);
        let naming = Naming { demangles: true, inlines: true };
        Self(Rc::new(RefCell::new(Tables { kernel, naming, ..Tables::default() })))
    }

    /// Returns the address of `name` or `module:name`, for callers without a device to ask.
    pub fn address(&self, name: &str) -> Option<u64> {
        let (module, name) = name.split_once(':').unwrap_or(("", name));
        self.0.borrow_mut().kernel.address(module, name)
    }

    /// Returns the printed form of a kernel address; bare hex if nothing is known about it.
    pub fn name(&self, address: u64) -> String {
        let place = self.0.borrow_mut().of_kernel(address);
        place.map_or_else(|| bare(address), |p| p.full())
    }

    /// Returns the text for a value that `sym()`, `umod()` and the like recorded.
    pub fn recorded(&self, kind: ActionKind, bytes: &[u8]) -> String {
        let mut words = bytes.chunks_exact(8).map(word);
        let mut tables = self.0.borrow_mut();
        let (place, address) = match kind {
            ActionKind::Sym | ActionKind::Mod => {
                let address = words.next().unwrap_or(0);
                (tables.of_kernel(address), address)
            }
            _ => {
                let (pid, address) = (words.next().unwrap_or(0), words.next().unwrap_or(0));
                tables.processes.renew(pid);
                (tables.of_process(pid, address), address)
            }
        };
        let Some(place) = place else { return bare(address) };
        match kind {
            ActionKind::Mod | ActionKind::Umod => place.module,
            ActionKind::Sym | ActionKind::Usym => place.symbol(),
            _ => place.full(),
        }
    }

    /// Returns the frames of a stack, the innermost first, for lines with `indent` blanks. The map
    /// of its process is the last one that was read: the process of an aggregated stack may have
    /// other mappings by now.
    pub fn frames(&self, kind: ActionKind, bytes: &[u8], indent: usize) -> Vec<String> {
        let mut words = bytes.chunks_exact(8).map(word);
        let pid = match kind {
            ActionKind::Stack => None,
            _ => words.next(),
        };
        let mut pcs = words.take_while(|&pc| pc != 0);
        let mut tables = self.0.borrow_mut();
        let mut names = Vec::new();
        let mut left = MOST_STACK;
        let mut is_return = false;
        while let Some(pc) = pcs.next() {
            let leaves_signal = pid.is_some_and(|pid| tables.processes.leaves_signal(pid, pc));
            // A return address is behind its call, which may be the last instruction of its
            // function. A signal handler returns to no call, but to the interrupted instruction.
            let at = if is_return && !leaves_signal { pc - 1 } else { pc };
            is_return = !leaves_signal;
            let (inlined, place) = match pid {
                None => (Vec::new(), tables.of_kernel(at)),
                Some(pid) => (tables.inlined(pid, at), tables.of_process(pid, at)),
            };
            let place = place.map(|p| NamedAddress { offset: p.offset + (pc - at), ..p });
            let name = place.map_or_else(|| bare(pc), |p| p.full());
            for name in inlined.into_iter().chain([name]) {
                let Some(rest) = left.checked_sub(indent + name.len() + 1) else {
                    names.push(cut(1 + pcs.count()));
                    return names;
                };
                left = rest;
                names.push(name);
            }
        }
        names
    }

    /// Sets the function that shows the kernel that we are alive. Looking for names calls it.
    pub fn set_pulse(&self, beat: Option<Box<dyn Fn()>>) {
        self.0.borrow_mut().pulse.beat = beat;
    }

    /// Shows the kernel that we are alive, before and after something that may take long.
    pub(crate) fn beat(&self) {
        self.0.borrow_mut().pulse.beat();
    }

    /// Returns how often something asked for a sign of life.
    #[cfg(test)]
    pub(crate) fn asked_to_beat(&self) -> usize {
        self.0.borrow().pulse.asked
    }

    /// Returns what is to be told about names that could not be found.
    pub fn take_told(&self) -> Vec<String> {
        std::mem::take(&mut self.0.borrow_mut().processes.told)
    }

    /// Sets the process that addresses without a process belong to.
    pub fn set_target(&self, pid: u64) {
        self.0.borrow_mut().target.get_or_insert(pid);
    }

    /// Returns the printed form of an address of the target; bare hex without a target.
    pub fn of_target(&self, address: u64) -> String {
        let mut tables = self.0.borrow_mut();
        let place = tables.target.and_then(|pid| {
            tables.processes.renew(pid);
            tables.of_process(pid, address)
        });
        place.map_or_else(|| bare(address), |p| p.full())
    }

    /// Reads a process's map while the process lives; naming its addresses later needs the map.
    /// Returns the process's user.
    pub fn know_process(&self, pid: u64) -> Account {
        let mut tables = self.0.borrow_mut();
        tables.pulse.beat();
        tables.processes.read(pid)
    }

    /// Reads a process's map at most once for each batch of data taken from the kernel.
    pub fn refresh_process(&self, pid: u64) {
        let mut tables = self.0.borrow_mut();
        tables.pulse.beat();
        tables.processes.refresh(pid);
    }

    /// Reads a process's map again, as far as there is time, before the addresses of a new record
    /// get names.
    pub fn renew_process(&self, pid: u64) {
        let mut tables = self.0.borrow_mut();
        tables.pulse.beat();
        tables.processes.renew(pid);
    }

    /// Notes that data was taken from the kernel: its addresses may be in mappings newer than the
    /// last read. Returns the users whose files and processes take too much memory, so that others
    /// forget what they have read for these users, too; root: all users together take too much.
    pub fn take(&self) -> HashSet<Account> {
        let mut tables = self.0.borrow_mut();
        tables.kernel.take();
        tables.processes.take()
    }
}

/// Returns the used bytes of a stack, up to the last frame.
pub fn stack_of(kind: ActionKind, bytes: &[u8]) -> &[u8] {
    let head = usize::from(kind != ActionKind::Stack);
    let frames = bytes.chunks_exact(8).skip(head).take_while(|w| word(w) != 0).count();
    bytes.get(..8 * (head + frames)).unwrap_or(bytes)
}

/// Reads eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Symbols {
        Symbols::fixed(vec![
            (0xffff_ffff_8100_0000, "vmlinux`_text".into()),
            (0xffff_ffff_8100_1000, "vmlinux`vfs_read".into()),
            (0xffff_ffff_8100_1100, "vmlinux`vfs_write".into()),
            (0xffff_ffff_c000_0010, "hworld`hello_open".into()),
        ])
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn names() {
        let s = kernel();
        assert_eq!(s.name(0xffff_ffff_8100_0000), "vmlinux`_text");
        assert_eq!(s.name(0xffff_ffff_c000_0024), "hworld`hello_open+0x14");
        assert_eq!(s.name(0x10), "0x10");
        assert_eq!(s.name(0xffff_ffff_d000_0000), "0xffffffffd0000000");
    }

    #[test]
    fn names_that_programs_choose() {
        let plain = |demangles, module: &str, symbol: &str| {
            let naming = Naming { demangles, inlines: true };
            let (module, symbol) = (module.to_string(), Some(symbol.to_string()));
            let mut tables = Tables { naming, ..Tables::default() };
            tables.plain(0, NamedAddress { module, symbol, offset: 1 }).full()
        };
        assert_eq!(
            plain(true, "a\u{1b}[2J", "x\n   libc.so.6`malloc"),
            "a\u{fffd}[2J`x\u{fffd}   libc.so.6`malloc+0x1"
        );
        // Demangling can produce such a character: this is U+202E, in Punycode.
        assert_eq!(plain(true, "", "_RNvC1au3zvg"), "`a::\u{fffd}+0x1");
    }

    #[test]
    fn symbols_by_what_was_asked() {
        let s = kernel();
        let at = bytes(&[0xffff_ffff_c000_0024]);
        assert_eq!(s.recorded(ActionKind::Sym, &at), "hworld`hello_open");
        assert_eq!(s.recorded(ActionKind::Mod, &at), "hworld");
        // No process has this id.
        assert_eq!(s.recorded(ActionKind::Usym, &bytes(&[u64::MAX, 0x1234])), "0x1234");
    }

    #[test]
    fn a_return_address_behind_a_function_is_of_that_function() {
        let s = kernel();
        let pcs = [0xffff_ffff_8100_1100, 0xffff_ffff_8100_1100, 0xffff_ffff_c000_0024, 0, 0];
        let stack = bytes(&pcs);
        assert_eq!(
            s.frames(ActionKind::Stack, &stack, 0),
            ["vmlinux`vfs_write", "vmlinux`vfs_read+0x100", "hworld`hello_open+0x14"]
        );
        assert_eq!(stack_of(ActionKind::Stack, &stack).len(), 24);
        assert_eq!(stack_of(ActionKind::Ustack, &bytes(&[7, 1, 0])).len(), 16);
        assert_eq!(stack_of(ActionKind::Ustack, &bytes(&[7, 0, 0])).len(), 8);
    }

    /// A program's symbol of 4 KiB can have a name of 64 KiB, and a hundred of them be inlined at
    /// each address.
    #[test]
    fn the_text_of_a_stack_has_a_limit() {
        let long = "f".repeat(usize::from(u16::MAX) - "vmlinux`".len());
        let at = 0xffff_ffff_8100_0000;
        let s = Symbols::fixed(vec![(at, format!("vmlinux`{long}"))]);
        let bytes = |frames: usize| bytes(&vec![at + 16; frames]);
        let stack = |frames, indent| s.frames(ActionKind::Stack, &bytes(frames), indent);
        let whole = stack(15, 0);
        assert!(whole.len() == 15 && whole.iter().all(|f| f.ends_with("f+0x10")));
        let cut_off = stack(100, 0);
        let text: usize = cut_off.iter().map(|frame| frame.len() + 1).sum();
        assert!((MOST_STACK - (64 << 10)..MOST_STACK + 100).contains(&text), "{text}");
        let last = cut_off.last().unwrap();
        assert!(last.ends_with(" more addresses: the names of a stack may take 1 MiB]"), "{last}");
        let indented = stack(100, MOST_STACK / 4);
        assert!(indented.len() < 5, "{}", indented.len());
    }

    #[test]
    fn the_kernel_hears_of_long_work() {
        let (s, beats) = (Symbols::default(), Rc::new(std::cell::Cell::new(0)));
        let beat = beats.clone();
        s.set_pulse(Some(Box::new(move || beat.set(beat.get() + 1))));
        let work = || {
            s.refresh_process(u64::from(std::process::id()));
            s.recorded(ActionKind::Usym, &bytes(&[1, 2]));
            s.name(u64::MAX);
        };
        work();
        assert_eq!(beats.get(), 1);
        s.0.borrow_mut().pulse.last = Instant::now().checked_sub(2 * PERIOD);
        work();
        assert_eq!(beats.get(), 2);
    }

    #[test]
    fn our_own_addresses() {
        #[inline(never)]
        extern "C" fn landmark(n: u64) -> u64 {
            std::hint::black_box(n)
        }
        let s = Symbols::default();
        let pid = u64::from(std::process::id());
        let at = landmark as *const () as u64 + 1;
        let full = s.recorded(ActionKind::Uaddr, &bytes(&[pid, at]));
        assert!(full.contains("landmark") && full.ends_with("+0x1"), "{full}");
        let symbol = s.recorded(ActionKind::Usym, &bytes(&[pid, at]));
        assert_eq!(format!("{symbol}+0x1"), full);
        assert_eq!(s.of_target(at), bare(at));
        s.set_target(pid);
        assert_eq!(s.of_target(at), full);
        let module = s.recorded(ActionKind::Umod, &bytes(&[pid, at]));
        assert!(symbol.starts_with(&format!("{module}`")), "{module} {symbol}");
    }
}
