// SPDX-License-Identifier: GPL-2.0
//! Code that a process generates while it runs, from the file that its runtime writes for
//! profilers: `/tmp/perf-PID.map`, with lines of an address, a size and a name. Numbers are
//! hexadecimal; where several lines have the same addresses, the last one counts.
//!
//! Anybody may write to `/tmp`, so only a plain file of the process's own user is read. For an
//! ended process nothing tells which `/tmp` it had, so that is remembered from when the process was
//! seen. A pid may come back: what was remembered of its last process is no longer used then.

use crate::budget::Share;
use crate::files::{Root, View};
use crate::function::MOST_NAME;
use crate::process;
use crate::status;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The most bytes of a file that are read.
const MOST: u64 = 64 << 20;

/// Code by address: each piece is what later lines have left of a line.
type Code = BTreeMap<u64, Piece>;

#[derive(Debug, Clone)]
struct Piece {
    /// The first address behind it.
    end: u64,
    /// The first address of the line.
    start: u64,
    name: Rc<str>,
}

/// A file that takes longer to read is not read again for a while: as many times as long.
const LONG: Duration = Duration::from_millis(20);
const WHILE: u32 = 20;

/// The generated code of a process.
#[derive(Debug, Default)]
pub struct Jit {
    /// When the process started; `None`: it was never seen alive.
    started: Option<u64>,
    code: Code,
    /// The memory of the code: any number of processes can have the same file.
    share: Share,
    /// The place where the file is, or will be.
    home: Option<Home>,
    /// The file itself, because its name may disappear.
    file: Option<File>,
    /// The size of the file when it was read.
    size: u64,
    /// The file is not read again before.
    due: Option<Instant>,
    /// The file had another size when it was last seen than when it was read.
    is_behind: bool,
}

impl Jit {
    /// Reads the file of a process, if its size has changed or there was too little memory, and it
    /// has not just taken long.
    pub fn read(&mut self, pid: u32) {
        let started = process::started(pid);
        if started.is_some() && started != self.started {
            *self = Self { started, ..Self::default() };
        }
        self.home = Home::read(pid).or_else(|| self.home.take());
        let found = self.home.as_ref().and_then(Home::open);
        let Some(mut file) = found.or_else(|| self.file.take()) else { return };
        let size = file.metadata().map_or(0, |m| m.size());
        let mut text = Vec::new();
        let begin = Instant::now();
        if (size != self.size || self.share.was_short())
            && self.due.is_none_or(|due| due <= begin)
            && file.rewind().is_ok()
            && (&file).take(MOST).read_to_end(&mut text).is_ok()
        {
            (self.code, self.share) = Default::default();
            self.code = parse(&String::from_utf8_lossy(&text), &mut self.share);
            self.size = size;
            let took = begin.elapsed();
            self.due = (took > LONG).then(|| Instant::now() + took * WHILE);
        }
        self.is_behind = size != self.size;
        self.file = Some(file);
    }

    /// Tells whether the file has changed since it was read, and would take long to read.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Returns the name of the code at an address, and the distance from its beginning.
    pub fn symbol(&self, address: u64) -> Option<(&str, u64)> {
        let (_, piece) = self.code.range(..=address).next_back()?;
        (address < piece.end).then_some((&*piece.name, address - piece.start))
    }
}

/// The place where a process has its file.
#[derive(Debug)]
struct Home {
    /// The process whose root contains the file; `None`: the process sees our files, and its file
    /// outlives it.
    of: Option<u32>,
    path: String,
    /// The process's user.
    uid: u32,
}

impl Home {
    fn read(pid: u32) -> Option<Self> {
        let numbers = status::line(pid, "NSpid:")?;
        let own = numbers.split_whitespace().last()?;
        let of = (!View::of_process(pid)?.is_ours()).then_some(pid);
        let path = format!("/tmp/perf-{own}.map");
        Some(Self { of, path, uid: std::fs::metadata(format!("/proc/{pid}")).ok()?.uid() })
    }

    fn open(&self) -> Option<File> {
        let root = self.of.map_or_else(Root::ours, Root::of_process).ok()?;
        let file = root.open_no_link(&self.path).ok()?;
        (file.metadata().ok()?.uid() == self.uid).then_some(file)
    }
}

/// Returns the code that a file describes, as much as there is room for.
fn parse(text: &str, share: &mut Share) -> Code {
    let line = |line: &str| {
        let mut words = line.trim_end().splitn(3, ' ');
        let mut number = || {
            let word = words.next()?;
            u64::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
        };
        let (start, size) = (number()?, number().filter(|size| *size > 0)?);
        let name = words.next().filter(|name| name.len() <= MOST_NAME)?;
        Some(Piece { start, end: start.checked_add(size)?, name: name.into() })
    };
    // A line within another one makes two pieces more, and a map is at least half full.
    let fits = |line: &Piece| share.grow(4 * size_of::<(u64, Piece)>() + line.name.len());
    let mut code = Code::new();
    text.lines().filter_map(line).take_while(fits).for_each(|line| put(&mut code, line));
    code
}

/// Adds a line; the code that was there before is no more.
fn put(code: &mut Code, line: Piece) {
    let (start, end) = (line.start, line.end);
    let mut rest = None;
    if let Some((_, before)) = code.range_mut(..start).next_back().filter(|(_, b)| b.end > start) {
        rest = Some(before.clone());
        before.end = start;
    }
    while let Some(at) = code.range(start..end).next().map(|(at, _)| *at) {
        rest = code.remove(&at);
    }
    if let Some(rest) = rest.filter(|rest| rest.end > end) {
        code.insert(end, rest);
    }
    code.insert(start, line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::budget::{on_behalf, MOST_OF_ONE};

    #[test]
    fn lines() {
        let text = "7f0000001000 20 first\n0x7f0000001040 0x10 LazyCompile:~fib /app/a.js:3\n\
                    7f0000001000 30 again\nnonsense\n12 no\nffffffffffffffff 2 beyond\n";
        let code = parse(text, &mut Share::default());
        let jit = Jit { code, ..Jit::default() };
        for (address, wanted) in [
            (0x7f00_0000_0fff, None),
            (0x7f00_0000_1000, Some(("again", 0))),
            (0x7f00_0000_102f, Some(("again", 0x2f))),
            (0x7f00_0000_1030, None),
            (0x7f00_0000_1041, Some(("LazyCompile:~fib /app/a.js:3", 1))),
            (u64::MAX, None),
        ] {
            assert_eq!(jit.symbol(address), wanted, "{address:x}");
        }
    }

    #[test]
    fn a_name_without_end() {
        let [short, long] = [MOST_NAME, MOST_NAME + 1].map(|n| "n".repeat(n));
        let text = format!("10 8 {long}\n20 8 {short}\n30 8 {long}\n");
        assert!(parse(&text, &mut Share::default()).keys().eq(&[0x20]));
    }

    /// A runtime frees code and puts other code there, of any size.
    #[test]
    fn the_last_line_of_an_address_counts() {
        let names = |text: &str| {
            let jit = Jit { code: parse(text, &mut Share::default()), ..Jit::default() };
            let name = |at| jit.symbol(at).map(|(name, by)| format!("{name}+{by:x}"));
            [0x0f, 0x10, 0x4f, 0x50, 0x6f, 0x70, 0xff, 0x100].map(|at| name(at).unwrap_or_default())
        };
        let within = names("10 f0 old\n50 20 new\n");
        assert_eq!(within, ["", "old+0", "old+3f", "new+0", "new+1f", "old+60", "old+ef", ""]);
        let over = names("50 20 old\n10 f0 new\n");
        assert_eq!(over, ["", "new+0", "new+3f", "new+40", "new+5f", "new+60", "new+ef", ""]);
        let many = names("10 20 a\n50 20 b\n70 90 c\n10 10 d\n4f 22 new\n100 0 none\n");
        assert_eq!(many, ["", "d+0", "new+0", "new+1", "new+20", "new+21", "c+8f", ""]);
    }

    /// The lines of a file of 8 MB would take far more memory.
    #[test]
    fn a_file_of_short_lines() {
        let (mut share, text) = (Share::default(), "1 1 f\n".repeat(MOST_OF_ONE / 96));
        assert_eq!(parse(&text, &mut share).len(), 1);
        assert!(!share.grow(1 << 10));
    }

    #[test]
    fn the_file_of_ourselves() {
        let pid = std::process::id();
        let path = format!("/tmp/perf-{pid}.map");
        let mut jit = Jit::default();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        jit.read(pid);
        assert_eq!(jit.symbol(0x10), None);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "10 8 mine\n").unwrap();
        jit.read(pid);
        assert_eq!(jit.symbol(0x12), Some(("mine", 2)));
        std::fs::write(&path, "10 8 mine\n18 8 another\n").unwrap();
        // It took long to read it.
        jit.due = Some(Instant::now() + Duration::from_secs(1000));
        jit.read(pid);
        assert!(jit.symbol(0x1f).is_none() && jit.is_behind());
        jit.due = None;
        jit.read(pid);
        assert!(!jit.is_behind());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(jit.symbol(0x1f), Some(("another", 7)));
    }

    #[test]
    fn the_file_of_a_process_with_an_odd_name() {
        use std::os::unix::ffi::OsStrExt as _;
        let own = std::process::id();
        let folder = std::env::temp_dir().join(format!("dtrace-jit-{own}"));
        std::fs::create_dir(&folder).unwrap();
        // A thread's name is cut after 15 bytes, perhaps within a letter.
        let program = folder.join(std::ffi::OsStr::from_bytes(b"fourteen-bytes\xc3\xa9"));
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let mut child = std::process::Command::new(&program).arg("1000").spawn().unwrap();
        let pid = child.id();
        let path = format!("/tmp/perf-{pid}.map");
        std::fs::write(&path, "10 8 odd\n").unwrap();
        let mut jit = Jit::default();
        jit.read(pid);
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(jit.symbol(0x12), Some(("odd", 2)));
    }

    /// The next process with the pid, perhaps another user's, has no file itself.
    #[test]
    fn a_pid_that_comes_back() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = child.id();
        let started = process::started(pid);
        let found = [started, started.map(|s| s - 1)].map(|started| {
            let code = parse("10 8 old\n", &mut Share::default());
            let mut jit = Jit { started, code, ..Jit::default() };
            jit.read(pid);
            jit.symbol(0x12).is_some()
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, [true, false]);
    }

    /// Others took too much memory when the file was read first.
    #[test]
    fn a_file_that_was_cut_is_read_again() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = child.id();
        let path = format!("/tmp/perf-{pid}.map");
        std::fs::write(&path, "10 8 cut\n").unwrap();
        let mut jit = Jit::default();
        on_behalf(Account::user(77), || {
            let hog = |size| {
                let mut share = Share::default();
                share.grow(size).then_some(share)
            };
            let sizes = (12..26).rev().map(|bits| 1 << bits);
            let _hogs: Vec<Share> =
                sizes.flat_map(|n| std::iter::from_fn(move || hog(n))).collect();
            jit.read(pid);
        });
        let was_cut = jit.symbol(0x12).is_none();
        jit.read(pid);
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((was_cut, jit.symbol(0x12)), (true, Some(("cut", 2))));
    }

    #[test]
    fn the_file_that_a_process_leaves() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = child.id();
        let path = format!("/tmp/perf-{pid}.map");
        let mut jit = Jit::default();
        jit.read(pid);
        std::fs::write(&path, "10 8 late\n").unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        jit.read(pid);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(jit.symbol(0x12), Some(("late", 2)));
    }
}
