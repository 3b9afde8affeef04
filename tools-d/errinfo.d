#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * errinfo: count the system calls that fail, with their errors
 *
 * It shows the mistakes that programs hide: files that do not exist, permissions that they lack.
 *
 * options:
 *   $1 -n NAME = ""  only processes with this name
 * process: optional
 * overhead: A probe fires at the end of each system call.
 * example:
 *   # errinfo -c "cat /nosuch"
 *   Counting errors. Hit Ctrl-C to end.
 *   COMMAND          SYSCALL            ERRNO NAME                COUNT
 *   cat              access                 2 ENOENT                  1
 *   cat              openat                 2 ENOENT                 15
 */
inline string NAME[int e] = e < 33 ? (e < 17 ? (e < 8 ? (e < 4 ? (e == 1 ? "EPERM" : e == 2 ? "ENOENT" : e == 3 ?
    "ESRCH" : "") : (e == 4 ? "EINTR" : e == 5 ? "EIO" : e == 6 ? "ENXIO" : e == 7 ? "E2BIG" : "")) : (e < 12 ? (e
    == 8 ? "ENOEXEC" : e == 9 ? "EBADF" : e == 10 ? "ECHILD" : e == 11 ? "EAGAIN" : "") : (e == 12 ? "ENOMEM" : e ==
    13 ? "EACCES" : e == 14 ? "EFAULT" : e == 16 ? "EBUSY" : ""))) : (e < 25 ? (e < 21 ? (e == 17 ? "EEXIST" : e ==
    18 ? "EXDEV" : e == 19 ? "ENODEV" : e == 20 ? "ENOTDIR" : "") : (e == 21 ? "EISDIR" : e == 22 ? "EINVAL" : e ==
    23 ? "ENFILE" : e == 24 ? "EMFILE" : "")) : (e < 29 ? (e == 25 ? "ENOTTY" : e == 26 ? "ETXTBSY" : e == 27 ?
    "EFBIG" : e == 28 ? "ENOSPC" : "") : (e == 29 ? "ESPIPE" : e == 30 ? "EROFS" : e == 31 ? "EMLINK" : e == 32 ?
    "EPIPE" : "")))) : (e < 99 ? (e < 71 ? (e < 38 ? (e == 33 ? "EDOM" : e == 34 ? "ERANGE" : e == 35 ? "EDEADLK" :
    e == 36 ? "ENAMETOOLONG" : "") : (e == 38 ? "ENOSYS" : e == 39 ? "ENOTEMPTY" : e == 40 ? "ELOOP" : e == 61 ?
    "ENODATA" : "")) : (e < 93 ? (e == 71 ? "EPROTO" : e == 75 ? "EOVERFLOW" : e == 88 ? "ENOTSOCK" : e == 90 ?
    "EMSGSIZE" : "") : (e == 93 ? "EPROTONOSUPPORT" : e == 95 ? "EOPNOTSUPP" : e == 97 ? "EAFNOSUPPORT" : e == 98 ?
    "EADDRINUSE" : ""))) : (e < 111 ? (e < 105 ? (e == 99 ? "EADDRNOTAVAIL" : e == 101 ? "ENETUNREACH" : e == 103 ?
    "ECONNABORTED" : e == 104 ? "ECONNRESET" : "") : (e == 105 ? "ENOBUFS" : e == 106 ? "EISCONN" : e == 107 ?
    "ENOTCONN" : e == 110 ? "ETIMEDOUT" : "")) : (e < 512 ? (e == 111 ? "ECONNREFUSED" : e == 113 ? "EHOSTUNREACH" :
    e == 114 ? "EALREADY" : e == 115 ? "EINPROGRESS" : "") : (e == 512 ? "(interrupted)" : e == 513 ?
    "(interrupted)" : e == 514 ? "(interrupted)" : e == 516 ? "(interrupted)" : ""))));

BEGIN
{
	printf("Counting errors. Hit Ctrl-C to end.\n");
}

syscall:::return
/errno && ($target == 0 || pid == $target) && ($$1 == "" || execname == $$1)/
{
	@n[execname, probefunc, errno, NAME[errno]] = count();
}

END
{
	printf("%-16s %-18s %5s %-16s %8s\n", "COMMAND", "SYSCALL", "ERRNO", "NAME", "COUNT");
	printa("%-16s %-18s %5d %-16s %@8d\n", @n);
}
