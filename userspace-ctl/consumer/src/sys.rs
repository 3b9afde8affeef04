// SPDX-License-Identifier: GPL-2.0
//! The system calls that std does not offer; the only unsafe code of userspace.
//!
//! Every function here is safe to call with any argument: the types enforce what a call needs.
#![allow(unsafe_code)]

use abi::conf::Conf;
use abi::ioctl::{BufDesc, Done, Enable, Explain, Format, Go, Probes, Report, Symbol};
use abi::record::{AggDesc, EprobeDesc, RecDesc};
use abi::status::Status;
use abi::unwind::{Key, Object, Strangers};
use abi::user::Seen;
use abi::user::{Make, Refusal};
use d::Identity;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::process::{self, Pid, WaitOptions};
use rustix::thread::CapabilitySet;
use std::fs::File;
use std::io::{Error, Result, Seek, Write};
use std::mem::MaybeUninit;
use std::net::IpAddr;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;
use zerocopy::{FromBytes, IntoBytes};

/// An ioctl argument without addresses.
///
/// # Safety
/// No field of it makes the kernel read or write memory of ours.
pub unsafe trait Plain: FromBytes + IntoBytes {}

/// An ioctl argument that names user memory by one address and one extent.
///
/// # Safety
/// `point` sets the only address in it, and an extent that covers no more than `bytes` bytes. With
/// address 0 it need not set the extent, which may already hold an answer.
pub unsafe trait Window: FromBytes + IntoBytes {
    /// Sets the address and extent of the memory.
    fn point(&mut self, address: u64, bytes: usize);
}

macro_rules! plain {
    ($($t:ty),* $(,)?) => {$(
        // SAFETY: integers without meaning as addresses, see the ioctl's documentation in abi.
        unsafe impl Plain for $t {}
    )*};
}
plain!(Conf, Status, Go, Explain, Symbol, Strangers, Seen, Key, i32, u32);

macro_rules! window {
    ($($t:ty { $address:ident, $extent:ident in $unit:ty })*) => {$(
        // SAFETY: `$address` is its only address; the extent is rounded down to whole units.
        unsafe impl Window for $t {
            fn point(&mut self, address: u64, bytes: usize) {
                self.$address = address;
                if address != 0 {
                    self.$extent = (bytes / size_of::<$unit>()) as _;
                }
            }
        }
    )*};
}
window! {
    Enable { dof, size in u8 }
    Probes { into, size in u8 }
    EprobeDesc { recs, capacity in RecDesc }
    AggDesc { recs, capacity in RecDesc }
    BufDesc { data, size in u8 }
    Format { text, size in u8 }
    Report { text, size in u8 }
    Done { epids, count in u32 }
    Object { rows, size in u8 }
}

/// Calls an ioctl whose argument holds no address.
pub fn ioctl<T: Plain>(fd: BorrowedFd<'_>, request: u32, arg: &mut T) -> Result<()> {
    call(fd, request, arg)
}

/// Calls an ioctl whose argument points at `data`, which the kernel reads or fills. The argument
/// holds the address only during the call.
pub fn ioctl_with<T: Window>(
    fd: BorrowedFd<'_>,
    request: u32,
    arg: &mut T,
    data: &mut [u8],
) -> Result<()> {
    arg.point(data.as_mut_ptr() as u64, data.len());
    let result = call(fd, request, arg);
    arg.point(0, 0);
    result
}

fn call<T: FromBytes + IntoBytes>(fd: BorrowedFd<'_>, request: u32, arg: &mut T) -> Result<()> {
    if (request >> 16) & 0x3fff != size_of::<T>() as u32 {
        return Err(Error::from_raw_os_error(libc::EINVAL));
    }
    let address = std::ptr::from_mut(arg);
    // SAFETY: `arg` is live, exclusive and as large as `request` says (checked above); any bytes
    // that the kernel leaves in it are a valid T (FromBytes). Memory that it points to is the
    // caller's live `data` (Window), none (Plain), or as long as its two extents say
    // (`ioctl_make`).
    let rc = unsafe { libc::ioctl(fd.as_raw_fd(), libc::c_ulong::from(request), address) };
    if rc < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Asks for packed probes: the kernel reads `packed` and fills `refusals`. The argument holds the
/// addresses only during the call.
pub fn ioctl_make(
    fd: BorrowedFd<'_>,
    arg: &mut Make,
    packed: &[u8],
    refusals: &mut [Refusal],
) -> Result<()> {
    (arg.from, arg.size) = (packed.as_ptr() as u64, packed.len() as u64);
    arg.refusals = refusals.as_mut_ptr() as u64;
    arg.refused = u32::try_from(refusals.len()).unwrap_or(u32::MAX);
    let result = call(fd, abi::user::MAKE, arg);
    (arg.from, arg.refusals) = (0, 0);
    result
}

/// Maps the content of a sysfs file, without copying it, for the rest of our life. Few sysfs files
/// can be mapped, and none before kernel 6.16; after an error the caller must read the file.
pub fn map_sysfs(file: &File) -> Result<&'static [u8]> {
    let refused = Error::from_raw_os_error(libc::EINVAL);
    let len = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    if rustix::fs::fstatfs(file)?.f_type != libc::SYSFS_MAGIC || len == 0 {
        return Err(refused);
    }
    let (read, own) = (libc::PROT_READ, libc::MAP_PRIVATE);
    // SAFETY: a new mapping replaces none.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), len, read, own, file.as_raw_fd(), 0) };
    if at == libc::MAP_FAILED {
        return Err(Error::last_os_error());
    }
    // SAFETY: the mapping has `len` bytes and is never unmapped. The only sysfs file that can be
    // mapped is the kernel's BTF: it has its full size, and neither the kernel nor we write to it.
    Ok(unsafe { std::slice::from_raw_parts(at.cast(), len) })
}

/// Gives back the mapped pages of code and read-only data; the system reads them from the file
/// again when they are needed. A compiler uses megabytes that nobody needs once it has compiled.
/// Pages changed by a debugger or by the linker stay.
pub fn give_back_code() -> Result<()> {
    for range in untouched_code(&std::fs::read_to_string("/proc/self/smaps")?) {
        let at = std::ptr::without_provenance_mut(range.start);
        // SAFETY: these are mappings of files that cannot be written to and have no pages of their
        // own (smaps says so), so they read like the file before and after.
        if unsafe { libc::madvise(at, range.len(), libc::MADV_DONTNEED) } < 0 {
            return Err(Error::last_os_error());
        }
    }
    Ok(())
}

/// Returns the read-only mappings of files in which no page differs from the file.
fn untouched_code(smaps: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut code = None;
    for line in smaps.lines() {
        let mut words = line.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some("Anonymous:"), Some(kb)) => found.extend(code.take().filter(|_| kb == "0")),
            (Some(range), Some("r-xp" | "r--p"))
                if words.nth(3).is_some_and(|f| f.starts_with('/')) =>
            {
                let ends = range.split_once('-').and_then(|(from, to)| {
                    let end = |text| usize::from_str_radix(text, 16).ok();
                    Some(end(from)?..end(to)?)
                });
                code = ends;
            }
            (Some(range), Some(_)) if range.contains('-') => code = None,
            _ => {}
        }
    }
    found
}

/// Asks the system to provide sparsely used memory in pages, not in megabytes at a time.
pub fn in_small_pages(memory: &mut [u8]) {
    const PAGE: usize = 4096;
    let first = memory.as_ptr().align_offset(PAGE);
    let Some(pages) = memory.get_mut(first..) else { return };
    let len = pages.len() / PAGE * PAGE;
    // SAFETY: the memory is the caller's and stays as it is, wherever its pages come from.
    unsafe { libc::madvise(pages.as_mut_ptr().cast(), len, libc::MADV_NOHUGEPAGE) };
}

/// Returns our ids, for the macro variables. Those of processes outside our PID namespace are 0,
/// which rustix takes for impossible.
pub fn identity() -> Identity {
    // SAFETY: these calls take no memory and cannot fail.
    unsafe {
        Identity {
            pid: std::process::id(),
            ppid: libc::getppid() as u32,
            pgid: libc::getpgrp() as u32,
            sid: libc::getsid(0) as u32,
            uid: libc::getuid(),
            euid: libc::geteuid(),
            gid: libc::getgid(),
            egid: libc::getegid(),
        }
    }
}

/// Tells whether this process ignores a signal, as a shell or `nohup` arranges it.
pub fn is_ignored(signal: i32) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the call changes nothing without a new action, and `now` has room for the old one.
    let rc = unsafe { libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) };
    // SAFETY: zeroes are a valid value of it, too.
    rc == 0 && unsafe { now.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Waits until a descriptor is readable or the time is over; tells which ones are readable. Without
/// a time it waits for as long as it takes.
pub fn poll(fds: &[BorrowedFd<'_>], ns: Option<u64>) -> Result<Vec<bool>> {
    let mut set: Vec<_> =
        fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let time = ns.and_then(|ns| Timespec::try_from(Duration::from_nanos(ns)).ok());
    match rustix::event::poll(&mut set, time.as_ref()) {
        Ok(_) => Ok(set.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(Errno::INTR) => Ok(vec![false; fds.len()]),
        Err(e) => Err(e.into()),
    }
}

/// Makes a file in memory with this content, positioned at its beginning.
pub fn memory_file(content: &[u8]) -> Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("dtrace", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}

/// Makes a descriptor that becomes readable when it is signalled; reading 8 bytes resets it.
pub fn eventfd() -> Result<File> {
    let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
    Ok(File::from(rustix::event::eventfd(0, flags)?))
}

/// Returns a descriptor that becomes readable when the process ends.
pub fn pidfd_open(pid: u32) -> Result<OwnedFd> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::INVAL)?;
    Ok(process::pidfd_open(pid, process::PidfdFlags::empty())?)
}

/// Makes a command run with the limits with which we were started.
pub fn with_first_limits(command: &mut Command) -> &mut Command {
    // SAFETY: the closure makes one async-signal-safe system call and allocates nothing.
    unsafe { command.pre_exec(libproc::limit::restore) }
}

/// Makes a command run with our user's own rights, if we are not root.
pub fn with_own_rights(command: &mut Command) -> &mut Command {
    // SAFETY: the closure makes async-signal-safe system calls and allocates nothing.
    unsafe { command.pre_exec(lower_capabilities) }
}

/// Starts a command and holds it before its first instruction until [`resume`]. If this thread ends
/// before, the command is killed.
pub fn spawn_stopped(command: &mut Command) -> Result<Child> {
    with_first_limits(command);
    // SAFETY: the closure makes one async-signal-safe system call and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            // SAFETY: PTRACE_TRACEME ignores its other arguments.
            match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
                0 => Ok(()),
                _ => Err(Error::last_os_error()),
            }
        });
    }
    with_own_rights(command);
    let mut child = command.spawn()?;
    loop {
        let waited = process::waitpid(Some(Pid::from_child(&child)), WaitOptions::UNTRACED);
        return match waited {
            Err(Errno::INTR) => continue,
            Err(e) => {
                let _ = child.kill();
                Err(e.into())
            }
            Ok(Some((_, status))) if status.stopped() => match end_with_us(&child) {
                Ok(()) => Ok(child),
                Err(e) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    Err(e)
                }
            },
            // It has been reaped: its number may already be that of another process.
            Ok(_) => Err(Error::other("it ended before its first instruction")),
        };
    }
}

/// Makes the kernel kill a command that is held if this thread ends. The command would run without
/// its probes, or with a breakpoint of [`run_to_signal`]'s caller in its text.
fn end_with_us(child: &Child) -> Result<()> {
    let how = libc::c_long::from(libc::PTRACE_O_EXITKILL);
    // SAFETY: our own stopped child; the address is ignored and the options are a number.
    if unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, child.id() as libc::pid_t, 0, how) } < 0 {
        return Err(Error::last_os_error());
    }
    Ok(())
}

/// Gives up the effective capabilities of a user who is not root, so that his own rights decide
/// which command he finds: with CAP_SYS_PTRACE, `/proc/PID/root` leads into closed folders. What
/// the command may do does not change; exec computes that from the other sets.
fn lower_capabilities() -> Result<()> {
    if process::geteuid().is_root() {
        return Ok(());
    }
    let mut sets = rustix::thread::capabilities(None)?;
    sets.effective = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// How a running process came to a halt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// It is stopped, and this signal is about to be delivered.
    Signal(i32),
    /// It has ended.
    Ended,
}

/// Lets a command of [`spawn_stopped`] run until its next signal, or for one instruction if
/// `is_step`. `signal` is delivered to it first; 0 is none.
pub fn run_to_signal(pid: u32, signal: i32, is_step: bool) -> Result<Halt> {
    let pid = pid as libc::pid_t;
    let how = if is_step { libc::PTRACE_SINGLESTEP } else { libc::PTRACE_CONT };
    // SAFETY: the address is ignored, the signal is a number.
    if unsafe { libc::ptrace(how, pid, 0, libc::c_long::from(signal)) } < 0 {
        return Err(Error::last_os_error());
    }
    loop {
        // SAFETY: plain integers, for which zero is valid.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // WNOWAIT keeps the status of an ended process, so that a later wait still gets it.
        let how = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT;
        // SAFETY: `info` is live.
        if unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, how) } < 0 {
            match Error::last_os_error() {
                e if e.kind() == std::io::ErrorKind::Interrupted => continue,
                e => return Err(e),
            }
        }
        if info.si_code != libc::CLD_TRAPPED && info.si_code != libc::CLD_STOPPED {
            return Ok(Halt::Ended);
        }
        let mut status = 0;
        // SAFETY: `status` is live; it has stopped, so this does not wait.
        if unsafe { libc::waitpid(pid, &mut status, libc::WUNTRACED) } < 0 {
            return Err(Error::last_os_error());
        }
        return Ok(Halt::Signal(libc::WSTOPSIG(status)));
    }
}

/// Returns the registers of a stopped command.
pub fn registers(pid: u32) -> Result<libc::user_regs_struct> {
    // SAFETY: plain integers, for which zero is valid.
    let mut regs: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    let to = std::ptr::from_mut(&mut regs);
    // SAFETY: `regs` is live and what this request fills.
    if unsafe { libc::ptrace(libc::PTRACE_GETREGS, pid as libc::pid_t, 0, to) } < 0 {
        return Err(Error::last_os_error());
    }
    Ok(regs)
}

/// Sets the registers of a stopped command.
pub fn set_registers(pid: u32, regs: &libc::user_regs_struct) -> Result<()> {
    let from = std::ptr::from_ref(regs);
    // SAFETY: `regs` is live and what this request reads.
    if unsafe { libc::ptrace(libc::PTRACE_SETREGS, pid as libc::pid_t, 0, from) } < 0 {
        return Err(Error::last_os_error());
    }
    Ok(())
}

/// Lets a command of [`spawn_stopped`] run.
pub fn resume(child: &Child) -> Result<()> {
    // SAFETY: detaching from our own child; the address is ignored and the data is 0, no signal.
    let rc = unsafe { libc::ptrace(libc::PTRACE_DETACH, child.id() as libc::pid_t, 0, 0) };
    if rc < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(())
    }
}

/// A moment in the local time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalTime {
    /// The year, such as 2026.
    pub year: i64,
    /// The month, 0 is January.
    pub month: usize,
    /// The day of the month, from 1.
    pub day: u8,
    /// The weekday, 0 is Sunday.
    pub weekday: usize,
    /// Hour, minute, second.
    pub clock: (u8, u8, u8),
    /// The name of the zone, such as UTC.
    pub zone: String,
}

/// Converts seconds since the epoch to local time.
pub fn local_time(seconds: i64) -> Option<LocalTime> {
    // SAFETY: `tm` is plain old data for which zero bytes are valid (a null zone pointer included).
    let mut tm: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are live; localtime_r writes `tm` only.
    if unsafe { libc::localtime_r(&seconds, &mut tm) }.is_null() {
        return None;
    }
    let zone = match tm.tm_zone.is_null() {
        true => String::from("UTC"),
        // SAFETY: not null, and libc keeps zone names as NUL-terminated strings for the process's
        // life.
        false => unsafe { std::ffi::CStr::from_ptr(tm.tm_zone) }.to_string_lossy().into_owned(),
    };
    Some(LocalTime {
        year: i64::from(tm.tm_year) + 1900,
        month: usize::try_from(tm.tm_mon).ok()?,
        day: u8::try_from(tm.tm_mday).ok()?,
        weekday: usize::try_from(tm.tm_wday).ok()?,
        clock: (
            u8::try_from(tm.tm_hour).ok()?,
            u8::try_from(tm.tm_min).ok()?,
            u8::try_from(tm.tm_sec).ok()?,
        ),
        zone,
    })
}

/// Returns the name of an address in the machine's databases (`/etc/hosts`, name servers).
pub fn host_name(address: IpAddr) -> Option<String> {
    let bytes = match address {
        IpAddr::V4(v4) => {
            let mut sa = [0; 16];
            sa[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
            sa[4..8].copy_from_slice(&v4.octets());
            sa.to_vec()
        }
        IpAddr::V6(v6) => {
            let mut sa = [0; 28];
            sa[..2].copy_from_slice(&(libc::AF_INET6 as u16).to_ne_bytes());
            sa[8..24].copy_from_slice(&v6.octets());
            sa.to_vec()
        }
    };
    name_of(&bytes, true, libc::NI_NAMEREQD)
}

/// Returns the name of the service on a port (`/etc/services`), for TCP or else for UDP.
pub fn service_name(port: u16) -> Option<String> {
    let mut sa = [0; 16];
    sa[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    sa[2..4].copy_from_slice(&port.to_be_bytes());
    let named = |flags| name_of(&sa, false, flags).filter(|n| n.parse::<u16>().is_err());
    named(0).or_else(|| named(libc::NI_DGRAM))
}

/// Returns the name of a socket address, given as bytes: its host, or its service.
fn name_of(address: &[u8], is_host: bool, flags: i32) -> Option<String> {
    // SAFETY: for a storage, which is plain old data, zero bytes are valid.
    let mut storage: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
    let length = address.len().min(size_of_val(&storage));
    // SAFETY: both are live and at least `length` bytes long; they are different objects.
    unsafe {
        std::ptr::copy_nonoverlapping(address.as_ptr(), (&raw mut storage).cast(), length);
    }
    let mut text = [0u8; 1025];
    let room = text.len() as libc::socklen_t;
    let none = (std::ptr::null_mut(), 0);
    let some = (text.as_mut_ptr().cast(), room);
    let (host, service) = if is_host { (some, none) } else { (none, some) };
    // SAFETY: the address is live and has at least `length` bytes, which its family needs. The one
    // buffer that is not null is live and has `room` bytes; it ends with a NUL if the call
    // succeeds.
    let rc = unsafe {
        libc::getnameinfo(
            (&raw const storage).cast(),
            length as libc::socklen_t,
            host.0,
            host.1,
            service.0,
            service.1,
            flags,
        )
    };
    let name = std::ffi::CStr::from_bytes_until_nul(&text).ok().filter(|_| rc == 0)?;
    Some(name.to_string_lossy().into_owned()).filter(|n| !n.is_empty())
}

/// Returns the current value of D's `timestamp`, which is the kernel's monotonic clock.
pub fn timestamp() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is live. The call cannot fail: the clock exists on every kernel.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let [seconds, ns] = [now.tv_sec, now.tv_nsec].map(|n| u64::try_from(n).unwrap_or(0));
    seconds.saturating_mul(1_000_000_000).saturating_add(ns)
}

/// Returns how far the kernel's coarse clocks advance at a time, in ns: one jiffy.
pub fn tick_ns() -> u64 {
    let mut tick = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `tick` is live.
    let failed = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &mut tick) } != 0;
    // Programs may assume 100 jiffies in a second.
    let ns = u64::try_from(tick.tv_nsec).ok().filter(|ns| !failed && *ns > 0);
    ns.unwrap_or(10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_a_part_of_a_second() {
        assert!((100_000..=10_000_000).contains(&tick_ns()));
    }

    /// It is reaped then, and its number may be somebody else's.
    #[test]
    fn a_command_that_ends_before_we_hold_it() {
        let mut command = Command::new("true");
        // SAFETY: the closure makes async-signal-safe system calls and allocates nothing.
        unsafe {
            command.pre_exec(|| match libc::raise(libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(Error::last_os_error()),
            });
        }
        let e = spawn_stopped(&mut command).unwrap_err();
        assert_eq!(e.to_string(), "it ended before its first instruction");
    }

    #[test]
    fn code_that_is_the_files() {
        let of = |range: &str, flags: &str, file: &str, anonymous: u32| {
            format!("{range} {flags} 00000000 fe:00 12 {file}\nRss: 64 kB\nAnonymous: {anonymous} kB\nVmFlags: rd ex\n")
        };
        let smaps = [
            of("1000-2000", "r--p", "/bin/x", 0),
            of("2000-5000", "r-xp", "/bin/x", 0),
            of("5000-6000", "rw-p", "/bin/x", 4),
            of("6000-7000", "r-xp", "/lib/changed", 4),
            of("7000-8000", "r-xp", "", 0),
            of("8000-9000", "r-xp", "[vdso]", 0),
            of("9000-a000", "r-xp", "/lib/a b", 0),
            of("a000-b000", "r--p", "/lib/linked", 8),
        ];
        let untouched = [0x1000..0x2000, 0x2000..0x5000, 0x9000..0xa000];
        assert_eq!(untouched_code(&smaps.concat()), untouched);
    }

    #[test]
    fn given_back_code_runs() {
        give_back_code().unwrap();
        assert!(local_time(0).is_some());
    }
}
