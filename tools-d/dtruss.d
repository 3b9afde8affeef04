#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dtruss: print the system calls of a program with their arguments, as strace does
 *
 * It decodes the arguments of every system call: paths and text, flags and constants by their names, addresses of
 * sockets. It does not stop the program at each call, as strace does. A call is printed when it has ended.
 *
 * options:
 *   $1 -f            also follow the processes that it creates
 *   $2 -c            only count calls, errors and time, and print them at the end
 *   $3 -t CALL = ""  only this system call
 *   $4 -e            print the time in the call, in microseconds
 *   $5 -r            print the time since the start, in microseconds
 * process: command
 * overhead: Two probes fire at each system call, also of other processes, and copy text. A program that does little
 *   but system calls becomes clearly slower.
 * example:
 *   # dtruss -t openat cat /etc/hostname
 *       PID/TID     SYSCALL(ARGUMENTS) = RESULT
 *       141/141     openat(AT_FDCWD, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC, 0) = 3
 *       141/141     openat(AT_FDCWD, "/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY|O_CLOEXEC, 0) = 3
 *       141/141     openat(AT_FDCWD, "/etc/hostname", O_RDONLY, 0) = 3
 */
/* Made of tools-d/dtruss.table; see there. */
#pragma D option strsize=160
#pragma D option zdefs
#pragma D option dynvarsize=8m
#pragma D option bufsize=16m
#pragma D option aggsortrev

inline string __openflags[uint32_t f] = substr(strjoin(strjoin(strjoin(strjoin(strjoin(((f & 3) == 0 ? "|O_RDONLY" : ""),
    ((f & 3) == 1 ? "|O_WRONLY" : "")),
    strjoin(((f & 3) == 2 ? "|O_RDWR" : ""),
    (f & 0x40 ? "|O_CREAT" : ""))),
    strjoin(strjoin((f & 0x80 ? "|O_EXCL" : ""),
    (f & 0x100 ? "|O_NOCTTY" : "")),
    strjoin((f & 0x200 ? "|O_TRUNC" : ""),
    (f & 0x400 ? "|O_APPEND" : "")))),
    strjoin(strjoin(strjoin((f & 0x800 ? "|O_NONBLOCK" : ""),
    (f & 0x1000 ? "|O_DSYNC" : "")),
    strjoin((f & 0x4000 ? "|O_DIRECT" : ""),
    (f & 0x8000 ? "|O_LARGEFILE" : ""))),
    strjoin(strjoin((f & 0x10000 ? "|O_DIRECTORY" : ""),
    (f & 0x20000 ? "|O_NOFOLLOW" : "")),
    strjoin((f & 0x40000 ? "|O_NOATIME" : ""),
    (f & 0x80000 ? "|O_CLOEXEC" : ""))))),
    strjoin((f & 0x200000 ? "|O_PATH" : ""),
    (f & ~0x2fdfc3 ? strjoin("|", lltostr(f & ~0x2fdfc3, 16)) : ""))), 1);
inline string __fdflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin((f & 0x800 ? "|O_NONBLOCK" : ""),
    (f & 0x4000 ? "|O_DIRECT" : "")),
    strjoin((f & 0x80000 ? "|O_CLOEXEC" : ""),
    (f & ~0x84800 ? strjoin("|", lltostr(f & ~0x84800, 16)) : ""))), 1);
inline string __prot[uint32_t f] = substr(strjoin(strjoin(strjoin(((f & 7) == 0 ? "|PROT_NONE" : ""),
    (f & 1 ? "|PROT_READ" : "")),
    strjoin((f & 2 ? "|PROT_WRITE" : ""),
    (f & 4 ? "|PROT_EXEC" : ""))),
    (f & ~0x7 ? strjoin("|", lltostr(f & ~0x7, 16)) : "")), 1);
inline string __mapflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin(strjoin((f & 1 ? "|MAP_SHARED" : ""),
    (f & 2 ? "|MAP_PRIVATE" : "")),
    strjoin((f & 0x10 ? "|MAP_FIXED" : ""),
    (f & 0x20 ? "|MAP_ANONYMOUS" : ""))),
    strjoin(strjoin((f & 0x40 ? "|MAP_32BIT" : ""),
    (f & 0x100 ? "|MAP_GROWSDOWN" : "")),
    strjoin((f & 0x800 ? "|MAP_DENYWRITE" : ""),
    (f & 0x2000 ? "|MAP_LOCKED" : "")))),
    strjoin(strjoin(strjoin((f & 0x4000 ? "|MAP_NORESERVE" : ""),
    (f & 0x8000 ? "|MAP_POPULATE" : "")),
    strjoin((f & 0x20000 ? "|MAP_STACK" : ""),
    (f & 0x40000 ? "|MAP_HUGETLB" : ""))),
    strjoin((f & 0x100000 ? "|MAP_FIXED_NOREPLACE" : ""),
    (f & ~0x16e973 ? strjoin("|", lltostr(f & ~0x16e973, 16)) : "")))), 1);
inline string __mremapflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin((f & 1 ? "|MREMAP_MAYMOVE" : ""),
    (f & 2 ? "|MREMAP_FIXED" : "")),
    strjoin((f & 4 ? "|MREMAP_DONTUNMAP" : ""),
    (f & ~0x7 ? strjoin("|", lltostr(f & ~0x7, 16)) : ""))), 1);
inline string __msyncflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin((f & 1 ? "|MS_ASYNC" : ""),
    (f & 2 ? "|MS_INVALIDATE" : "")),
    strjoin((f & 4 ? "|MS_SYNC" : ""),
    (f & ~0x7 ? strjoin("|", lltostr(f & ~0x7, 16)) : ""))), 1);
inline string __access[uint32_t f] = substr(strjoin(strjoin(strjoin(((f & 7) == 0 ? "|F_OK" : ""),
    (f & 1 ? "|X_OK" : "")),
    strjoin((f & 2 ? "|W_OK" : ""),
    (f & 4 ? "|R_OK" : ""))),
    (f & ~0x7 ? strjoin("|", lltostr(f & ~0x7, 16)) : "")), 1);
inline string __atflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin((f & 0x100 ? "|AT_SYMLINK_NOFOLLOW" : ""),
    (f & 0x200 ? "|AT_REMOVEDIR" : "")),
    strjoin((f & 0x400 ? "|AT_SYMLINK_FOLLOW" : ""),
    (f & 0x800 ? "|AT_NO_AUTOMOUNT" : ""))),
    strjoin(strjoin((f & 0x1000 ? "|AT_EMPTY_PATH" : ""),
    (f & 0x2000 ? "|AT_STATX_FORCE_SYNC" : "")),
    strjoin((f & 0x4000 ? "|AT_STATX_DONT_SYNC" : ""),
    (f & ~0x7f00 ? strjoin("|", lltostr(f & ~0x7f00, 16)) : "")))), 1);
inline string __msgflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin(strjoin((f & 1 ? "|MSG_OOB" : ""),
    (f & 2 ? "|MSG_PEEK" : "")),
    strjoin((f & 4 ? "|MSG_DONTROUTE" : ""),
    (f & 0x20 ? "|MSG_TRUNC" : ""))),
    strjoin(strjoin((f & 0x40 ? "|MSG_DONTWAIT" : ""),
    (f & 0x80 ? "|MSG_EOR" : "")),
    strjoin((f & 0x100 ? "|MSG_WAITALL" : ""),
    (f & 0x4000 ? "|MSG_NOSIGNAL" : "")))),
    strjoin(strjoin((f & 0x8000 ? "|MSG_MORE" : ""),
    (f & 0x40000000 ? "|MSG_CMSG_CLOEXEC" : "")),
    (f & ~0x4000c1e7 ? strjoin("|", lltostr(f & ~0x4000c1e7, 16)) : ""))), 1);
inline string __socktype[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin(((f & 0xf) == 1 ? "|SOCK_STREAM" : ""),
    ((f & 0xf) == 2 ? "|SOCK_DGRAM" : "")),
    strjoin(((f & 0xf) == 3 ? "|SOCK_RAW" : ""),
    ((f & 0xf) == 5 ? "|SOCK_SEQPACKET" : ""))),
    strjoin(strjoin((f & 0x800 ? "|SOCK_NONBLOCK" : ""),
    (f & 0x80000 ? "|SOCK_CLOEXEC" : "")),
    (f & ~0x8080f ? strjoin("|", lltostr(f & ~0x8080f, 16)) : ""))), 1);
inline string __sockflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin((f & 0x800 ? "|SOCK_NONBLOCK" : ""),
    (f & 0x80000 ? "|SOCK_CLOEXEC" : "")),
    (f & ~0x80800 ? strjoin("|", lltostr(f & ~0x80800, 16)) : "")), 1);
inline string __waitflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin((f & 1 ? "|WNOHANG" : ""),
    (f & 2 ? "|WUNTRACED" : "")),
    strjoin((f & 4 ? "|WEXITED" : ""),
    (f & 8 ? "|WCONTINUED" : ""))),
    strjoin((f & 0x1000000 ? "|WNOWAIT" : ""),
    (f & ~0x100000f ? strjoin("|", lltostr(f & ~0x100000f, 16)) : ""))), 1);
inline string __cloneflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin(strjoin(strjoin((f & 0x80 ? "|CLONE_NEWTIME" : ""),
    (f & 0x100 ? "|CLONE_VM" : "")),
    strjoin((f & 0x200 ? "|CLONE_FS" : ""),
    (f & 0x400 ? "|CLONE_FILES" : ""))),
    strjoin(strjoin((f & 0x800 ? "|CLONE_SIGHAND" : ""),
    (f & 0x1000 ? "|CLONE_PIDFD" : "")),
    strjoin((f & 0x2000 ? "|CLONE_PTRACE" : ""),
    (f & 0x4000 ? "|CLONE_VFORK" : "")))),
    strjoin(strjoin(strjoin((f & 0x8000 ? "|CLONE_PARENT" : ""),
    (f & 0x10000 ? "|CLONE_THREAD" : "")),
    strjoin((f & 0x20000 ? "|CLONE_NEWNS" : ""),
    (f & 0x40000 ? "|CLONE_SYSVSEM" : ""))),
    strjoin(strjoin((f & 0x80000 ? "|CLONE_SETTLS" : ""),
    (f & 0x100000 ? "|CLONE_PARENT_SETTID" : "")),
    strjoin((f & 0x200000 ? "|CLONE_CHILD_CLEARTID" : ""),
    (f & 0x1000000 ? "|CLONE_CHILD_SETTID" : ""))))),
    strjoin(strjoin(strjoin((f & 0x2000000 ? "|CLONE_NEWCGROUP" : ""),
    (f & 0x4000000 ? "|CLONE_NEWUTS" : "")),
    strjoin((f & 0x8000000 ? "|CLONE_NEWIPC" : ""),
    (f & 0x10000000 ? "|CLONE_NEWUSER" : ""))),
    strjoin(strjoin((f & 0x20000000 ? "|CLONE_NEWPID" : ""),
    (f & 0x40000000 ? "|CLONE_NEWNET" : "")),
    (f & ~0x7f3fff80 ? strjoin("|", lltostr(f & ~0x7f3fff80, 16)) : "")))), 1);
inline string __renameflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin((f & 1 ? "|RENAME_NOREPLACE" : ""),
    (f & 2 ? "|RENAME_EXCHANGE" : "")),
    strjoin((f & 4 ? "|RENAME_WHITEOUT" : ""),
    (f & ~0x7 ? strjoin("|", lltostr(f & ~0x7, 16)) : ""))), 1);
inline string __randomflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin((f & 1 ? "|GRND_NONBLOCK" : ""),
    (f & 2 ? "|GRND_RANDOM" : "")),
    strjoin((f & 4 ? "|GRND_INSECURE" : ""),
    (f & ~0x7 ? strjoin("|", lltostr(f & ~0x7, 16)) : ""))), 1);
inline string __mountflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin(strjoin((f & 1 ? "|MS_RDONLY" : ""),
    (f & 2 ? "|MS_NOSUID" : "")),
    strjoin((f & 4 ? "|MS_NODEV" : ""),
    (f & 8 ? "|MS_NOEXEC" : ""))),
    strjoin(strjoin((f & 0x10 ? "|MS_SYNCHRONOUS" : ""),
    (f & 0x20 ? "|MS_REMOUNT" : "")),
    strjoin((f & 0x400 ? "|MS_NOATIME" : ""),
    (f & 0x1000 ? "|MS_BIND" : "")))),
    strjoin(strjoin(strjoin((f & 0x2000 ? "|MS_MOVE" : ""),
    (f & 0x4000 ? "|MS_REC" : "")),
    strjoin((f & 0x40000 ? "|MS_PRIVATE" : ""),
    (f & 0x80000 ? "|MS_SLAVE" : ""))),
    strjoin(strjoin((f & 0x100000 ? "|MS_SHARED" : ""),
    (f & 0x200000 ? "|MS_RELATIME" : "")),
    (f & ~0x3c743f ? strjoin("|", lltostr(f & ~0x3c743f, 16)) : "")))), 1);
inline string __umountflags[uint32_t f] = f == 0 ? "0" : substr(strjoin(strjoin(strjoin((f & 1 ? "|MNT_FORCE" : ""),
    (f & 2 ? "|MNT_DETACH" : "")),
    strjoin((f & 4 ? "|MNT_EXPIRE" : ""),
    (f & 8 ? "|UMOUNT_NOFOLLOW" : ""))),
    (f & ~0xf ? strjoin("|", lltostr(f & ~0xf, 16)) : "")), 1);
inline string __whence[int n] = n < 2 ?
    (n == 0 ? "SEEK_SET" : n == 1 ? "SEEK_CUR" : lltostr(n)) :
    (n == 2 ? "SEEK_END" : n == 3 ? "SEEK_DATA" : n == 4 ? "SEEK_HOLE" : lltostr(n));
inline string __advice[int n] = n < 12 ?
    (n < 4 ?
    (n == 0 ? "MADV_NORMAL" : n == 1 ? "MADV_RANDOM" : n == 2 ? "MADV_SEQUENTIAL" : n == 3 ? "MADV_WILLNEED" : lltostr(n)) :
    (n == 4 ? "MADV_DONTNEED" : n == 8 ? "MADV_FREE" : n == 10 ? "MADV_DONTFORK" : n == 11 ? "MADV_DOFORK" : lltostr(n))) :
    (n < 20 ?
    (n == 12 ? "MADV_MERGEABLE" : n == 14 ? "MADV_HUGEPAGE" : n == 15 ? "MADV_NOHUGEPAGE" : n == 16 ? "MADV_DONTDUMP" : lltostr(n)) :
    (n < 22 ?
    (n == 20 ? "MADV_COLD" : n == 21 ? "MADV_PAGEOUT" : lltostr(n)) :
    (n == 22 ? "MADV_POPULATE_READ" : n == 23 ? "MADV_POPULATE_WRITE" : n == 102 ? "MADV_GUARD_INSTALL" : lltostr(n))));
inline string __family[int n] = n < 16 ?
    (n == 0 ? "AF_UNSPEC" : n == 1 ? "AF_UNIX" : n == 2 ? "AF_INET" : n == 10 ? "AF_INET6" : lltostr(n)) :
    (n == 16 ? "AF_NETLINK" : n == 17 ? "AF_PACKET" : n == 38 ? "AF_ALG" : n == 40 ? "AF_VSOCK" : lltostr(n));
inline string __shutdown[int n] = n == 0 ? "SHUT_RD" : n == 1 ? "SHUT_WR" : n == 2 ? "SHUT_RDWR" : lltostr(n);
inline string __sockopt[int n] = n < 17 ?
    (n == 0 ? "SOL_IP" : n == 1 ? "SOL_SOCKET" : n == 6 ? "SOL_TCP" : lltostr(n)) :
    (n == 17 ? "SOL_UDP" : n == 41 ? "SOL_IPV6" : n == 270 ? "SOL_NETLINK" : lltostr(n));
inline string __fcntl[int n] = n < 9 ?
    (n < 4 ?
    (n == 0 ? "F_DUPFD" : n == 1 ? "F_GETFD" : n == 2 ? "F_SETFD" : n == 3 ? "F_GETFL" : lltostr(n)) :
    (n < 6 ?
    (n == 4 ? "F_SETFL" : n == 5 ? "F_GETLK" : lltostr(n)) :
    (n == 6 ? "F_SETLK" : n == 7 ? "F_SETLKW" : n == 8 ? "F_SETOWN" : lltostr(n)))) :
    (n < 1030 ?
    (n == 9 ? "F_GETOWN" : n == 36 ? "F_OFD_GETLK" : n == 37 ? "F_OFD_SETLK" : n == 38 ? "F_OFD_SETLKW" : lltostr(n)) :
    (n < 1032 ?
    (n == 1030 ? "F_DUPFD_CLOEXEC" : n == 1031 ? "F_SETPIPE_SZ" : lltostr(n)) :
    (n == 1032 ? "F_GETPIPE_SZ" : n == 1033 ? "F_ADD_SEALS" : n == 1034 ? "F_GET_SEALS" : lltostr(n))));
inline string __flock[int n] = n < 5 ?
    (n == 1 ? "LOCK_SH" : n == 2 ? "LOCK_EX" : lltostr(n)) :
    (n == 5 ? "LOCK_SH|LOCK_NB" : n == 6 ? "LOCK_EX|LOCK_NB" : n == 8 ? "LOCK_UN" : lltostr(n));
inline string __ioctl[int n] = n < 0x5421 ?
    (n < 0x5410 ?
    (n == 0x5401 ? "TCGETS" : n == 0x5402 ? "TCSETS" : n == 0x5403 ? "TCSETSW" : n == 0x540f ? "TIOCGPGRP" : lltostr(n)) :
    (n == 0x5410 ? "TIOCSPGRP" : n == 0x5413 ? "TIOCGWINSZ" : n == 0x5414 ? "TIOCSWINSZ" : n == 0x541b ? "FIONREAD" : lltostr(n))) :
    (n < 0x8915 ?
    (n == 0x5421 ? "FIONBIO" : n == 0x5451 ? "FIOCLEX" : n == 0x8912 ? "SIOCGIFCONF" : n == 0x8913 ? "SIOCGIFFLAGS" : lltostr(n)) :
    (n == 0x8915 ? "SIOCGIFADDR" : n == 0x40049409 ? "FICLONE" : n == 0x80081272 ? "BLKGETSIZE64" : n == 0x802c542a ? "TCGETS2" : lltostr(n)));
inline string __signal[int n] = n < 16 ?
    (n < 8 ?
    (n < 4 ?
    (n == 0 ? "0" : n == 1 ? "SIGHUP" : n == 2 ? "SIGINT" : n == 3 ? "SIGQUIT" : lltostr(n)) :
    (n == 4 ? "SIGILL" : n == 5 ? "SIGTRAP" : n == 6 ? "SIGABRT" : n == 7 ? "SIGBUS" : lltostr(n))) :
    (n < 12 ?
    (n == 8 ? "SIGFPE" : n == 9 ? "SIGKILL" : n == 10 ? "SIGUSR1" : n == 11 ? "SIGSEGV" : lltostr(n)) :
    (n == 12 ? "SIGUSR2" : n == 13 ? "SIGPIPE" : n == 14 ? "SIGALRM" : n == 15 ? "SIGTERM" : lltostr(n)))) :
    (n < 24 ?
    (n < 20 ?
    (n == 16 ? "SIGSTKFLT" : n == 17 ? "SIGCHLD" : n == 18 ? "SIGCONT" : n == 19 ? "SIGSTOP" : lltostr(n)) :
    (n == 20 ? "SIGTSTP" : n == 21 ? "SIGTTIN" : n == 22 ? "SIGTTOU" : n == 23 ? "SIGURG" : lltostr(n))) :
    (n < 28 ?
    (n == 24 ? "SIGXCPU" : n == 25 ? "SIGXFSZ" : n == 26 ? "SIGVTALRM" : n == 27 ? "SIGPROF" : lltostr(n)) :
    (n < 30 ?
    (n == 28 ? "SIGWINCH" : n == 29 ? "SIGIO" : lltostr(n)) :
    (n == 30 ? "SIGPWR" : n == 31 ? "SIGSYS" : n == 32 ? "SIGRTMIN" : lltostr(n)))));
inline string __sighow[int n] = n == 0 ? "SIG_BLOCK" : n == 1 ? "SIG_UNBLOCK" : n == 2 ? "SIG_SETMASK" : lltostr(n);
inline string __futexop[int n] = n < 129 ?
    (n < 6 ?
    (n == 0 ? "FUTEX_WAIT" : n == 1 ? "FUTEX_WAKE" : n == 3 ? "FUTEX_REQUEUE" : n == 4 ? "FUTEX_CMP_REQUEUE" : lltostr(n)) :
    (n == 6 ? "FUTEX_LOCK_PI" : n == 7 ? "FUTEX_UNLOCK_PI" : n == 9 ? "FUTEX_WAIT_BITSET" : n == 128 ? "FUTEX_WAIT_PRIVATE" : lltostr(n))) :
    (n < 134 ?
    (n == 129 ? "FUTEX_WAKE_PRIVATE" : n == 131 ? "FUTEX_REQUEUE_PRIVATE" : n == 132 ? "FUTEX_CMP_REQUEUE_PRIVATE" : n == 133 ? "FUTEX_WAKE_OP_PRIVATE" : lltostr(n)) :
    (n < 137 ?
    (n == 134 ? "FUTEX_LOCK_PI_PRIVATE" : n == 135 ? "FUTEX_UNLOCK_PI_PRIVATE" : lltostr(n)) :
    (n == 137 ? "FUTEX_WAIT_BITSET_PRIVATE" : n == 265 ? "FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME" : n == 393 ? "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME" : lltostr(n))));
inline string __epollop[int n] = n == 1 ? "EPOLL_CTL_ADD" : n == 2 ? "EPOLL_CTL_DEL" : n == 3 ? "EPOLL_CTL_MOD" : lltostr(n);
inline string __clockid[int n] = n < 4 ?
    (n == 0 ? "CLOCK_REALTIME" : n == 1 ? "CLOCK_MONOTONIC" : n == 2 ? "CLOCK_PROCESS_CPUTIME_ID" : n == 3 ? "CLOCK_THREAD_CPUTIME_ID" : lltostr(n)) :
    (n == 4 ? "CLOCK_MONOTONIC_RAW" : n == 5 ? "CLOCK_REALTIME_COARSE" : n == 6 ? "CLOCK_MONOTONIC_COARSE" : n == 7 ? "CLOCK_BOOTTIME" : lltostr(n));
inline string __resource[int n] = n < 8 ?
    (n < 4 ?
    (n == 0 ? "RLIMIT_CPU" : n == 1 ? "RLIMIT_FSIZE" : n == 2 ? "RLIMIT_DATA" : n == 3 ? "RLIMIT_STACK" : lltostr(n)) :
    (n == 4 ? "RLIMIT_CORE" : n == 5 ? "RLIMIT_RSS" : n == 6 ? "RLIMIT_NPROC" : n == 7 ? "RLIMIT_NOFILE" : lltostr(n))) :
    (n < 12 ?
    (n == 8 ? "RLIMIT_MEMLOCK" : n == 9 ? "RLIMIT_AS" : n == 10 ? "RLIMIT_LOCKS" : n == 11 ? "RLIMIT_SIGPENDING" : lltostr(n)) :
    (n == 12 ? "RLIMIT_MSGQUEUE" : n == 13 ? "RLIMIT_NICE" : n == 14 ? "RLIMIT_RTPRIO" : n == 15 ? "RLIMIT_RTTIME" : lltostr(n)));
inline string __archprctl[int n] = n < 0x1004 ?
    (n == 0x1001 ? "ARCH_SET_GS" : n == 0x1002 ? "ARCH_SET_FS" : n == 0x1003 ? "ARCH_GET_FS" : lltostr(n)) :
    (n == 0x1004 ? "ARCH_GET_GS" : n == 0x5001 ? "ARCH_SHSTK_ENABLE" : n == 0x5002 ? "ARCH_SHSTK_DISABLE" : n == 0x5003 ? "ARCH_SHSTK_LOCK" : lltostr(n));
inline string __prctl[int n] = n < 21 ?
    (n < 4 ?
    (n == 1 ? "PR_SET_PDEATHSIG" : n == 3 ? "PR_GET_DUMPABLE" : lltostr(n)) :
    (n == 4 ? "PR_SET_DUMPABLE" : n == 15 ? "PR_SET_NAME" : n == 16 ? "PR_GET_NAME" : lltostr(n))) :
    (n < 36 ?
    (n == 21 ? "PR_GET_SECCOMP" : n == 22 ? "PR_SET_SECCOMP" : n == 23 ? "PR_CAPBSET_READ" : lltostr(n)) :
    (n == 36 ? "PR_SET_CHILD_SUBREAPER" : n == 38 ? "PR_SET_NO_NEW_PRIVS" : n == 0x53564d41 ? "PR_SET_VMA" : lltostr(n)));
inline string __rusage[int n] = n == -1 ? "RUSAGE_CHILDREN" : n == 0 ? "RUSAGE_SELF" : n == 1 ? "RUSAGE_THREAD" : lltostr(n);
inline string __errors[int n] = n < 37 ?
    (n < 19 ?
    (n < 10 ?
    (n < 5 ?
    (n == 1 ? "EPERM" : n == 2 ? "ENOENT" : n == 3 ? "ESRCH" : n == 4 ? "EINTR" : lltostr(n)) :
    (n < 7 ?
    (n == 5 ? "EIO" : n == 6 ? "ENXIO" : lltostr(n)) :
    (n == 7 ? "E2BIG" : n == 8 ? "ENOEXEC" : n == 9 ? "EBADF" : lltostr(n)))) :
    (n < 14 ?
    (n == 10 ? "ECHILD" : n == 11 ? "EAGAIN" : n == 12 ? "ENOMEM" : n == 13 ? "EACCES" : lltostr(n)) :
    (n < 16 ?
    (n == 14 ? "EFAULT" : n == 15 ? "ENOTBLK" : lltostr(n)) :
    (n == 16 ? "EBUSY" : n == 17 ? "EEXIST" : n == 18 ? "EXDEV" : lltostr(n))))) :
    (n < 28 ?
    (n < 23 ?
    (n == 19 ? "ENODEV" : n == 20 ? "ENOTDIR" : n == 21 ? "EISDIR" : n == 22 ? "EINVAL" : lltostr(n)) :
    (n < 25 ?
    (n == 23 ? "ENFILE" : n == 24 ? "EMFILE" : lltostr(n)) :
    (n == 25 ? "ENOTTY" : n == 26 ? "ETXTBSY" : n == 27 ? "EFBIG" : lltostr(n)))) :
    (n < 32 ?
    (n == 28 ? "ENOSPC" : n == 29 ? "ESPIPE" : n == 30 ? "EROFS" : n == 31 ? "EMLINK" : lltostr(n)) :
    (n < 34 ?
    (n == 32 ? "EPIPE" : n == 33 ? "EDOM" : lltostr(n)) :
    (n == 34 ? "ERANGE" : n == 35 ? "EDEADLK" : n == 36 ? "ENAMETOOLONG" : lltostr(n)))))) :
    (n < 101 ?
    (n < 90 ?
    (n < 61 ?
    (n == 37 ? "ENOLCK" : n == 38 ? "ENOSYS" : n == 39 ? "ENOTEMPTY" : n == 40 ? "ELOOP" : lltostr(n)) :
    (n < 75 ?
    (n == 61 ? "ENODATA" : n == 71 ? "EPROTO" : lltostr(n)) :
    (n == 75 ? "EOVERFLOW" : n == 88 ? "ENOTSOCK" : n == 89 ? "EDESTADDRREQ" : lltostr(n)))) :
    (n < 95 ?
    (n == 90 ? "EMSGSIZE" : n == 91 ? "EPROTOTYPE" : n == 92 ? "ENOPROTOOPT" : n == 93 ? "EPROTONOSUPPORT" : lltostr(n)) :
    (n < 98 ?
    (n == 95 ? "EOPNOTSUPP" : n == 97 ? "EAFNOSUPPORT" : lltostr(n)) :
    (n == 98 ? "EADDRINUSE" : n == 99 ? "EADDRNOTAVAIL" : n == 100 ? "ENETDOWN" : lltostr(n))))) :
    (n < 114 ?
    (n < 106 ?
    (n == 101 ? "ENETUNREACH" : n == 103 ? "ECONNABORTED" : n == 104 ? "ECONNRESET" : n == 105 ? "ENOBUFS" : lltostr(n)) :
    (n < 110 ?
    (n == 106 ? "EISCONN" : n == 107 ? "ENOTCONN" : lltostr(n)) :
    (n == 110 ? "ETIMEDOUT" : n == 111 ? "ECONNREFUSED" : n == 113 ? "EHOSTUNREACH" : lltostr(n)))) :
    (n < 125 ?
    (n == 114 ? "EALREADY" : n == 115 ? "EINPROGRESS" : n == 116 ? "ESTALE" : n == 122 ? "EDQUOT" : lltostr(n)) :
    (n < 513 ?
    (n == 125 ? "ECANCELED" : n == 512 ? "ERESTARTSYS" : lltostr(n)) :
    (n == 513 ? "ERESTARTNOINTR" : n == 514 ? "ERESTARTNOHAND" : n == 516 ? "ERESTART_RESTARTBLOCK" : lltostr(n))))));

/* A pointer that the kernel refused cannot be read here either. */
inline string __quote[uint64_t p] = p ? "\"" : "";
inline string __text[uint64_t p] = !p ? "NULL" : errno == 14 ? lltostr(p, 16) : copyinstr(p);
inline string __bytes[uint64_t p, int64_t n] = !p ? "NULL" : errno == 14 ? lltostr(p, 16) : n <= 0 ? "" :
    copyinstr(p, n < 40 ? n + 1 : 41);
inline string __dirfd[uint64_t n] = (int)n == -100 ? "AT_FDCWD" : lltostr((int)n);
inline uint16_t __port[uint64_t p] = ntohs(*(uint16_t *)copyin(p + 2, 2));
inline string __sockaddr[uint64_t p] = !p ? "NULL" : errno == 14 ? lltostr(p, 16) : *(uint16_t *)copyin(p, 2) == 1 ?
    strjoin("{AF_UNIX, \"", strjoin(copyinstr(p + 2), "\"}")) : *(uint16_t *)copyin(p, 2) == 2 ?
    strjoin("{AF_INET, ", strjoin(inet_ntoa((ipaddr_t *)copyin(p + 4, 4)), strjoin(":", strjoin(lltostr(__port[p]), "}")))) :
    *(uint16_t *)copyin(p, 2) == 10 ? strjoin("{AF_INET6, ", strjoin(lltostr(__port[p]), "}")) :
    strjoin("{", strjoin(__family[*(uint16_t *)copyin(p, 2)], "}"));

hrtime_t start;
self hrtime_t begun;
self uint64_t a0;
self uint64_t a1;
self uint64_t a2;
self uint64_t a3;
self uint64_t a4;
self uint64_t a5;

inline string RESULT = errno ? strjoin("-1 ", __errors[errno]) : (uint64_t)arg1 >> 31 ? lltostr(arg1, 16) : lltostr(arg1);
inline string SINCE = $5 ? strjoin(lltostr((timestamp - start) / 1000), "us ") : "";
inline string TIME = $4 ? strjoin(lltostr((timestamp - self->begun) / 1000), "us ") : "";

BEGIN
/!$2/
{
	printf("%7s/%-7s %s%sSYSCALL(ARGUMENTS) = RESULT\n", "PID", "TID", $5 ? "SINCE " : "", $4 ? "TIME " : "");
}

BEGIN
{
	start = timestamp;
	follows[$target] = 1;
}

proc:::create
/$1 && follows[pid]/
{
	follows[args[0]->pr_pid] = 1;
}

proc:::exit
/$1 && pid != $target && follows[pid]/
{
	follows[pid] = 0;
}

syscall:::entry
/follows[pid] && ($$3 == "" || probefunc == $$3)/
{
	self->a0 = arg0;
	self->a1 = arg1;
	self->a2 = arg2;
	self->a3 = arg3;
	self->a4 = arg4;
	self->a5 = arg5;
	self->begun = timestamp;
}

/* The old program's memory is gone when the call returns. */
proc:::exec
/self->begun && !$2/
{
	self->path = stringof(args[0]);
}

syscall::exit:entry,
syscall::exit_group:entry
/self->begun && !$2/
{
	printf("%7d/%-7d %s%s%s(%d) = ?\n", pid, tid, SINCE, TIME, probefunc, (int)arg0);
}

syscall:::return
/self->begun && $2/
{
	@n[probefunc] = count();
	@failed[probefunc] = sum(errno != 0);
	@t[probefunc] = sum(timestamp - self->begun);
	self->begun = 0;
}

syscall::execve:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(\"%s\", %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc, self->path, self->a1, self->a2, RESULT);
	self->path = 0;
	self->begun = 0;
}

syscall::fork:return,
syscall::getegid:return,
syscall::geteuid:return,
syscall::getgid:return,
syscall::getpgrp:return,
syscall::getpid:return,
syscall::getppid:return,
syscall::gettid:return,
syscall::getuid:return,
syscall::inotify_init:return,
syscall::munlockall:return,
syscall::pause:return,
syscall::rseq_slice_yield:return,
syscall::sched_yield:return,
syscall::setsid:return,
syscall::sync:return,
syscall::vfork:return,
syscall::vhangup:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s() = %s\n", pid, tid, SINCE, TIME, probefunc, RESULT);
	self->begun = 0;
}

syscall::arch_prctl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __archprctl[self->a0],
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::timerfd_create:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __clockid[self->a0],
	    __fdflags[self->a1], RESULT);
	self->begun = 0;
}

syscall::clock_adjtime:return,
syscall::clock_getres:return,
syscall::clock_gettime:return,
syscall::clock_settime:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __clockid[self->a0],
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::timer_create:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __clockid[self->a0],
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::clock_nanosleep:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __clockid[self->a0],
	    (int)self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::unshare:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __cloneflags[self->a0], RESULT);
	self->begun = 0;
}

syscall::clone:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __cloneflags[self->a0],
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::dup2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    (int)self->a1, RESULT);
	self->begun = 0;
}

syscall::pidfd_getfd:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    (int)self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::process_mrelease:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::process_madvise:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x, %u, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    self->a1,
	    self->a2,
	    (int)self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::faccessat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __access[self->a2], RESULT);
	self->begun = 0;
}

syscall::faccessat2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __access[self->a2],
	    __atflags[self->a3], RESULT);
	self->begun = 0;
}

syscall::unlinkat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __atflags[self->a2], RESULT);
	self->begun = 0;
}

syscall::statx:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __atflags[self->a2],
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::renameat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __dirfd[self->a2],
	    __quote[self->a3], __text[self->a3], __quote[self->a3], RESULT);
	self->begun = 0;
}

syscall::linkat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %s%S%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __dirfd[self->a2],
	    __quote[self->a3], __text[self->a3], __quote[self->a3],
	    __atflags[self->a4], RESULT);
	self->begun = 0;
}

syscall::move_mount:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %s%S%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __dirfd[self->a2],
	    __quote[self->a3], __text[self->a3], __quote[self->a3],
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::renameat2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %s%S%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __dirfd[self->a2],
	    __quote[self->a3], __text[self->a3], __quote[self->a3],
	    __renameflags[self->a4], RESULT);
	self->begun = 0;
}

syscall::fspick:return,
syscall::futimesat:return,
syscall::open_tree:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::newfstatat:return,
syscall::utimensat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    __atflags[self->a3], RESULT);
	self->begun = 0;
}

syscall::execveat:return,
syscall::name_to_handle_at:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %#x, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3,
	    __atflags[self->a4], RESULT);
	self->begun = 0;
}

syscall::listxattrat:return,
syscall::mount_setattr:return,
syscall::open_tree_attr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::removexattrat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    __quote[self->a3], __text[self->a3], __quote[self->a3], RESULT);
	self->begun = 0;
}

syscall::getxattrat:return,
syscall::setxattrat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %s%S%s, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    __quote[self->a3], __text[self->a3], __quote[self->a3],
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::openat2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::file_getattr:return,
syscall::file_setattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::fchownat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %d, %d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    (int)self->a2,
	    (int)self->a3,
	    __atflags[self->a4], RESULT);
	self->begun = 0;
}

syscall::fchmodat:return,
syscall::mkdirat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#o) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::fchmodat2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#o, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    (int)self->a2,
	    __atflags[self->a3], RESULT);
	self->begun = 0;
}

syscall::mknodat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %#o, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::openat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s, %#o) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __openflags[self->a2],
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::readlinkat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s%S%s, %s%S%s, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __dirfd[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __quote[self->a2], __bytes[self->a2, (errno ? 0 : (int64_t)arg1)], !self->a2 ? "" : (errno ? 0 : (int64_t)arg1) > 40 ? "\"..." : "\"",
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::socket:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __family[self->a0],
	    __socktype[self->a1],
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::socketpair:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %s, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __family[self->a0],
	    __socktype[self->a1],
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::close:return,
syscall::dup:return,
syscall::fchdir:return,
syscall::fdatasync:return,
syscall::fsync:return,
syscall::syncfs:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0, RESULT);
	self->begun = 0;
}

syscall::setns:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __cloneflags[self->a1], RESULT);
	self->begun = 0;
}

syscall::epoll_ctl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __epollop[self->a1],
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::fcntl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __fcntl[self->a1],
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::dup3:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    __fdflags[self->a2], RESULT);
	self->begun = 0;
}

syscall::sendfile:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::tee:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::kexec_file_load:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %u, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::flock:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __flock[self->a1], RESULT);
	self->begun = 0;
}

syscall::fchroot:return,
syscall::fstat:return,
syscall::fstatfs:return,
syscall::landlock_restrict_self:return,
syscall::timerfd_gettime:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::copy_file_range:return,
syscall::splice:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::accept:return,
syscall::fsmount:return,
syscall::getpeername:return,
syscall::getsockname:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::fanotify_mark:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x, %s, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    __dirfd[self->a3],
	    __quote[self->a4], __text[self->a4], __quote[self->a4], RESULT);
	self->begun = 0;
}

syscall::cachestat:return,
syscall::timerfd_settime:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::accept4:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    __sockflags[self->a3], RESULT);
	self->begun = 0;
}

syscall::quotactl_fd:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::epoll_pwait2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::epoll_wait:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2,
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::epoll_pwait:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d, %d, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2,
	    (int)self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::fallocate:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int64_t)self->a2,
	    (int64_t)self->a3, RESULT);
	self->begun = 0;
}

syscall::recvmsg:return,
syscall::sendmsg:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    __msgflags[self->a2], RESULT);
	self->begun = 0;
}

syscall::open_by_handle_at:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    __openflags[self->a2], RESULT);
	self->begun = 0;
}

syscall::fsconfig:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %s%S%s, %#x, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    __quote[self->a2], __text[self->a2], __quote[self->a2],
	    self->a3,
	    (int)self->a4, RESULT);
	self->begun = 0;
}

syscall::flistxattr:return,
syscall::getdents:return,
syscall::getdents64:return,
syscall::readv:return,
syscall::signalfd:return,
syscall::writev:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::vmsplice:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::sendmmsg:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    __msgflags[self->a3], RESULT);
	self->begun = 0;
}

syscall::recvmmsg:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    __msgflags[self->a3],
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::preadv:return,
syscall::pwritev:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %u, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::preadv2:return,
syscall::pwritev2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %u, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::inotify_rm_watch:return,
syscall::listen:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1, RESULT);
	self->begun = 0;
}

syscall::landlock_add_rule:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::fchown:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::ioctl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __ioctl[self->a1],
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::ftruncate:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int64_t)self->a1, RESULT);
	self->begun = 0;
}

syscall::sync_file_range:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int64_t)self->a1,
	    (int64_t)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::readahead:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int64_t)self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::fadvise64:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int64_t)self->a1,
	    self->a2,
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::lseek:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int64_t)self->a1,
	    __whence[self->a2], RESULT);
	self->begun = 0;
}

syscall::fchmod:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#o) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1, RESULT);
	self->begun = 0;
}

syscall::read:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (errno ? 0 : (int64_t)arg1)], !self->a1 ? "" : (errno ? 0 : (int64_t)arg1) > 40 ? "\"..." : "\"",
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::pread64:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (errno ? 0 : (int64_t)arg1)], !self->a1 ? "" : (errno ? 0 : (int64_t)arg1) > 40 ? "\"..." : "\"",
	    self->a2,
	    (int64_t)self->a3, RESULT);
	self->begun = 0;
}

syscall::recvfrom:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u, %s, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (errno ? 0 : (int64_t)arg1)], !self->a1 ? "" : (errno ? 0 : (int64_t)arg1) > 40 ? "\"..." : "\"",
	    self->a2,
	    __msgflags[self->a3],
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::shutdown:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __shutdown[self->a1], RESULT);
	self->begun = 0;
}

syscall::pidfd_send_signal:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __signal[self->a1],
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::bind:return,
syscall::connect:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __sockaddr[self->a1],
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::getsockopt:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __sockopt[self->a1],
	    (int)self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::setsockopt:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %d, %#x, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __sockopt[self->a1],
	    (int)self->a2,
	    self->a3,
	    (int)self->a4, RESULT);
	self->begun = 0;
}

syscall::fremovexattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __text[self->a1], __quote[self->a1], RESULT);
	self->begun = 0;
}

syscall::finit_module:return,
syscall::inotify_add_watch:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::fgetxattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::fsetxattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::io_uring_register:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %u, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::io_uring_enter:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %u, %u, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::write:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (int64_t)self->a2], !self->a1 ? "" : (int64_t)self->a2 > 40 ? "\"..." : "\"",
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::pwrite64:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (int64_t)self->a2], !self->a1 ? "" : (int64_t)self->a2 > 40 ? "\"..." : "\"",
	    self->a2,
	    (int64_t)self->a3, RESULT);
	self->begun = 0;
}

syscall::sendto:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u, %s, %s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (int64_t)self->a2], !self->a1 ? "" : (int64_t)self->a2 > 40 ? "\"..." : "\"",
	    self->a2,
	    __msgflags[self->a3],
	    __sockaddr[self->a4],
	    (int)self->a5, RESULT);
	self->begun = 0;
}

syscall::epoll_create1:return,
syscall::inotify_init1:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __fdflags[self->a0], RESULT);
	self->begun = 0;
}

syscall::adjtimex:return,
syscall::brk:return,
syscall::io_destroy:return,
syscall::memfd_secret:return,
syscall::mlockall:return,
syscall::pipe:return,
syscall::set_tid_address:return,
syscall::shmdt:return,
syscall::sysinfo:return,
syscall::time:return,
syscall::times:return,
syscall::umask:return,
syscall::uname:return,
syscall::userfaultfd:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0, RESULT);
	self->begun = 0;
}

syscall::pipe2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    __fdflags[self->a1], RESULT);
	self->begun = 0;
}

syscall::futex:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %s, %u, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    __futexop[self->a1],
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::gettimeofday:return,
syscall::nanosleep:return,
syscall::settimeofday:return,
syscall::sigaltstack:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::getcpu:return,
syscall::getresgid:return,
syscall::getresuid:return,
syscall::io_cancel:return,
syscall::lsm_list_modules:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::rt_sigtimedwait:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::membarrier:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::futex_wake:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::futex_requeue:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    (int)self->a2,
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::set_mempolicy:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::listmount:return,
syscall::listns:return,
syscall::statmount:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::get_mempolicy:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %u, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::bpf:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %u, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::perf_event_open:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %d, %d, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    (int)self->a1,
	    (int)self->a2,
	    (int)self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::io_submit:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    (int64_t)self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::io_getevents:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %d, %d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    (int64_t)self->a1,
	    (int64_t)self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::io_pgetevents:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %d, %d, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    (int64_t)self->a1,
	    (int64_t)self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::quotactl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %s%S%s, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::clone3:return,
syscall::fanotify_init:return,
syscall::mlock:return,
syscall::munlock:return,
syscall::munmap:return,
syscall::pkey_alloc:return,
syscall::rt_sigpending:return,
syscall::rt_sigsuspend:return,
syscall::set_robust_list:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::madvise:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __advice[self->a2], RESULT);
	self->begun = 0;
}

syscall::landlock_create_ruleset:return,
syscall::map_shadow_stack:return,
syscall::mincore:return,
syscall::mlock2:return,
syscall::mseal:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::futex_wait:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %#x, %#x, %#x, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    (int)self->a5, RESULT);
	self->begun = 0;
}

syscall::futex_waitv:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %#x, %#x, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    (int)self->a4, RESULT);
	self->begun = 0;
}

syscall::ppoll:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::mbind:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %#x, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::rseq:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::poll:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::msync:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __msyncflags[self->a2], RESULT);
	self->begun = 0;
}

syscall::mprotect:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __prot[self->a2], RESULT);
	self->begun = 0;
}

syscall::pkey_mprotect:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __prot[self->a2],
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::mmap:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s, %s, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __prot[self->a2],
	    __mapflags[self->a3],
	    (int)self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::getrandom:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __randomflags[self->a2], RESULT);
	self->begun = 0;
}

syscall::init_module:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    __quote[self->a2], __text[self->a2], __quote[self->a2], RESULT);
	self->begun = 0;
}

syscall::set_mempolicy_home_node:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::mremap:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %u, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    __mremapflags[self->a3],
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::remap_file_pages:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %u, %u, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::epoll_create:return,
syscall::getpgid:return,
syscall::getsid:return,
syscall::pkey_free:return,
syscall::sched_get_priority_max:return,
syscall::sched_get_priority_min:return,
syscall::sched_getscheduler:return,
syscall::setfsgid:return,
syscall::setfsuid:return,
syscall::setgid:return,
syscall::setuid:return,
syscall::timer_delete:return,
syscall::timer_getoverrun:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0, RESULT);
	self->begun = 0;
}

syscall::capset:return,
syscall::getgroups:return,
syscall::getitimer:return,
syscall::mq_notify:return,
syscall::pidfd_open:return,
syscall::sched_getparam:return,
syscall::sched_rr_get_interval:return,
syscall::sched_setparam:return,
syscall::setgroups:return,
syscall::timer_gettime:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::get_robust_list:return,
syscall::mq_getsetattr:return,
syscall::msgctl:return,
syscall::sched_setattr:return,
syscall::setitimer:return,
syscall::shmctl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::timer_settime:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::keyctl:return,
syscall::select:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::pselect6:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %#x, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::shmat:return,
syscall::syslog:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::modify_ldt:return,
syscall::semop:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::signalfd4:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    __fdflags[self->a3], RESULT);
	self->begun = 0;
}

syscall::sched_getattr:return,
syscall::semtimedop:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::mq_timedreceive:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::process_vm_readv:return,
syscall::process_vm_writev:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::msgsnd:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::msgrcv:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %u, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    (int64_t)self->a3,
	    (int)self->a4, RESULT);
	self->begun = 0;
}

syscall::wait4:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %#x, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    __waitflags[self->a2],
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::capget:return,
syscall::getpriority:return,
syscall::ioprio_get:return,
syscall::msgget:return,
syscall::setpgid:return,
syscall::setregid:return,
syscall::setreuid:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1, RESULT);
	self->begun = 0;
}

syscall::sched_setscheduler:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::reboot:return,
syscall::semctl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::waitid:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %#x, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    self->a2,
	    __waitflags[self->a3],
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::ioprio_set:return,
syscall::semget:return,
syscall::setpriority:return,
syscall::setresgid:return,
syscall::setresuid:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::kcmp:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %d, %u, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    (int)self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::tgkill:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    __signal[self->a2], RESULT);
	self->begun = 0;
}

syscall::rt_tgsigqueueinfo:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    (int)self->a1,
	    __signal[self->a2],
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::prlimit64:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __resource[self->a1],
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::kill:return,
syscall::tkill:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __signal[self->a1], RESULT);
	self->begun = 0;
}

syscall::rt_sigqueueinfo:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __signal[self->a1],
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::sched_getaffinity:return,
syscall::sched_setaffinity:return,
syscall::sysfs:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::migrate_pages:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %u, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::move_pages:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %u, %#x, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4,
	    self->a5, RESULT);
	self->begun = 0;
}

syscall::shmget:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::mq_timedsend:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %s%S%s, %u, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int)self->a0,
	    __quote[self->a1], __bytes[self->a1, (int64_t)self->a2], !self->a1 ? "" : (int64_t)self->a2 > 40 ? "\"..." : "\"",
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::ptrace:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%d, %d, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    (int64_t)self->a0,
	    (int64_t)self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::prctl:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __prctl[self->a0],
	    self->a1,
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::getcwd:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __bytes[self->a0, (errno ? 0 : (int64_t)arg1)], !self->a0 ? "" : (errno ? 0 : (int64_t)arg1) > 40 ? "\"..." : "\"",
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::getrlimit:return,
syscall::setrlimit:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __resource[self->a0],
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::getrusage:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __rusage[self->a0],
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::rt_sigprocmask:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __sighow[self->a0],
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::rt_sigaction:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s, %#x, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __signal[self->a0],
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::acct:return,
syscall::chdir:return,
syscall::chroot:return,
syscall::mq_unlink:return,
syscall::rmdir:return,
syscall::swapoff:return,
syscall::unlink:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0], RESULT);
	self->begun = 0;
}

syscall::access:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __access[self->a1], RESULT);
	self->begun = 0;
}

syscall::symlinkat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __dirfd[self->a1],
	    __quote[self->a2], __text[self->a2], __quote[self->a2], RESULT);
	self->begun = 0;
}

syscall::delete_module:return,
syscall::fsopen:return,
syscall::lstat:return,
syscall::memfd_create:return,
syscall::stat:return,
syscall::statfs:return,
syscall::utime:return,
syscall::utimes:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::listxattr:return,
syscall::llistxattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::setdomainname:return,
syscall::sethostname:return,
syscall::swapon:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    (int)self->a1, RESULT);
	self->begun = 0;
}

syscall::chown:return,
syscall::lchown:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %d, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    (int)self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::truncate:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    (int64_t)self->a1, RESULT);
	self->begun = 0;
}

syscall::chmod:return,
syscall::creat:return,
syscall::mkdir:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %#o) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    (int)self->a1, RESULT);
	self->begun = 0;
}

syscall::mknod:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %#o, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    (int)self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::open:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s, %#o) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __openflags[self->a1],
	    (int)self->a2, RESULT);
	self->begun = 0;
}

syscall::mq_open:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s, %#o, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __openflags[self->a1],
	    (int)self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::readlink:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __bytes[self->a1, (errno ? 0 : (int64_t)arg1)], !self->a1 ? "" : (errno ? 0 : (int64_t)arg1) > 40 ? "\"..." : "\"",
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::link:return,
syscall::lremovexattr:return,
syscall::pivot_root:return,
syscall::removexattr:return,
syscall::rename:return,
syscall::symlink:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1], RESULT);
	self->begun = 0;
}

syscall::getxattr:return,
syscall::lgetxattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s, %#x, %u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::lsetxattr:return,
syscall::setxattr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3,
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::add_key:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s, %#x, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    self->a2,
	    self->a3,
	    (int)self->a4, RESULT);
	self->begun = 0;
}

syscall::request_key:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s, %s%S%s, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __quote[self->a2], __text[self->a2], __quote[self->a2],
	    (int)self->a3, RESULT);
	self->begun = 0;
}

syscall::mount:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s%S%s, %s%S%s, %s, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __quote[self->a1], __text[self->a1], __quote[self->a1],
	    __quote[self->a2], __text[self->a2], __quote[self->a2],
	    __mountflags[self->a3],
	    self->a4, RESULT);
	self->begun = 0;
}

syscall::umount2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%s%S%s, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    __quote[self->a0], __text[self->a0], __quote[self->a0],
	    __umountflags[self->a1], RESULT);
	self->begun = 0;
}

syscall::alarm:return,
syscall::eventfd:return,
syscall::iopl:return,
syscall::personality:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0, RESULT);
	self->begun = 0;
}

syscall::eventfd2:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %s) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    __fdflags[self->a1], RESULT);
	self->begun = 0;
}

syscall::io_setup:return,
syscall::io_uring_setup:return,
syscall::ustat:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1, RESULT);
	self->begun = 0;
}

syscall::seccomp:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::lsm_get_self_attr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::lsm_set_self_attr:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %#x, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::close_range:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %u, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2, RESULT);
	self->begun = 0;
}

syscall::kexec_load:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %u, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    self->a2,
	    self->a3, RESULT);
	self->begun = 0;
}

syscall::ioperm:return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%u, %u, %d) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0,
	    self->a1,
	    (int)self->a2, RESULT);
	self->begun = 0;
}


/* A call that the table does not know yet. */
syscall:::return
/self->begun/
{
	printf("%7d/%-7d %s%s%s(%#x, %#x, %#x, %#x, %#x, %#x) = %s\n", pid, tid, SINCE, TIME, probefunc,
	    self->a0, self->a1, self->a2, self->a3, self->a4, self->a5, RESULT);
	self->begun = 0;
}

END
/$2/
{
	normalize(@t, 1000);
	setopt("aggsortpos", "2");
	printf("%-20s %10s %10s %12s\n", "SYSCALL", "CALLS", "ERRORS", "TIME(us)");
	printa("%-20s %@10d %@10d %@12d\n", @n, @failed, @t);
	trunc(@n);
	trunc(@failed);
	trunc(@t);
}
