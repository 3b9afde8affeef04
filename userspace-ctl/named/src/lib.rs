// SPDX-License-Identifier: GPL-2.0
//! Opens files that the user of the command names.
//!
//! Members of group `dtrace` run the command with CAP_SYS_PTRACE, which they do not have
//! themselves. With it, `/proc/PID/root` and `/proc/PID/cwd` lead into folders that are closed to
//! them: the private `/tmp` of a service, or another user's home. So no path goes through a link of
//! a process (`RESOLVE_NO_MAGICLINKS`), except to the descriptors that we were started with:
//! `/dev/stdout`, and `/dev/fd/63` of a shell's `<(...)`.
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
#![deny(missing_docs, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

use rustix::fs::{unlinkat, AtFlags, Mode, OFlags, ResolveFlags, CWD};
use rustix::io::{retry_on_intr, Errno};
use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const REFUSED: &str =
    "its path leads through a link of a process in /proc, which dtrace does not follow, or through \
     a loop of links";

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// To read it.
    Read,
    /// To append to it; it is created if it is missing.
    Append,
    /// To write it anew.
    Replace,
}

impl Use {
    fn flags(self) -> OFlags {
        match self {
            Self::Read => OFlags::RDONLY,
            Self::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
            Self::Replace => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        }
    }
}

/// Opens a file.
pub fn open(path: impl AsRef<Path>, how: Use) -> io::Result<File> {
    Ok(find(path.as_ref(), how.flags())?.into())
}

/// Reads a file.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, Use::Read)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the paths of what is in a folder.
pub fn list(path: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
    let path = path.as_ref();
    let folder = find(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
    let entries = std::fs::read_dir(of_ours(folder.as_raw_fd()))?;
    entries.map(|entry| Ok(path.join(entry?.file_name()))).collect()
}

/// Replaces a file by way of a temporary one beside it, so that it always has its old or its new
/// content. It keeps its mode if it was a file of ours.
pub fn replace(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    let path = path.as_ref();
    let Some(name) = path.file_name().filter(|_| descriptor(path).is_none()) else {
        return open(path, Use::Replace)?.write_all(bytes);
    };
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = find(parent, OFlags::PATH | OFlags::DIRECTORY)?;
    let mut beside = name.to_os_string();
    beside.push(format!(".{}", std::process::id()));
    let beside = Path::new(&beside);
    let create =
        || below(&folder, beside, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL).map(File::from);
    let mut file = match create() {
        // It is left over, or somebody else's link to a file of ours.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            unlinkat(&folder, beside, AtFlags::empty())?;
            create()?
        }
        created => created?,
    };
    let mut write = || {
        file.write_all(bytes)?;
        if let Ok(old) = below(&folder, Path::new(name), OFlags::PATH | OFlags::NOFOLLOW) {
            let old = File::from(old).metadata()?;
            // The owner of the folder may have put a file there whose mode would let others run or
            // change ours.
            if old.is_file() && old.uid() == file.metadata()?.uid() {
                file.set_permissions(Permissions::from_mode(old.mode() & 0o777))?;
            }
        }
        Ok(rustix::fs::renameat(&folder, beside, &folder, name)?)
    };
    write().inspect_err(|_| {
        let _ = unlinkat(&folder, beside, AtFlags::empty());
    })
}

/// Opens what is at a path, or a descriptor that we were started with.
fn find(path: &Path, how: OFlags) -> io::Result<OwnedFd> {
    if let Some(n) = descriptor(path) {
        return plain(CWD, Path::new(&of_ours(n)), how);
    }
    let refused = match below(CWD, path, how) {
        Err(e) if e.raw_os_error() == Some(libc::ELOOP) => io::Error::other(REFUSED),
        found => return found,
    };
    // A link to `/dev/stdout` is usual where containers keep their logs.
    match std::fs::read_link(path).ok().and_then(|to| descriptor(&to)) {
        Some(n) => plain(CWD, Path::new(&of_ours(n)), how),
        None => Err(refused),
    }
}

/// Opens what is at a path, which does not lead through a link of a process.
fn below(at: impl AsFd, path: &Path, how: OFlags) -> io::Result<OwnedFd> {
    let (at, resolve) = (at.as_fd(), ResolveFlags::NO_MAGICLINKS);
    let how = how | OFlags::CLOEXEC;
    match retry_on_intr(|| rustix::fs::openat2(at, path, how, mode(how), resolve)) {
        // Kernels before 5.6 cannot trace, but recordings are drawn on any machine.
        Err(Errno::NOSYS) => plain(at, path, how),
        found => Ok(found?),
    }
}

/// Opens what is at a path.
fn plain(at: impl AsFd, path: &Path, how: OFlags) -> io::Result<OwnedFd> {
    let (at, how) = (at.as_fd(), how | OFlags::CLOEXEC);
    // Opening a FIFO waits for its other end, and signals interrupt that.
    Ok(retry_on_intr(|| rustix::fs::openat(at, path, how, mode(how)))?)
}

/// Returns the mode of a new file; openat2() takes none for others.
fn mode(how: OFlags) -> Mode {
    Mode::from_raw_mode(if how.contains(OFlags::CREATE) { 0o666 } else { 0 })
}

fn of_ours(descriptor: i32) -> String {
    format!("/proc/self/fd/{descriptor}")
}

/// Returns the number in the name of a descriptor that we were started with.
fn descriptor(path: &Path) -> Option<i32> {
    let n = match path.to_str()? {
        "/dev/stdin" => 0,
        "/dev/stdout" => 1,
        "/dev/stderr" => 2,
        path => {
            let n =
                path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/"))?;
            n.parse().ok().filter(|_| n.bytes().all(|b| b.is_ascii_digit()))?
        }
    };
    // Those that we have opened ourselves may be files of processes. They are closed on exec, so
    // nobody can have given them to us.
    let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{n}")).ok()?;
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"))?;
    let flags = i32::from_str_radix(flags.trim(), 8).ok()?;
    (flags & libc::O_CLOEXEC == 0).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_and_links() {
        let folder = std::env::temp_dir().join(format!("dtrace-named-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        let text = |name: &str| String::from_utf8(read(at(name)).unwrap()).unwrap();
        open(at("a"), Use::Append).unwrap().write_all(b"one").unwrap();
        open(at("a"), Use::Append).unwrap().write_all(b"two").unwrap();
        symlink("a", at("link")).unwrap();
        assert_eq!(text("link"), "onetwo");
        open(at("link"), Use::Replace).unwrap().write_all(b"three").unwrap();
        assert_eq!(text("a"), "three");
        // What lies beside the file, even a link, is not written to.
        symlink("a", at(&format!("b.{}", std::process::id()))).unwrap();
        replace(at("b"), b"new").unwrap();
        std::fs::set_permissions(at("b"), Permissions::from_mode(0o751)).unwrap();
        replace(at("b"), b"newer").unwrap();
        assert_eq!((text("a"), text("b")), ("three".into(), "newer".into()));
        assert_eq!(at("b").metadata().unwrap().permissions().mode() & 0o7777, 0o751);
        let mut names = list(&folder).unwrap();
        names.sort();
        assert_eq!(names, ["a", "b", "link"].map(at));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// The owner of the folder chooses what lies in it, and root replaces it.
    #[test]
    fn only_a_file_of_ours_gives_its_mode() {
        let folder = std::env::temp_dir().join(format!("dtrace-mode-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        let mode = |name: &str| at(name).metadata().unwrap().mode() & 0o7777;
        let give = |name: &str, mode| {
            std::fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        };
        replace(at("new"), b"").unwrap();
        let usual = mode("new");
        assert_eq!(usual & 0o7133, 0, "{usual:o}");
        replace(at("ours"), b"").unwrap();
        give("ours", 0o7664);
        replace(at("ours"), b"").unwrap();
        assert_eq!(mode("ours"), 0o664);
        give("ours", 0o777);
        symlink("ours", at("link")).unwrap();
        replace(at("link"), b"").unwrap();
        assert_eq!(mode("link"), usual);
        // Only root can make a file of somebody else.
        replace(at("theirs"), b"").unwrap();
        give("theirs", 0o777);
        if std::os::unix::fs::chown(at("theirs"), Some(1), None).is_ok() {
            replace(at("theirs"), b"").unwrap();
            assert_eq!(mode("theirs"), usual);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn links_of_processes() {
        let folder = std::env::temp_dir().join(format!("dtrace-magic-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        symlink(format!("/proc/self/root{}", folder.display()), folder.join("up")).unwrap();
        symlink("self", folder.join("self")).unwrap();
        for path in ["/proc/self/root/etc/passwd", "/proc/self/exe", "/proc/thread-self/fd/0"] {
            assert_eq!(read(path).unwrap_err().to_string(), REFUSED, "{path}");
        }
        assert!(read(folder.join("self")).is_err());
        assert!(list("/proc/self/root/etc").is_err() && list("/etc").is_ok());
        let new = folder.join("up/new");
        assert!(open(&new, Use::Append).is_err() && open(&new, Use::Replace).is_err());
        assert!(replace(&new, b"").is_err() && !folder.join("new").exists());
        // A descriptor that we have opened ourselves.
        let file = File::open("/etc/passwd").unwrap();
        for path in [of_ours(file.as_raw_fd()), format!("/dev/fd/{}", file.as_raw_fd())] {
            assert!(read(&path).is_err(), "{path}");
        }
        assert_eq!(descriptor(Path::new("/dev/stdin")), Some(0));
        for path in ["/dev/fd/", "/dev/fd/+0", "/dev/fd/0/x", "/dev/fd/99999", "/dev/null"] {
            assert_eq!(descriptor(Path::new(path)), None, "{path}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
