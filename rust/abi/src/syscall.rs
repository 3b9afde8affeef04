// SPDX-License-Identifier: GPL-2.0
//! The names of system calls, as in `<sys/syscall.h>`. Some of the kernel's own functions, and the
//! names made from them, have kept names of older or newer versions.

/// System calls of 64-bit processes that have another name than their function: the function's name
/// without `sys_`, ascending, and the call's name.
pub const RENAMED: &[(&str, &str)] = &[
    ("newfstat", "fstat"),
    ("newlstat", "lstat"),
    ("newstat", "stat"),
    ("newuname", "uname"),
    ("sendfile64", "sendfile"),
    ("umount", "umount2"),
];

/// Returns the kernel's own name for a system call of this name.
pub fn own_name(call: &str) -> &str {
    RENAMED.iter().find(|(_, name)| *name == call).map_or(call, |(own, _)| own)
}
