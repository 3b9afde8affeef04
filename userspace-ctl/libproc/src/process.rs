// SPDX-License-Identifier: GPL-2.0
//! A process and its objects, each read when it is needed.

use crate::expand::Placed;
use crate::files;
use crate::image::{Chosen, Image};
pub use crate::images::Images;
use crate::locks;
use crate::maps::{self, Identity, Map};
use crate::patient;
use crate::ranges::Ranges;
use crate::stapsdt::Note;
use crate::work::Beat;
use abi::unwind::Key;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

/// The program, or one of its libraries.
#[derive(Debug)]
pub struct Object {
    /// The file's name.
    pub name: String,
    /// Tells whether it is the program itself.
    pub is_program: bool,
    map: Map,
    image: OnceCell<(Rc<Image>, u64)>,
    chosen: OnceCell<Chosen>,
}

impl Object {
    /// Returns its file, and by how much its addresses are higher in the process.
    pub fn image(&self, pid: u32, images: &Images) -> &(Rc<Image>, u64) {
        self.image.get_or_init(|| {
            let image = images.open(pid, &self.map);
            let nothing = || image.file().map(Image::nothing).unwrap_or_default();
            match image.bias(&self.map) {
                Some(bias) => (image, bias),
                None => (Rc::new(nothing()), 0),
            }
        })
    }

    /// Tells whether its file could be opened, and whether there was memory for all of it.
    pub fn is_read(&self, pid: u32, images: &Images) -> bool {
        let (image, _) = self.image(pid, images);
        image.is_open() && !image.was_short()
    }

    /// Tells whether others took so much memory that some of its file was left out.
    pub fn was_short(&self) -> bool {
        self.image.get().is_some_and(|(image, _)| image.was_short())
    }

    /// Returns it as it is in the process.
    pub fn placed<'a>(&'a self, pid: u32, images: &Images) -> Placed<'a> {
        let (image, bias) = self.image(pid, images);
        Placed { module: &self.name, image, bias: *bias, file: self.map.mapped_file() }
    }

    /// Returns the functions that its resolvers have chosen. Each process may have others.
    pub fn chosen(&self, pid: u32, images: &Images) -> &Chosen {
        self.chosen.get_or_init(|| {
            let (image, bias) = self.image(pid, images);
            image.chosen(pid, *bias)
        })
    }

    /// Returns the probes that it brings along. `None`: its file could not be opened, or there was
    /// [no memory](Images::was_short) for them.
    pub fn notes(&self, pid: u32, images: &Images) -> Option<Rc<[Note]>> {
        images.notes(&self.map.open(pid)?)
    }

    /// Returns the DOF with which it registers probes, unrelocated, as in the file: one DOF behind
    /// the other.
    pub fn dof(&self, pid: u32, images: &Images) -> Rc<[u8]> {
        self.map.open(pid).and_then(|file| images.dof(&file)).unwrap_or_default()
    }

    /// Tells whether `name` means this object: `a.out` is the program, `libc` also `libc.so.6`,
    /// `""` any.
    pub fn is_called(&self, name: &str) -> bool {
        let is_short = || self.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        abi::probe::part_matches(name.as_bytes(), self.name.as_bytes())
            || name == PROGRAM && self.is_program
            || !abi::probe::is_glob(name.as_bytes()) && is_short()
    }

    /// Tells whether an address is in its code.
    pub fn covers(&self, address: u64) -> bool {
        (self.map.start..self.map.end).contains(&address)
    }

    /// Returns the module's key of the file, if all of it was read and it brings along no probes of
    /// these providers. The process may change its mappings meanwhile, so the key and the probes
    /// are those of one open file.
    pub fn key_without(
        &self,
        pid: u32,
        images: &Images,
        may_mean: &dyn Fn(&str) -> bool,
        beat: Beat,
    ) -> Option<Key> {
        let file = self.map.open(pid)?;
        let has_locks = || {
            let (image, _) = self.image(pid, images);
            image.file().is_none() || image.is_cut() || !locks::probes(image, beat).is_empty()
        };
        let notes = images.notes(&file)?;
        let has_some =
            notes.iter().any(|n| may_mean(&n.provider)) || may_mean(locks::PROVIDER) && has_locks();
        (!has_some).then(|| self.map.key(&file)).flatten()
    }

    /// Returns its address and its file.
    pub fn key(&self) -> (u64, &Identity) {
        (self.map.start, &self.map.identity)
    }
}

/// The name of the program itself in descriptions.
pub const PROGRAM: &str = "a.out";

/// A process as it was at one moment.
#[derive(Debug, Default)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// Its objects, by address.
    pub objects: Vec<Object>,
    writable: Ranges,
}

impl Process {
    /// Reads the current mappings. A kernel thread has no objects.
    pub fn read(pid: u32) -> io::Result<Self> {
        let maps = maps::read(pid)?;
        let entry = entry(pid);
        let writable = maps.iter().filter(|m| m.is_writable).map(|m| m.start..m.end).collect();
        let code = maps.into_iter().filter(|m| m.is_executable && m.is_file());
        let objects = code.map(|map| Object {
            name: map.name().to_string(),
            is_program: entry.is_some_and(|at| (map.start..map.end).contains(&at)),
            map,
            image: OnceCell::new(),
            chosen: OnceCell::new(),
        });
        Ok(Self { pid, objects: objects.collect(), writable })
    }

    /// Tells whether the process can write to an address.
    pub fn may_write(&self, address: u64) -> bool {
        self.writable.has(address)
    }

    /// Returns the objects that a name or a glob means; an exact name has precedence.
    pub fn called<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Object> {
        let is_exact = self.objects.iter().any(|o| o.name == name);
        let hits = move |o: &&Object| if is_exact { o.name == name } else { o.is_called(name) };
        self.objects.iter().filter(hits)
    }
}

/// Returns the ids of all processes.
pub fn all() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect()
}

/// Returns all processes with whether they are running now: those that are first, then by CPU time
/// used.
pub fn busiest() -> Vec<(u32, bool)> {
    let about = |pid| {
        let text = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
        let (is_running, ticks) = load(&String::from_utf8_lossy(&text)).unwrap_or_default();
        (!is_running, Reverse(ticks), pid)
    };
    let mut all: Vec<_> = all().into_iter().map(about).collect();
    all.sort_unstable();
    all.into_iter().map(|(is_idle, _, pid)| (pid, !is_idle)).collect()
}

/// Parses the text of a process's `stat`: whether it is running, and its CPU time in ticks.
fn load(stat: &str) -> Option<(bool, u64)> {
    // The name in front may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_ascii_whitespace();
    let is_running = words.next()? == "R";
    let ticks = words.skip(10).take(2).map_while(|n| n.parse::<u64>().ok());
    Some((is_running, ticks.sum()))
}

/// Returns when a process started, in ticks since boot; `None`: it does not exist. A pid comes
/// back, but not at the same tick.
pub fn started(pid: u32) -> Option<u64> {
    start_of(&String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/stat")).ok()?))
}

/// Parses the text of a process's `stat`: when it started.
fn start_of(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Returns the processes that have a program, each with the device and inode of the program's file.
pub fn running() -> HashSet<(u32, [u64; 2])> {
    let program = |pid| {
        let exe = std::fs::metadata(format!("/proc/{pid}/exe")).ok()?;
        Some((pid, [exe.dev(), exe.ino()]))
    };
    all().into_iter().filter_map(program).collect()
}

/// Reads a little-endian number of at most eight bytes.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

/// Returns the bytes of an address in a process.
pub fn word(pid: u32) -> io::Result<usize> {
    // Byte 4 of the program is its class; 1: 32 bits.
    let mut head = [0; 5];
    files::program(pid)?.read_exact(&mut head)?;
    Ok(if head[4] == 1 { 4 } else { 8 })
}

/// Returns the address where the program begins, from the kernel's auxiliary vector.
pub fn entry(pid: u32) -> Option<u64> {
    const AT_ENTRY: u64 = 9;
    let word = word(pid).ok()?;
    let auxv = std::fs::read(format!("{}/auxv", patient::folder(pid))).ok()?;
    let mut pairs = auxv.chunks_exact(2 * word).map(|p| p.split_at(word));
    pairs.find(|p| number(p.0) == AT_ENTRY).map(|p| number(p.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_state::FileState;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    #[inline(never)]
    extern "C" fn landmark(n: u64) -> u64 {
        std::hint::black_box(n)
    }

    #[test]
    fn who_is_busy() {
        let stat = "7 (a) R 9) R 1 7 7 0 -1 4194560 90 0 1 0 25 17 0 0 20 0 1 0 333 1000 90";
        assert_eq!(load(stat), Some((true, 42)));
        assert_eq!(load("8 (b) S 1 8 8 0 -1 0 0 0 0 0 3 4 0 0"), Some((false, 7)));
        assert_eq!(load("8 b S"), None);
        assert_eq!([start_of(stat), start_of("8 (b) S 1")], [Some(333), None]);
        assert!(busiest().iter().any(|p| p.0 == std::process::id()));
    }

    /// After a write to a file in place, its new content is read, and no probe is asked for with
    /// the old one.
    #[test]
    fn a_file_that_is_written_to() {
        let path = std::env::temp_dir().join(format!("dtrace-state-{}", std::process::id()));
        std::fs::copy("/lib64/ld-linux-x86-64.so.2", &path).unwrap();
        let open = || File::open(&path).unwrap();
        let first = FileState::read(&open()).unwrap();
        assert_eq!(FileState::read(&open()), Some(first));
        let image = Image::read(Rc::new(open()), "/nowhere", None).unwrap();
        let f = &image.functions()[3];
        let (address, code) = (f.address, image.code(f.address, 8));
        let expected = image.expected(address, &[0]).unwrap();
        assert_eq!(expected[0].to_vec(), code);
        assert_eq!(image.expected(address, &[0, 3]).unwrap()[1][..5], code[3..]);
        // The file has the same size, and its time is set back.
        let times = std::fs::metadata(&path).unwrap().modified().unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(&[0xf4], 0x300).unwrap();
        file.set_modified(times).unwrap();
        assert_ne!(FileState::read(&open()), Some(first));
        assert_eq!(image.expected(address, &[0]), None);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn ourselves() {
        let me = Process::read(std::process::id()).unwrap();
        let own: Vec<_> = me.called(PROGRAM).collect();
        assert!(own.len() == 1 && own[0].is_program, "{own:?}");
        let images = Images::default();
        let (image, bias) = own[0].image(me.pid, &images);
        let at = (landmark as *const () as u64).wrapping_sub(*bias);
        let here: Vec<_> = image.functions().iter().filter(|f| f.address == at).collect();
        assert!(here.iter().any(|f| f.name.contains("landmark")), "{here:?}");
        assert!(!image.code(at, 16).is_empty() && image.is_native && image.is_dynamic);
        // The library can be found by both names.
        let libc: Vec<_> = me.called("libc.so.6").map(|o| &o.map).collect();
        assert_eq!(libc, me.called("libc").map(|o| &o.map).collect::<Vec<_>>());
        assert!(libc.len() == 1 && me.called("lib").count() == 0 && me.called("lib*").count() > 0);
        assert_eq!(me.called("").count(), me.objects.len());
        let on_stack = 0u8;
        let may_write = [&on_stack as *const u8 as u64, landmark as *const () as u64, 0];
        assert_eq!(may_write.map(|at| me.may_write(at)), [true, false, false]);
        assert!(Process::read(u32::MAX).is_err());
    }
}
