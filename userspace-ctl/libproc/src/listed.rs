// SPDX-License-Identifier: GPL-2.0
//! Tells whether an open file is the one that the kernel lists for a mapping.
//!
//! A process may exchange the mapping, or the file behind its name, between our reading of the list
//! and our opening of the file. Then the content of one file would be taken for that of another
//! file, in all processes. So the open file itself must have the device and the inode number of the
//! list:
//!
//! - as `fstat` returns them. The kernel gives each file system a device of its own, so a program
//!   cannot have a file there with the numbers of a file elsewhere;
//! - or, because btrfs and overlayfs return other numbers from `fstat`, as the kernel knows them:
//!   `fdinfo` shows the inode number and the mount of the open file, and `mountinfo` the device of
//!   that mount. While the file is open, no other mount gets the number of its mount.

use crate::files::unique_mount;
use crate::limit::noted;
use crate::patient;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

/// The most bytes that are read of a list of mounts.
const MOST: u64 = 64 << 20;
/// The most mounts whose devices are remembered.
const MOST_MOUNTS: usize = 4096;

/// A device, and an inode number in its file system.
pub(crate) type Numbers = ((u32, u32), u64);

/// Tells whether a file that a process has mapped is listed with these numbers.
pub(crate) fn is_listed_as(file: &File, pid: u32, numbers: Numbers) -> bool {
    by_stat(file) == Some(numbers) || by_mount(file, pid) == Some(numbers)
}

fn by_stat(file: &File) -> Option<Numbers> {
    let about = file.metadata().ok()?;
    Some(((libc::major(about.dev()), libc::minor(about.dev())), about.ino()))
}

fn by_mount(file: &File, pid: u32) -> Option<Numbers> {
    let path = format!("/proc/self/fdinfo/{}", file.as_raw_fd());
    let info = noted(std::fs::read_to_string(path)).ok()?;
    let number = |name| info.lines().find_map(|l| l.strip_prefix(name)?.trim().parse().ok());
    Some((device(file, number("mnt_id:")?, pid)?, number("ino:")?))
}

thread_local! {
    /// The devices of mounts, by numbers that are never used again.
    static DEVICES: RefCell<HashMap<u64, (u32, u32)>> = RefCell::default();
}

/// Returns the device of the mount with this number, which contains an open file. It is a mount
/// that we see, or one that the process sees.
fn device(file: &File, mount: u64, pid: u32) -> Option<(u32, u32)> {
    let unique = unique_mount(file);
    let known = |unique| DEVICES.with_borrow(|known| known.get(&unique).copied());
    if let Some(device) = unique.and_then(known) {
        return Some(device);
    }
    let lists = ["/proc/self".to_string(), patient::folder(pid)];
    let device = lists.iter().find_map(|of| {
        let mut text = Vec::new();
        let list = noted(File::open(format!("{of}/mountinfo"))).ok()?;
        list.take(MOST).read_to_end(&mut text).ok()?;
        device_in(&String::from_utf8_lossy(&text), mount)
    })?;
    if let Some(unique) = unique {
        DEVICES.with_borrow_mut(|known| {
            if known.len() >= MOST_MOUNTS {
                known.clear();
            }
            known.insert(unique, device);
        });
    }
    Some(device)
}

/// Finds the device of a mount in lines like `36 35 98:0 /root /mnt rw - ext4 /dev/sda rw`.
fn device_in(mountinfo: &str, mount: u64) -> Option<(u32, u32)> {
    mountinfo.lines().find_map(|line| {
        let mut words = line.split(' ');
        if words.next()?.parse() != Ok(mount) {
            return None;
        }
        let (major, minor) = words.nth(1)?.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_mounts() {
        let text = "21 2 0:20 / /sys rw shared:7 - sysfs sysfs rw\n\
                    36 21 253:12 /a /b\\040c rw - ext4 /dev/sda rw\n136 x\n";
        assert_eq!(device_in(text, 21), Some((0, 20)));
        assert_eq!(device_in(text, 36), Some((253, 12)));
        for none in [2, 136, 6] {
            assert_eq!(device_in(text, none), None, "{none}");
        }
    }

    /// Where `fstat` returns what the kernel lists, both ways find the same.
    #[test]
    fn both_ways() {
        let me = std::process::id();
        // The root of a chroot may be in no mount that we see.
        let file = File::open("/proc/self/maps").unwrap();
        let numbers = by_stat(&file).unwrap();
        assert_eq!(by_mount(&file, me), Some(numbers));
        // The second answer is a remembered one.
        assert_eq!(by_mount(&file, me), Some(numbers));
        assert!(is_listed_as(&file, me, numbers));
        let (device, inode) = numbers;
        assert!(!is_listed_as(&file, me, (device, inode + 1)));
        assert!(!is_listed_as(&file, me, ((device.0 + 1, device.1), inode)));
    }
}
