// SPDX-License-Identifier: GPL-2.0
//! What system calls are called: as in `<sys/syscall.h>`, where the kernel's own functions, and what is
//! built on them, have kept names of older or newer versions.

/// Calls of 64-bit processes with another name than their function, by that behind `sys_`, ascending.
pub const RENAMED: &[(&str, &str)] = &[
    ("newfstat", "fstat"),
    ("newlstat", "lstat"),
    ("newstat", "stat"),
    ("newuname", "uname"),
    ("sendfile64", "sendfile"),
    ("umount", "umount2"),
];

/// What the kernel calls a call of this name.
pub fn own_name(call: &str) -> &str {
    RENAMED.iter().find(|(_, name)| *name == call).map_or(call, |(own, _)| own)
}
