// SPDX-License-Identifier: GPL-2.0
//! The provider `plockstat`: events of the mutexes and rwlocks of POSIX threads.
//!
//! A C library has no probes there, and its stripped parts have no names. But the binary interface
//! fixes the layout of a lock, so the writes of the library's functions to a lock's fields show
//! what happens:
//!
//! | event | its places |
//! |---|---|
//! | `mutex-acquire` | a write of the owner; or an increment of a recursive mutex's count |
//! | `mutex-release` | a write of the owner in an unlock function |
//! | `mutex-block`, `rw-block` | a system call, or a call of a waiting function, with the lock |
//! | `mutex-blocked`, `rw-blocked` | the instruction behind that call |
//! | `mutex-spin` | the read of the number of turns that an adaptive mutex spun before |
//! | `mutex-spun` | the write of that number |
//! | `rw-acquire` | a write of the writer; for a reader: from here on the function returns 0 |
//! | `rw-release` | a write of the writer; for a reader: from here on there is no such write |
//! | `mutex-error`, `rw-error` | from here on the function returns this error |
//!
//! `flow` finds these places, and where the lock's address is there. A place is used only if it is
//! proven that no path has two places of the same event.

use crate::flow::{self, Graph, Home, Node, Text, Value};
use crate::flow::{AX, DI, DX, SI};
use crate::image::Image;
use crate::stapsdt::Note;
use crate::work::{Beat, Work};
use abi::user::{UserArg, UserArgKind, NO_REG};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The provider's name.
pub const PROVIDER: &str = "plockstat";

/// Returns the types of an event's arguments.
pub fn types(event: &str) -> Option<&'static [&'static str]> {
    Some(match event {
        "mutex-acquire" => &["void *", "int", "int"],
        "mutex-release" | "mutex-blocked" | "mutex-spun" | "mutex-error" => &["void *", "int"],
        "mutex-block" | "mutex-spin" => &["void *"],
        "rw-acquire" | "rw-release" | "rw-block" => &["void *", "int"],
        "rw-blocked" | "rw-error" => &["void *", "int", "int"],
        _ => return None,
    })
}

/// Fields of `pthread_mutex_t` and `pthread_rwlock_t` on x86-64.
mod field {
    pub(super) const COUNT: i32 = 4;
    pub(super) const OWNER: i32 = 8;
    pub(super) const SPINS: i32 = 20;
    pub(super) const WRITER: i32 = 24;
}

const FUTEX: i32 = 202;
const FUTEX_UNLOCK_PI: i32 = 7;
const EOWNERDEAD: i32 = 130;
/// The greatest error number.
const MOST_ERRNO: i32 = 4095;

/// The task of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Lock,
    Unlock,
    /// Waits for something else; it unlocks the mutex meanwhile and locks it again.
    Wait,
    ReadLock,
    WriteLock,
    RwUnlock,
}

const FUNCTIONS: &[(&str, Task)] = &[
    ("pthread_mutex_lock", Task::Lock),
    ("pthread_mutex_trylock", Task::Lock),
    ("pthread_mutex_timedlock", Task::Lock),
    ("pthread_mutex_clocklock", Task::Lock),
    ("pthread_mutex_unlock", Task::Unlock),
    ("pthread_cond_wait", Task::Wait),
    ("pthread_cond_timedwait", Task::Wait),
    ("pthread_cond_clockwait", Task::Wait),
    ("pthread_rwlock_rdlock", Task::ReadLock),
    ("pthread_rwlock_tryrdlock", Task::ReadLock),
    ("pthread_rwlock_timedrdlock", Task::ReadLock),
    ("pthread_rwlock_clockrdlock", Task::ReadLock),
    ("pthread_rwlock_wrlock", Task::WriteLock),
    ("pthread_rwlock_trywrlock", Task::WriteLock),
    ("pthread_rwlock_timedwrlock", Task::WriteLock),
    ("pthread_rwlock_clockwrlock", Task::WriteLock),
    ("pthread_rwlock_unlock", Task::RwUnlock),
];

/// How deep functions are followed that call others with the lock.
const MOST_DEEP: u32 = 4;
/// The most steps for all functions of a file: those of [`flow::graph`], and one for each look at a
/// node. The GNU C library takes 2.8 million.
const MOST_STEPS: u64 = 1 << 24;
/// A function that may return more different values is not one of these.
const MOST_RETURNED: usize = 64;

/// Functions that end the program.
const LAST: [&str; 4] = ["__stack_chk_fail", "__libc_fatal", "__assert_fail", "abort"];

struct Code<'a> {
    image: &'a Image,
    last: HashSet<u64>,
}

impl Text for Code<'_> {
    fn code(&self, at: u64) -> Vec<u8> {
        self.image.code(at, x86::MAX_LEN as u64)
    }

    fn word(&self, at: u64) -> Option<i32> {
        Some(i32::from_le_bytes(self.image.code(at, 4).try_into().ok()?))
    }

    fn never_returns(&self, function: u64) -> bool {
        self.last.contains(&function)
    }
}

/// Returns the probes of an object with lock functions; none for other objects. Each object is read
/// once; reading it [beats](Beat).
pub fn probes(image: &Image, beat: Beat) -> Rc<[Note]> {
    image.locks.get_or_init(|| notes(image, beat).into()).clone()
}

fn notes(image: &Image, beat: Beat) -> Vec<Note> {
    let address = |name: &str| image.functions().iter().find(|f| &*f.name == name);
    if !image.is_native || address(FUNCTIONS[0].0).is_none() {
        return Vec::new();
    }
    let last = LAST.iter().filter_map(|name| Some(address(name)?.address)).collect();
    let code = Code { image, last };
    let work = Work::with(MOST_STEPS, beat);
    let (waits, seen, known) = Default::default();
    let mut found = Found { code: &code, work: &work, waits, seen, known, notes: Vec::new() };
    for (name, task) in FUNCTIONS {
        // The library may have several versions of a function.
        for f in image.functions().iter().filter(|f| &*f.name == *name) {
            let pointer = if *task == Task::Wait { SI } else { DI };
            found.function(name, *task, (f.address, pointer), 0);
        }
    }
    found.notes
}

struct Found<'a> {
    code: &'a Code<'a>,
    work: &'a Work,
    /// Whether a function that gets a lock's address waits.
    waits: HashMap<u64, bool>,
    /// The functions that have been read.
    seen: HashSet<u64>,
    /// The events that have been found. Functions may share their ends.
    known: HashSet<(u64, &'static str)>,
    notes: Vec<Note>,
}

/// The arguments of an event that follow the lock's address.
type Behind = Vec<i64>;

/// An instruction that is a place of an event.
type EventPlace = (u64, &'static str, Behind);

impl Found<'_> {
    fn graph(&self, at: u64, pointer: usize) -> Option<Graph> {
        flow::graph(self.code, self.work, at, pointer)
    }

    /// Adds the events of a function that gets the lock in the register `pointer`.
    fn function(&mut self, name: &str, task: Task, (at, pointer): (u64, usize), deep: u32) {
        if deep > MOST_DEEP || !self.seen.insert(at) {
            return;
        }
        let Some(graph) = self.graph(at, pointer) else { return };
        let Some(paths) = Paths::of(&graph, self.work) else { return };
        match task {
            Task::Wait => self.calls(name, &graph, deep),
            Task::Lock => {
                let writes = |n: &Node, has: &dyn Fn(i32, i32, Option<i32>) -> bool| {
                    n.writes.iter().any(|w| has(w.at, w.at.wrapping_add(w.size), w.value))
                };
                let owner =
                    |n: &Node| writes(n, &|from, to, _| from <= field::OWNER && field::OWNER < to);
                let counted =
                    |n: &Node| writes(n, &|from, _, value| from == field::COUNT && value.is_none());
                let first = paths.at(&graph, "mutex-acquire", &[0, 0], owner);
                let again = paths.at(&graph, "mutex-acquire", &[1, 0], |n| counted(n) && !owner(n));
                self.put(name, &graph, [first, again].concat());
                self.blocks(name, &graph, "mutex-block", "mutex-blocked", &[]);
                self.spins(name, &graph, &paths);
                self.errors(name, &graph, &paths, "mutex-error", &[]);
            }
            Task::Unlock => {
                let owner = |n: &Node| n.writes.iter().any(|w| w.at == field::OWNER);
                let places = paths.at(&graph, "mutex-release", &[0], owner);
                self.put(name, &graph, places);
                self.errors(name, &graph, &paths, "mutex-error", &[]);
            }
            Task::ReadLock => {
                let ends = paths.ends(&graph, 0);
                let places = ends.into_iter().map(|ip| (ip, "rw-acquire", vec![0])).collect();
                self.put(name, &graph, places);
                self.blocks(name, &graph, "rw-block", "rw-blocked", &[0]);
                self.errors(name, &graph, &paths, "rw-error", &[0]);
            }
            Task::WriteLock => {
                let writer = |n: &Node| n.writes.iter().any(|w| w.at == field::WRITER);
                let places = paths.at(&graph, "rw-acquire", &[1], writer);
                self.put(name, &graph, places);
                self.blocks(name, &graph, "rw-block", "rw-blocked", &[1]);
                self.errors(name, &graph, &paths, "rw-error", &[1]);
            }
            Task::RwUnlock => {
                let writer = |n: &Node| n.writes.iter().any(|w| w.at == field::WRITER);
                let mut places = paths.at(&graph, "rw-release", &[1], writer);
                let readers = paths.without(&graph, writer);
                places.extend(readers.into_iter().map(|ip| (ip, "rw-release", vec![0])));
                self.put(name, &graph, places);
            }
        }
    }

    /// Follows the functions that get the mutex.
    fn calls(&mut self, name: &str, graph: &Graph, deep: u32) {
        let of = |reg| move |n: &Node| n.call.filter(|_| n.state.reg(reg) == Value::Pointer(0));
        let calls = |reg| graph.nodes.iter().filter_map(of(reg)).collect::<BTreeSet<u64>>();
        for at in calls(SI) {
            self.function(name, Task::Wait, (at, SI), deep + 1);
        }
        for at in calls(DI) {
            let Some(graph) = self.graph(at, DI) else { continue };
            let owns = |n: &Node| n.writes.iter().find(|w| w.at == field::OWNER).copied();
            // A thread's number varies; the value for no owner is a constant.
            if graph.nodes.iter().filter_map(owns).any(|w| w.value.is_none()) {
                self.function(name, Task::Lock, (at, DI), deep + 1);
            }
        }
    }

    /// Tells whether a function that gets the address of a lock waits for it.
    fn is_wait(&mut self, at: u64, deep: u32) -> bool {
        if let Some(known) = self.waits.get(&at) {
            return *known;
        }
        self.waits.insert(at, false);
        let graph = (deep < MOST_DEEP).then(|| self.graph(at, DI)).flatten();
        let waits = graph.is_some_and(|graph| {
            graph.nodes.iter().any(|n| {
                let is_given = matches!(n.state.reg(DI), Value::Pointer(_));
                is_wait_call(n) || is_given && n.call.is_some_and(|to| self.is_wait(to, deep + 1))
            })
        });
        self.waits.insert(at, waits);
        waits
    }

    fn blocks(
        &mut self,
        name: &str,
        graph: &Graph,
        begins: &'static str,
        ends: &'static str,
        behind: &[i64],
    ) {
        let mut places = Vec::new();
        if name.contains("_try") {
            return;
        }
        for n in &graph.nodes {
            let is_given = matches!(n.state.reg(DI), Value::Pointer(_));
            let waits = is_wait_call(n) || is_given && n.call.is_some_and(|to| self.is_wait(to, 0));
            if waits {
                places.push((n.ip, begins, behind.to_vec()));
                let after = n.next.iter().filter_map(|n| graph.nodes.get(*n));
                places.extend(after.map(|n| (n.ip, ends, [behind, &[1]].concat())));
            }
        }
        self.put(name, graph, places);
    }

    fn spins(&mut self, name: &str, graph: &Graph, paths: &Paths) {
        let reads = |n: &Node| n.reads.contains(&(field::SPINS, 2));
        let writes = |n: &Node| n.writes.iter().any(|w| (w.at, w.size) == (field::SPINS, 2));
        // The last read is the value that is written anew.
        let ahead = paths.ahead(graph, |at| reads(&graph.nodes[at]));
        let first = graph.nodes.iter().zip(ahead).filter(|(n, ahead)| *ahead && reads(n));
        let ips: BTreeSet<u64> = first.map(|(n, _)| n.ip).collect();
        let begun = paths.at(graph, "mutex-spin", &[], |n| ips.contains(&n.ip));
        let ended = paths.at(graph, "mutex-spun", &[1], writes);
        self.put(name, graph, [begun, ended].concat());
    }

    fn errors(
        &mut self,
        name: &str,
        graph: &Graph,
        paths: &Paths,
        event: &'static str,
        behind: &[i64],
    ) {
        for errno in paths.returned.iter().flatten().copied().collect::<BTreeSet<_>>() {
            if errno == EOWNERDEAD || !(1..MOST_ERRNO).contains(&errno) {
                continue;
            }
            if self.work.spend(graph.nodes.len() as u64).is_none() {
                return;
            }
            let ends = paths.ends(graph, errno).into_iter();
            let place = |ip| (ip, event, [behind, &[errno.into()]].concat());
            self.put(name, graph, ends.map(place).collect());
        }
    }

    fn put(&mut self, function: &str, graph: &Graph, places: Vec<EventPlace>) {
        let mut once = BTreeMap::new();
        for (ip, event, behind) in places {
            once.entry((ip, event)).or_insert(behind);
        }
        let homes = homes(graph, &once.keys().map(|(ip, _)| *ip).collect());
        for ((ip, event), behind) in once {
            let home = homes.get(&ip).and_then(|homes| homes.first().copied());
            let Some(home) = home.filter(|_| self.known.insert((ip, event))) else { continue };
            let lock = match home {
                Home::Reg(n) => arg(UserArgKind::Register, 0, n as u8),
                Home::Frame(at) => arg(UserArgKind::Memory, at.into(), 4),
            };
            let behind = behind.into_iter().map(|n| arg(UserArgKind::Constant, n, NO_REG));
            self.notes.push(Note {
                provider: PROVIDER.into(),
                name: event.into(),
                address: ip,
                semaphore: 0,
                args: std::iter::once(lock).chain(behind).collect(),
                floats: Vec::new(),
                function: Some(function.into()),
            });
        }
    }
}

fn arg(kind: UserArgKind, value: i64, reg: u8) -> UserArg {
    UserArg { value, kind: kind as u8, width: 8, reg, index: NO_REG, scale: 1, pad: [0; 3] }
}

/// Tells whether the node is a system call that waits at the lock's address. A call that wakes
/// others tells how many.
fn is_wait_call(n: &Node) -> bool {
    let wakes = n.state.reg(DX) == Value::Constant(1)
        || n.state.reg(DX) == Value::Constant(i32::MAX)
        || n.state.reg(SI) == Value::Constant(FUTEX_UNLOCK_PI);
    let is_given = matches!(n.state.reg(DI), Value::Pointer(_));
    n.is_syscall && n.state.reg(AX) == Value::Constant(FUTEX) && is_given && !wakes
}

/// Returns the places of the lock's address that hold at an instruction on every path, for each of
/// these instructions.
fn homes(graph: &Graph, ips: &HashSet<u64>) -> HashMap<u64, BTreeSet<Home>> {
    let mut homes = HashMap::<u64, BTreeSet<Home>>::new();
    for n in graph.nodes.iter().filter(|n| ips.contains(&n.ip)) {
        let here = n.state.homes();
        homes.entry(n.ip).and_modify(|all| *all = &*all & &here).or_insert(here);
    }
    homes
}

/// The connections of nodes.
struct Paths {
    before: Vec<Vec<usize>>,
    /// The values that each node's paths can return; empty: not known.
    returned: Vec<BTreeSet<i32>>,
}

/// A returned value that is not known.
const ANYTHING: i32 = i32::MIN;

impl Paths {
    /// `None`: the function may return too many different values, or it takes too many steps.
    fn of(graph: &Graph, work: &Work) -> Option<Self> {
        let mut before = vec![Vec::new(); graph.nodes.len()];
        for (at, n) in graph.nodes.iter().enumerate() {
            n.next.iter().for_each(|next| before[*next].push(at));
        }
        let end = |n: &Node| match n.returned {
            Some(Value::Constant(value)) => BTreeSet::from([value]),
            Some(_) => BTreeSet::from([ANYTHING]),
            None => BTreeSet::new(),
        };
        let mut returned: Vec<BTreeSet<i32>> = graph.nodes.iter().map(end).collect();
        let mut todo: Vec<usize> = (0..graph.nodes.len()).collect();
        while let Some(at) = todo.pop() {
            work.spend(1 + before[at].len() as u64)?;
            for &from in &before[at] {
                let more: Vec<i32> = returned[at].difference(&returned[from]).copied().collect();
                if !more.is_empty() {
                    returned[from].extend(more);
                    (returned[from].len() <= MOST_RETURNED).then_some(())?;
                    todo.push(from);
                }
            }
        }
        Some(Self { before, returned })
    }

    /// Returns all nodes that can follow these.
    fn after(&self, graph: &Graph, from: impl Fn(usize) -> bool) -> Vec<bool> {
        let all = 0..graph.nodes.len();
        spread(
            all.filter(|at| from(*at)).flat_map(|at| graph.nodes[at].next.clone()),
            graph,
            |at| &graph.nodes[at].next,
        )
    }

    /// Returns all nodes that can lead to one of these.
    fn ahead(&self, graph: &Graph, to: impl Fn(usize) -> bool) -> Vec<bool> {
        let all = 0..graph.nodes.len();
        let first = all.filter(|at| to(*at)).flat_map(|at| self.before[at].clone());
        spread(first, graph, |at| &self.before[at])
    }

    /// Returns the instructions for which `is` holds, except those from which a path leads to
    /// another.
    fn at(
        &self,
        graph: &Graph,
        event: &'static str,
        behind: &[i64],
        is: impl Fn(&Node) -> bool,
    ) -> Vec<EventPlace> {
        let ips = graph.nodes.iter().filter(|n| is(n)).map(|n| n.ip).collect();
        let ips = self.once(graph, ips);
        ips.into_iter().map(|ip| (ip, event, behind.to_vec())).collect()
    }

    /// Returns those of these places from which no path leads to any of them again.
    fn once(&self, graph: &Graph, ips: BTreeSet<u64>) -> BTreeSet<u64> {
        let ahead = self.ahead(graph, |at| ips.contains(&graph.nodes[at].ip));
        let twice =
            graph.nodes.iter().zip(ahead).filter(|(n, ahead)| *ahead && ips.contains(&n.ip));
        let twice: BTreeSet<u64> = twice.map(|(n, _)| n.ip).collect();
        &ips - &twice
    }

    /// Returns where a path is decided to return `value`, unless another path has not decided it
    /// there.
    fn ends(&self, graph: &Graph, value: i32) -> BTreeSet<u64> {
        self.frontier(graph, |at| self.returned[at].iter().all(|v| *v == value), |_| false)
    }

    /// Returns where a path has passed all instructions for which `is` holds without meeting one.
    fn without(&self, graph: &Graph, is: impl Fn(&Node) -> bool) -> BTreeSet<u64> {
        let is = |at: usize| is(&graph.nodes[at]);
        let ahead = self.ahead(graph, is);
        self.frontier(graph, |at| !is(at) && !ahead[at], is)
    }

    /// Returns the instructions that are decided on every path to them, that follow an undecided
    /// instruction, and that no spoilt node leads to.
    fn frontier(
        &self,
        graph: &Graph,
        is_decided: impl Fn(usize) -> bool,
        is_spoilt: impl Fn(usize) -> bool,
    ) -> BTreeSet<u64> {
        let open = graph.nodes.iter().enumerate().filter(|(at, n)| {
            !is_decided(*at) || self.returned[*at].is_empty() && n.returned.is_none()
        });
        let open: HashSet<u64> = open.map(|(_, n)| n.ip).collect();
        let is_open = |at: &usize| open.contains(&graph.nodes[*at].ip);
        let all = graph.nodes.iter().enumerate();
        let found = all.filter(|(at, _)| !is_open(at) && self.before[*at].iter().any(is_open));
        let behind = graph.nodes.iter().zip(self.after(graph, is_spoilt));
        let behind: HashSet<u64> = behind.filter(|b| b.1).map(|(n, _)| n.ip).collect();
        let ips = found.map(|(_, n)| n.ip).filter(|ip| !behind.contains(ip)).collect();
        self.once(graph, ips)
    }
}

/// Returns these nodes and all that can be reached from them.
fn spread<'g>(
    first: impl Iterator<Item = usize>,
    graph: &Graph,
    next: impl Fn(usize) -> &'g Vec<usize>,
) -> Vec<bool> {
    let mut seen = vec![false; graph.nodes.len()];
    let mut todo: Vec<usize> = first.collect();
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            todo.extend(next(at));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Images, Process};

    /// With any C library, each event has places and the arguments of its types.
    #[test]
    fn of_the_c_library() {
        let me = Process::read(std::process::id()).unwrap();
        let images = Images::default();
        let libc = me.called("libc").next().unwrap();
        let (image, _) = libc.image(me.pid, &images);
        let notes = probes(image, None);
        let mut found: BTreeMap<(&str, &str), BTreeSet<Vec<i64>>> = BTreeMap::new();
        for n in notes.iter() {
            assert_eq!(n.args.len(), types(&n.name).unwrap().len(), "{n:?}");
            let function = n.function.as_deref().unwrap();
            let args = n.args[1..].iter().map(|a| a.value).collect();
            found.entry((function, &n.name)).or_default().insert(args);
        }
        let behind = |function, name| found.get(&(function, name)).cloned().unwrap_or_default();
        let is = |all: &[&[i64]]| all.iter().map(|a| a.to_vec()).collect::<BTreeSet<_>>();
        let acquired = is(&[&[0, 0], &[1, 0]]);
        for f in ["pthread_mutex_lock", "pthread_mutex_trylock", "pthread_cond_wait"] {
            assert_eq!(behind(f, "mutex-acquire"), acquired, "{f}");
        }
        assert_eq!(behind("pthread_mutex_lock", "mutex-block"), is(&[&[]]));
        assert_eq!(behind("pthread_mutex_trylock", "mutex-block"), is(&[]));
        assert!(behind("pthread_mutex_trylock", "mutex-error").contains(&vec![16]));
        assert_eq!(behind("pthread_mutex_unlock", "mutex-release"), is(&[&[0]]));
        for (f, writer) in [("pthread_rwlock_rdlock", 0), ("pthread_rwlock_wrlock", 1)] {
            assert_eq!(behind(f, "rw-acquire"), is(&[&[writer]]));
            assert_eq!(behind(f, "rw-block"), is(&[&[writer]]));
            assert_eq!(behind(f, "rw-blocked"), is(&[&[writer, 1]]));
            assert!(behind(f, "rw-error").contains(&vec![writer, 35]));
        }
        assert_eq!(behind("pthread_rwlock_unlock", "rw-release"), is(&[&[0], &[1]]));
        // No place has the same event twice.
        let places: BTreeSet<_> = notes.iter().map(|n| (n.address, &n.name)).collect();
        assert_eq!(places.len(), notes.len());
        // An object without lock functions has no probes.
        let (own, _) = me.called(crate::process::PROGRAM).next().unwrap().image(me.pid, &images);
        assert!(probes(own, None).is_empty());
    }

    /// Returns the probes of a file with this code, whose function that waits is its beginning.
    fn probes_of(name: &str, code: &[u8]) -> usize {
        let path = std::env::temp_dir().join(format!("dtrace-{name}-{}", std::process::id()));
        std::fs::write(&path, code).unwrap();
        let size = code.len() as u64;
        let segment = crate::Segment { offset: 0, size, address: 0, is_executable: true };
        let functions = [(0, 8, "pthread_cond_wait"), (size - 1, 1, "pthread_mutex_lock")];
        let mut image = Image::fixed(segment, &functions);
        image.open(&path);
        image.is_native = true;
        std::fs::remove_file(&path).unwrap();
        notes(&image, None).len()
    }

    /// Each function of six bytes calls the next one.
    #[test]
    fn a_chain_of_calls_does_not_use_up_the_stack() {
        assert_eq!(probes_of("chain", &[0xe8, 1, 0, 0, 0, 0xc3].repeat(50_000)), 0);
    }

    /// Of each `push %rdi`, the knowledge before it had one more place.
    #[test]
    fn a_large_frame_has_no_graph() {
        assert_eq!(probes_of("frame", &[0x57; 1 << 16]), 0);
    }

    /// je to the next one; mov $n, %eax; ret.
    #[test]
    fn a_function_that_returns_anything_has_no_events() {
        let end = |n: u32| [&[0x74, 6, 0xb8][..], &n.to_le_bytes(), &[0xc3]].concat();
        assert_eq!(probes_of("returns", &(0..30_000).flat_map(end).collect::<Vec<_>>()), 0);
    }
}
