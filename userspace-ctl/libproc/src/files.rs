// SPDX-License-Identifier: GPL-2.0
//! Opens files on behalf of a process, and reads objects out of them.
//!
//! A process decides the names of its mappings, and the author of an object decides which debug
//! file it names. Both may want root's dtrace to open a FIFO without a writer, a watchdog, an
//! endless device, or a file outside of their container. So every path that comes from a process or
//! from one of its files is opened here:
//!
//! - below the root directory of the process, which neither `..` nor an absolute symlink leaves
//!   (`RESOLVE_IN_ROOT`), and through no link of `/proc` (`RESOLVE_NO_MAGICLINKS`);
//! - with `O_PATH` first, which calls no driver and does not block; then the file is opened for
//!   reading, if it is a regular file of at most [`MOST`] bytes;
//! - and reading of it is limited to [`MOST_READ`].
//!
//! `/proc/PID/maps`, `mem`, `auxv` and `status` are the kernel's own files and are opened where
//! they are read.

use crate::budget;
use crate::limit::noted;
use crate::patient;
use object::{Object, ObjectSection, ReadCache, ReadRef};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Statx, StatxFlags, CWD};
use rustix::io::Errno;
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::rc::Rc;

/// The most bytes of a file that we read. A sparse file costs its author nothing.
const MOST: u64 = 16 << 30;
/// The most bytes read from a file while it is parsed, unless an eighth of the memory is less: they
/// are kept meanwhile, and nobody is charged for them.
const MOST_READ: u64 = 1 << 30;
/// The most bytes of a text that ends with a certain byte.
const MOST_TEXT: u64 = 4096;
/// The memory of each piece that was read, in addition to its bytes: its place in a map that may be
/// half empty, and the least that an allocation takes.
const OVERHEAD: u64 = 128;
/// The most bytes of a section that describes a file's probes.
const MOST_SECTION: u64 = 16 << 20;
/// How often a path is looked up again if something is renamed meanwhile.
const TRIES: usize = 16;

/// A directory that serves as the root of all paths.
#[derive(Debug)]
pub(crate) struct Root(OwnedFd);

impl Root {
    /// Opens the root of a process.
    pub(crate) fn of_process(pid: u32) -> io::Result<Self> {
        Self::at(&format!("{}/root", patient::folder(pid)))
    }

    /// Opens our own root.
    pub(crate) fn ours() -> io::Result<Self> {
        Self::at("/")
    }

    fn at(path: &str) -> io::Result<Self> {
        let how = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, how, Mode::empty());
        Ok(Self(noted(opened.map_err(io::Error::from))?))
    }

    /// Opens the regular file at this path.
    pub(crate) fn open(&self, path: &str) -> io::Result<File> {
        self.find(path, OFlags::empty())
    }

    /// Opens the regular file at this path, unless the last name is a link.
    pub(crate) fn open_no_link(&self, path: &str) -> io::Result<File> {
        self.find(path, OFlags::NOFOLLOW)
    }

    fn find(&self, path: &str, how: OFlags) -> io::Result<File> {
        let how = how | OFlags::PATH | OFlags::CLOEXEC;
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let mut tries = 0..TRIES;
        loop {
            match rustix::fs::openat2(&self.0, path, how, Mode::empty(), resolve) {
                Err(Errno::AGAIN) if tries.next().is_some() => {}
                found => return regular(&noted(found.map_err(io::Error::from))?),
            }
        }
    }
}

/// Identifies the files that a process sees, by the mount and the inode of its root. The kernel
/// never uses the number of this mount for another one, and a [`View`] keeps the inode, unless it is
/// that of our own root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ViewId {
    mount: u64,
    device: (u32, u32),
    inode: u64,
}

impl ViewId {
    /// Returns what identifies the files that a process sees now.
    pub(crate) fn of_process(pid: u32) -> Option<Self> {
        Self::at(CWD, &format!("{}/root", patient::folder(pid)), AtFlags::empty())
    }

    /// Returns what identifies the files that we see.
    pub(crate) fn ours() -> Option<Self> {
        Self::at(CWD, "/", AtFlags::empty())
    }

    fn at(from: impl AsFd, path: &str, how: AtFlags) -> Option<Self> {
        let about = about(from, path, how)?;
        Some(Self {
            mount: about.stx_mnt_id,
            device: (about.stx_dev_major, about.stx_dev_minor),
            inode: about.stx_ino,
        })
    }
}

/// Returns what the kernel knows of a file without asking its file system, with the unique number
/// of its mount.
fn about(from: impl AsFd, path: &str, how: AtFlags) -> Option<Statx> {
    /// `STATX_MNT_ID_UNIQUE`, since Linux 6.8.
    const UNIQUE: u32 = 0x4000;
    let wanted = StatxFlags::from_bits_retain(UNIQUE) | StatxFlags::INO;
    let about = rustix::fs::statx(from, path, how | AtFlags::STATX_DONT_SYNC, wanted).ok()?;
    (about.stx_mask & UNIQUE != 0).then_some(about)
}

/// Returns a number of the mount of an open file that no other mount ever gets.
pub(crate) fn unique_mount(file: &File) -> Option<u64> {
    about(file, "", AtFlags::EMPTY_PATH).map(|about| about.stx_mnt_id)
}

/// The files that a process sees, also after it has ended.
#[derive(Debug)]
pub struct View {
    /// Its root; `None`: it sees the same files as we do. Our own root is there anyway, so most views
    /// have no open file.
    root: Option<Root>,
    id: ViewId,
    /// The prefix of our paths to the files below its root, if its root is not ours (`chroot`).
    prefix: String,
}

impl View {
    /// Makes the view of a process that has not ended.
    pub(crate) fn of_process(pid: u32) -> Option<Self> {
        let folder = patient::folder(pid);
        let prefix = std::fs::read_link(format!("{folder}/root")).ok()?;
        let prefix = prefix.to_str()?.trim_end_matches('/').to_string();
        Self::new(Root::of_process(pid).ok()?, prefix)
    }

    fn new(root: Root, prefix: String) -> Option<Self> {
        let id = ViewId::at(&root.0, "", AtFlags::EMPTY_PATH)?;
        let is_ours = ViewId::ours() == Some(id);
        Some(Self { root: (!is_ours).then_some(root), id, prefix })
    }

    #[cfg(test)]
    pub(crate) fn below(root: &std::path::Path) -> Option<Self> {
        Self::new(Root::at(root.to_str()?).ok()?, String::new())
    }

    /// Returns what identifies these files.
    pub(crate) fn id(&self) -> ViewId {
        self.id
    }

    /// Tells whether the process sees the same files as we do.
    pub(crate) fn is_ours(&self) -> bool {
        self.root.is_none()
    }

    /// Opens the regular file at this path, which is ours or the process's own, as in
    /// `/proc/PID/maps`.
    pub(crate) fn open(&self, path: &str) -> io::Result<File> {
        let inside = path.strip_prefix(&self.prefix).filter(|rest| rest.starts_with('/'));
        match &self.root {
            Some(root) => root.open(inside.unwrap_or(path)),
            None => Root::ours()?.open(inside.unwrap_or(path)),
        }
    }
}

/// Opens the file that a process has mapped in this range, whatever its name means now.
pub(crate) fn mapped(pid: u32, range: &Range<u64>) -> io::Result<File> {
    let path = format!("/proc/{pid}/map_files/{:x}-{:x}", range.start, range.end);
    patient::ask(pid, move || link(&path))
}

/// Opens the file of the program that a process runs.
pub(crate) fn program(pid: u32) -> io::Result<File> {
    link(&format!("{}/exe", patient::folder(pid)))
}

/// Opens the target of one of the kernel's links.
fn link(path: &str) -> io::Result<File> {
    let opened = rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    regular(&noted(opened.map_err(io::Error::from))?)
}

/// Opens a file for reading, if it is a regular file. Reading a regular file never waits for a
/// writer, and with `O_NONBLOCK` opening it does not wait for the holder of a lease.
fn regular(found: &OwnedFd) -> io::Result<File> {
    let about = rustix::fs::fstat(found)?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    if u64::try_from(about.st_size).is_ok_and(|size| size > MOST) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut how = File::options();
    how.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    noted(how.open(format!("/proc/self/fd/{}", found.as_raw_fd())))
}

/// A file that is read as an object: the bytes read are kept, and are limited to [`MOST_READ`].
/// Bytes that are read again count again, so the limit also bounds the time.
#[derive(Debug)]
pub(crate) struct Source<'f> {
    content: Content<'f>,
    room: Rc<Cell<u64>>,
}

#[derive(Debug)]
enum Content<'f> {
    File(ReadCache<&'f File>),
    Memory(&'f [u8]),
}

impl<'f> Source<'f> {
    pub(crate) fn new(file: &'f File) -> Self {
        let most = budget::memory().map_or(MOST_READ, |bytes| MOST_READ.min(bytes as u64 / 8));
        Self { content: Content::File(ReadCache::new(file)), room: Rc::new(Cell::new(most)) }
    }

    /// Reads another file within the limit of this one: the bytes of both are kept.
    pub(crate) fn beside<'g>(&self, file: &'g File) -> Source<'g> {
        Source { content: Content::File(ReadCache::new(file)), room: self.room.clone() }
    }

    /// Reads a file that is in memory.
    pub(crate) fn of_bytes(bytes: &'f [u8]) -> Self {
        Self { content: Content::Memory(bytes), room: Rc::new(Cell::new(MOST_READ)) }
    }

    /// Returns the object, if the file is one.
    pub(crate) fn elf(&self) -> Option<object::File<'_, Bytes<'_, 'f>>> {
        object::File::parse(Bytes(self)).ok()
    }
}

/// Returns the bytes of a section, which is small in any honest file.
pub(crate) fn section<'d>(elf: &impl Object<'d>, name: &str) -> Option<&'d [u8]> {
    let section = elf.section_by_name(name).filter(|s| s.size() <= MOST_SECTION)?;
    section.data().ok()
}

/// The bytes of a [`Source`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'d, 'f>(&'d Source<'f>);

impl Bytes<'_, '_> {
    fn charge(&self, size: u64) -> Result<(), ()> {
        let left = self.0.room.get().checked_sub(size).ok_or(())?;
        self.0.room.set(left);
        Ok(())
    }
}

impl<'d> ReadRef<'d> for Bytes<'d, '_> {
    fn len(self) -> Result<u64, ()> {
        match &self.0.content {
            Content::File(cache) => cache.len(),
            Content::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'d [u8], ()> {
        self.charge(size.saturating_add(OVERHEAD))?;
        match &self.0.content {
            Content::File(cache) => cache.read_bytes_at(offset, size),
            Content::Memory(bytes) => bytes.read_bytes_at(offset, size),
        }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'d [u8], ()> {
        let most = MOST_TEXT.min(range.end.saturating_sub(range.start));
        let range = range.start..range.start.saturating_add(most);
        let found = match &self.0.content {
            Content::File(cache) => cache.read_bytes_at_until(range, delimiter),
            Content::Memory(bytes) => bytes.read_bytes_at_until(range, delimiter),
        };
        let size = found.map_or(most, |bytes| bytes.len() as u64);
        self.charge(size.saturating_add(OVERHEAD))?;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("dtrace-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn root(&self) -> Root {
            Root::at(self.0.to_str().unwrap()).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn text(file: io::Result<File>) -> String {
        io::read_to_string(file.unwrap()).unwrap()
    }

    #[test]
    fn nothing_leaves_the_root() {
        let folder = Folder::new("root");
        let at = |name: &str| folder.0.join(name);
        std::fs::write(at("secret"), "outside").unwrap();
        std::fs::create_dir_all(at("jail/tmp")).unwrap();
        std::fs::write(at("jail/secret"), "inside").unwrap();
        symlink("/secret", at("jail/absolute")).unwrap();
        symlink("../../../secret", at("jail/tmp/up")).unwrap();
        symlink("/proc/self/root", at("jail/magic")).unwrap();
        let root = Root::at(at("jail").to_str().unwrap()).unwrap();
        for path in ["/secret", "/absolute", "/tmp/up", "/../secret", "/tmp/../../secret"] {
            assert_eq!(text(root.open(path)), "inside", "{path}");
        }
        assert!(root.open_no_link("/absolute").is_err());
        assert!(root.open("/magic/etc/passwd").is_err());
        // `/proc` is no way out of the root that contains it either.
        let whole = Root::ours().unwrap();
        assert!(whole.open("/etc/passwd").is_ok());
        assert!(whole.open("/proc/self/root/etc/passwd").is_err());
    }

    #[test]
    fn regular_files_only() {
        let folder = Folder::new("kinds");
        let at = |name: &str| folder.0.join(name);
        // Opening the FIFO for reading would wait for a writer.
        rustix::fs::mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        symlink("fifo", at("to-fifo")).unwrap();
        symlink("loop", at("loop")).unwrap();
        std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        File::create(at("large")).unwrap().set_len(MOST + 1).unwrap();
        std::fs::write(at("file"), "text").unwrap();
        let root = folder.root();
        for path in ["fifo", "to-fifo", "loop", "socket", "large", "", ".", "none", "file/"] {
            assert!(root.open(path).is_err(), "{path}");
        }
        assert_eq!(text(root.open("file")), "text");
        let ours = Root::ours().unwrap();
        for path in ["/dev/zero", "/dev/null", "/dev/tty", "/dev"] {
            assert!(ours.open(path).is_err(), "{path}");
        }
    }

    #[test]
    fn what_a_process_runs_and_maps() {
        let pid = std::process::id();
        assert!(program(pid).is_ok() && program(u32::MAX).is_err());
        let file = program(pid).unwrap();
        assert!(Source::new(&file).elf().unwrap().is_64());
        assert!(mapped(pid, &(0..4096)).is_err());
    }

    /// An empty file claims to have four thousand million sections.
    #[test]
    fn a_file_cannot_have_us_read_without_end() {
        let folder = Folder::new("sparse");
        let mut bytes = std::fs::read("/proc/self/exe").unwrap()[..64].to_vec();
        let sections = MOST - 64 - (1 << 20);
        bytes[0x28..0x30].copy_from_slice(&64u64.to_le_bytes());
        // So many sections that the first one holds their number.
        bytes[0x3c..0x3e].fill(0);
        let mut first = [0; 64];
        first[0x20..0x28].copy_from_slice(&(sections / 64).to_le_bytes());
        bytes.extend_from_slice(&first);
        let path = folder.0.join("sparse");
        std::fs::write(&path, &bytes).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(MOST).unwrap();
        let file = folder.root().open("sparse").unwrap();
        assert!(Source::new(&file).elf().is_none());
    }

    #[test]
    fn two_files_have_one_limit() {
        let file = program(std::process::id()).unwrap();
        let first = Source::new(&file);
        let second = first.beside(&file);
        assert!(Bytes(&second).read_bytes_at(0, 4).is_ok());
        first.room.set(4 + OVERHEAD);
        assert!(Bytes(&first).read_bytes_at(0, 4).is_ok());
        assert!(Bytes(&second).read_bytes_at(0, 4).is_err());
    }

    /// A map of strings is half empty, and the allocator has no blocks of one byte.
    #[test]
    fn a_short_string_is_charged_its_memory() {
        let place = size_of::<(u64, u8)>() + size_of::<Box<[u8]>>() + 1;
        let (full, least) = (place * 16 / 7, 32);
        assert!(OVERHEAD >= (full + least) as u64);
    }
}
