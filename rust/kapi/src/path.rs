// SPDX-License-Identifier: GPL-2.0
//! Paths of files and directories. The kernel's own `d_path()` takes locks that the interrupted code
//! may hold, so this walks up with loads that may fail. A rename or a move meanwhile may give a path
//! that never existed.
//!
//! # Context
//!
//! *any*, NMI included

use crate::nofault;
use crate::sys;
use crate::task;
use core::mem::offset_of;
use kernel::bindings::{self, dentry, hlist_node, qstr, super_block, vfsmount};

/// The room for a path.
const SIZE: usize = 256;

/// The most directories and mounts on one path.
const MOST: usize = 64;

/// The flag of a file system whose objects are outside of the tree.
const SB_NOUSER: u64 = 1 << 31;

/// The fields that the kernel keeps in front of a mount's public part; a test compares the result
/// with `getcwd()`.
#[repr(C)]
struct Mount {
    hash: hlist_node,
    parent: *mut Mount,
    mountpoint: *mut dentry,
    public: vfsmount,
}

/// Loads a word of a structure.
fn load(at: u64, offset: usize) -> Option<u64> {
    nofault::read_kernel_number(at.wrapping_add(offset as u64), 8).ok()
}

/// A `struct path`: the addresses of a mount's public part and of a directory or file in it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Place {
    mount: u64,
    dentry: u64,
}

impl Place {
    fn read(at: u64) -> Option<Self> {
        let mount = load(at, offset_of!(bindings::path, mnt))?;
        Some(Self { mount, dentry: load(at, offset_of!(bindings::path, dentry))? })
    }

    /// Writes the path, seen from `end`, or from the topmost directory if `end` is not on the way.
    /// The path lies at the end of `to`, before one byte. Returns the index where it begins; `None`: a
    /// load on the way failed. A path that is too long loses its beginning.
    fn write(mut self, end: Self, to: &mut [u8; SIZE]) -> Option<usize> {
        const LAST: usize = SIZE - 1;
        let mut at = LAST;
        for _ in 0..MOST {
            if self == end {
                break;
            }
            if self.dentry == load(self.mount, offset_of!(vfsmount, mnt_root))? {
                let mount = self.mount.wrapping_sub(offset_of!(Mount, public) as u64);
                let parent = load(mount, offset_of!(Mount, parent))?;
                if parent == mount {
                    break;
                }
                self.dentry = load(mount, offset_of!(Mount, mountpoint))?;
                self.mount = parent.wrapping_add(offset_of!(Mount, public) as u64);
                continue;
            }
            let parent = load(self.dentry, offset_of!(dentry, d_parent))?;
            let name = self.dentry.wrapping_add(offset_of!(dentry, __bindgen_anon_1) as u64);
            // The upper half of this word is the length, the lower one the hash.
            let len = (load(name, offset_of!(qstr, __bindgen_anon_1))? >> 32) as usize;
            let text = load(name, offset_of!(qstr, name))?;
            let is_top = parent == self.dentry;
            // An object outside of the tree, such as a pipe, has only its own name.
            if is_top && at != LAST || len > bindings::NAME_MAX as usize {
                break;
            }
            if len >= at && at == LAST {
                // Only its end has room.
                let text = text.wrapping_add(len.wrapping_sub(at) as u64);
                nofault::read_kernel(text, to.get_mut(..at)?).ok()?;
                return Some(0);
            }
            if len >= at {
                break;
            }
            let begin = at.wrapping_sub(len);
            nofault::read_kernel(text, to.get_mut(begin..at)?).ok()?;
            at = begin;
            if is_top {
                return Some(at);
            }
            at = at.wrapping_sub(1);
            *to.get_mut(at)? = b'/';
            self.dentry = parent;
        }
        if at == LAST {
            at = at.wrapping_sub(1);
            *to.get_mut(at)? = b'/';
        }
        Some(at)
    }
}

/// Returns the process's root or its current directory.
fn of_process(which: Dir) -> Option<Place> {
    let at = match which {
        Dir::Current => sys::kapi_fs_pwd,
        Dir::Root => sys::kapi_fs_root,
    };
    let fs = task::directories();
    (fs != 0).then(|| Place::read(fs.wrapping_add(at.into()))).flatten()
}

/// A directory of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dir {
    /// The current directory, seen from the process's root.
    Current,
    /// The process's root.
    Root,
}

/// Returns its name, or the end of a name that is too long for `into`. It is empty if there is no
/// name.
pub fn path(dir: Dir, into: &mut [u8; SIZE]) -> &[u8] {
    let end = match dir {
        Dir::Current => of_process(Dir::Root),
        Dir::Root => Some(Place::default()),
    };
    let begin = of_process(dir).zip(end).and_then(|(here, end)| here.write(end, into));
    begin.and_then(|at| written(into, at)).unwrap_or_default()
}

/// Returns the path that begins here.
fn written(into: &[u8; SIZE], at: usize) -> Option<&[u8]> {
    into.get(at..const { SIZE - 1 })
}

/// Returns the name of the `struct path` at a kernel address, seen from the process's root, as
/// [`path`] does; with `of_mount`, the name of its mount point. It is empty if there is none, as
/// for a pipe. `None`: there is no `struct path` at this address.
pub fn path_of(at: u64, of_mount: bool, into: &mut [u8; SIZE]) -> Option<&[u8]> {
    let mut here = Place::read(at)?;
    if of_mount {
        let system = load(here.mount, offset_of!(vfsmount, mnt_sb))?;
        let flags = load(system, offset_of!(super_block, s_flags))?;
        here.dentry = load(here.mount, offset_of!(vfsmount, mnt_root))?;
        // An object outside of the tree has no such place.
        if flags & SB_NOUSER != 0 {
            return Some(&[]);
        }
    }
    let at = here.write(of_process(Dir::Root).unwrap_or_default(), into)?;
    written(into, at)
}
