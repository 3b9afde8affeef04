// SPDX-License-Identifier: GPL-2.0
//! The names of system calls: those of `<sys/syscall.h>`, as in manuals, libraries and strace. The
//! kernel's own functions have other names in some cases, such as those of newer versions of a
//! call.

use abi::syscall::RENAMED;

/// Functions with the prefix `__ia32_` whose calls have another name, ascending. They use the sizes
/// of 32-bit processes.
const OF_IA32: &[(&str, &str)] = &[
    ("compat_sys_fcntl64", "fcntl"),
    ("compat_sys_getrlimit", "ugetrlimit"),
    ("compat_sys_ia32_clone", "clone"),
    ("compat_sys_ia32_fstat64", "fstat64"),
    ("compat_sys_ia32_fstatat64", "fstatat64"),
    ("compat_sys_ia32_lstat64", "lstat64"),
    ("compat_sys_ia32_mmap", "mmap"),
    ("compat_sys_ia32_stat64", "stat64"),
    ("compat_sys_newfstat", "fstat"),
    ("compat_sys_newlstat", "lstat"),
    ("compat_sys_newstat", "stat"),
    ("compat_sys_old_getrlimit", "getrlimit"),
    ("compat_sys_old_readdir", "readdir"),
    ("compat_sys_old_select", "select"),
    ("compat_sys_ppoll_time32", "ppoll"),
    ("compat_sys_pselect6_time32", "pselect6"),
    ("compat_sys_recvmmsg_time32", "recvmmsg"),
    ("compat_sys_rt_sigtimedwait_time32", "rt_sigtimedwait"),
    ("compat_sys_select", "_newselect"),
    ("sys_adjtimex_time32", "adjtimex"),
    ("sys_chown", "chown32"),
    ("sys_chown16", "chown"),
    ("sys_clock_adjtime", "clock_adjtime64"),
    ("sys_clock_adjtime32", "clock_adjtime"),
    ("sys_clock_getres", "clock_getres_time64"),
    ("sys_clock_getres_time32", "clock_getres"),
    ("sys_clock_gettime", "clock_gettime64"),
    ("sys_clock_gettime32", "clock_gettime"),
    ("sys_clock_nanosleep", "clock_nanosleep_time64"),
    ("sys_clock_nanosleep_time32", "clock_nanosleep"),
    ("sys_clock_settime", "clock_settime64"),
    ("sys_clock_settime32", "clock_settime"),
    ("sys_fchown", "fchown32"),
    ("sys_fchown16", "fchown"),
    ("sys_fstat", "oldfstat"),
    ("sys_futex", "futex_time64"),
    ("sys_futex_time32", "futex"),
    ("sys_futimesat_time32", "futimesat"),
    ("sys_getegid", "getegid32"),
    ("sys_getegid16", "getegid"),
    ("sys_geteuid", "geteuid32"),
    ("sys_geteuid16", "geteuid"),
    ("sys_getgid", "getgid32"),
    ("sys_getgid16", "getgid"),
    ("sys_getgroups", "getgroups32"),
    ("sys_getgroups16", "getgroups"),
    ("sys_getresgid", "getresgid32"),
    ("sys_getresgid16", "getresgid"),
    ("sys_getresuid", "getresuid32"),
    ("sys_getresuid16", "getresuid"),
    ("sys_getuid", "getuid32"),
    ("sys_getuid16", "getuid"),
    ("sys_ia32_fadvise64", "fadvise64"),
    ("sys_ia32_fadvise64_64", "fadvise64_64"),
    ("sys_ia32_fallocate", "fallocate"),
    ("sys_ia32_ftruncate64", "ftruncate64"),
    ("sys_ia32_pread64", "pread64"),
    ("sys_ia32_pwrite64", "pwrite64"),
    ("sys_ia32_readahead", "readahead"),
    ("sys_ia32_sync_file_range", "sync_file_range"),
    ("sys_ia32_truncate64", "truncate64"),
    ("sys_io_getevents_time32", "io_getevents"),
    ("sys_lchown", "lchown32"),
    ("sys_lchown16", "lchown"),
    ("sys_llseek", "_llseek"),
    ("sys_lstat", "oldlstat"),
    ("sys_mmap_pgoff", "mmap2"),
    ("sys_mq_timedreceive", "mq_timedreceive_time64"),
    ("sys_mq_timedreceive_time32", "mq_timedreceive"),
    ("sys_mq_timedsend", "mq_timedsend_time64"),
    ("sys_mq_timedsend_time32", "mq_timedsend"),
    ("sys_nanosleep_time32", "nanosleep"),
    ("sys_newuname", "uname"),
    ("sys_oldumount", "umount"),
    ("sys_olduname", "oldolduname"),
    ("sys_sched_rr_get_interval", "sched_rr_get_interval_time64"),
    ("sys_sched_rr_get_interval_time32", "sched_rr_get_interval"),
    ("sys_semtimedop", "semtimedop_time64"),
    ("sys_setfsgid", "setfsgid32"),
    ("sys_setfsgid16", "setfsgid"),
    ("sys_setfsuid", "setfsuid32"),
    ("sys_setfsuid16", "setfsuid"),
    ("sys_setgid", "setgid32"),
    ("sys_setgid16", "setgid"),
    ("sys_setgroups", "setgroups32"),
    ("sys_setgroups16", "setgroups"),
    ("sys_setregid", "setregid32"),
    ("sys_setregid16", "setregid"),
    ("sys_setresgid", "setresgid32"),
    ("sys_setresgid16", "setresgid"),
    ("sys_setresuid", "setresuid32"),
    ("sys_setresuid16", "setresuid"),
    ("sys_setreuid", "setreuid32"),
    ("sys_setreuid16", "setreuid"),
    ("sys_setuid", "setuid32"),
    ("sys_setuid16", "setuid"),
    ("sys_stat", "oldstat"),
    ("sys_stime32", "stime"),
    ("sys_time32", "time"),
    ("sys_timer_gettime", "timer_gettime64"),
    ("sys_timer_gettime32", "timer_gettime"),
    ("sys_timer_settime", "timer_settime64"),
    ("sys_timer_settime32", "timer_settime"),
    ("sys_timerfd_gettime", "timerfd_gettime64"),
    ("sys_timerfd_gettime32", "timerfd_gettime"),
    ("sys_timerfd_settime", "timerfd_settime64"),
    ("sys_timerfd_settime32", "timerfd_settime"),
    ("sys_umount", "umount2"),
    ("sys_uname", "olduname"),
    ("sys_utime32", "utime"),
    ("sys_utimensat", "utimensat_time64"),
    ("sys_utimensat_time32", "utimensat"),
    ("sys_utimes_time32", "utimes"),
];

/// The function of numbers that have no call.
const NONE: &str = "sys_ni_syscall";

/// A table of system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The table of 64-bit processes.
    X64,
    /// The table of 32-bit processes.
    Ia32,
}

/// Returns the names of a call by its function's symbol: the name to use, and a second one for
/// another call with the same function. Returns `None` if the function serves no call.
pub fn names(table: Table, symbol: &str) -> Option<[&str; 2]> {
    let prefix = match table {
        Table::X64 => "__x64_",
        Table::Ia32 => "__ia32_",
    };
    let function = symbol.strip_prefix(prefix).filter(|f| *f != NONE)?;
    let own = function.strip_prefix("compat_sys_").or(function.strip_prefix("sys_"))?;
    let (aliases, of) = match table {
        Table::X64 => (RENAMED, own),
        Table::Ia32 => (OF_IA32, function),
    };
    let alias = aliases.iter().find(|(name, _)| *name == of).map(|(_, name)| *name);
    Some([alias.unwrap_or(own), own])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_in_unistd() {
        for (table, symbol, want) in [
            (Table::X64, "__x64_sys_read", Some(["read", "read"])),
            (Table::X64, "__x64_sys_newstat", Some(["stat", "newstat"])),
            (Table::X64, "__x64_sys_newfstatat", Some(["newfstatat", "newfstatat"])),
            (Table::X64, "__x64_sys_umount", Some(["umount2", "umount"])),
            (Table::X64, "__x64_sys_newuname", Some(["uname", "newuname"])),
            (Table::X64, "__x64_sys_ni_syscall", None),
            (Table::X64, "__ia32_sys_read", None),
            (Table::Ia32, "__ia32_sys_read", Some(["read", "read"])),
            (Table::Ia32, "__ia32_sys_stat", Some(["oldstat", "stat"])),
            (Table::Ia32, "__ia32_compat_sys_newstat", Some(["stat", "newstat"])),
            (Table::Ia32, "__ia32_compat_sys_fcntl64", Some(["fcntl", "fcntl64"])),
            (Table::Ia32, "__ia32_compat_sys_execve", Some(["execve", "execve"])),
            (Table::Ia32, "do_syscall_64", None),
        ] {
            assert_eq!(names(table, symbol), want, "{symbol}");
        }
        for aliases in [RENAMED, OF_IA32] {
            assert!(aliases.windows(2).all(|w| w[0].0 < w[1].0));
            let mut all: Vec<&str> = aliases.iter().map(|a| a.1).collect();
            all.sort_unstable();
            assert!(all.windows(2).all(|w| w[0] != w[1]), "one name, one call");
        }
    }
}
