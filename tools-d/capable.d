#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * capable: print each check of a capability
 *
 * It shows what a program needs privileges for, and which one it lacks: OK is no if the check fails. A program
 * may run well without a capability that it does not have, because the kernel often only asks in passing.
 *
 * options:
 *   $1 -T           print the time of day
 *   $2 -x           only failed checks
 *   $3 -u UID = -1  only this user
 * process: optional
 * overhead: The probe fires at each check, which may be thousands of times in a second when processes open
 *   files as root.
 * example:
 *   # capable
 *   UID    PID     COMMAND          CAP NAME                   OK
 *   0      567     chown             21 CAP_SYS_ADMIN          yes
 *   0      567     chown             21 CAP_SYS_ADMIN          yes
 *   0      567     chown             21 CAP_SYS_ADMIN          yes
 *   0      567     chown             21 CAP_SYS_ADMIN          yes
 *   0      567     chown             21 CAP_SYS_ADMIN          yes
 *   0      567     chown              0 CAP_CHOWN              yes
 */
inline string CAP[int c] = c < 20 ? (c < 10 ? (c < 5 ? (c < 2 ? (c == 0 ? "CAP_CHOWN" : c == 1 ? "CAP_DAC_OVERRIDE"
    : "unknown") : (c == 2 ? "CAP_DAC_READ_SEARCH" : c == 3 ? "CAP_FOWNER" : c == 4 ? "CAP_FSETID" : "unknown")) :
    (c < 7 ? (c == 5 ? "CAP_KILL" : c == 6 ? "CAP_SETGID" : "unknown") : (c == 7 ? "CAP_SETUID" : c == 8 ?
    "CAP_SETPCAP" : c == 9 ? "CAP_LINUX_IMMUTABLE" : "unknown"))) : (c < 15 ? (c < 12 ? (c == 10 ?
    "CAP_NET_BIND_SERVICE" : c == 11 ? "CAP_NET_BROADCAST" : "unknown") : (c == 12 ? "CAP_NET_ADMIN" : c == 13 ?
    "CAP_NET_RAW" : c == 14 ? "CAP_IPC_LOCK" : "unknown")) : (c < 17 ? (c == 15 ? "CAP_IPC_OWNER" : c == 16 ?
    "CAP_SYS_MODULE" : "unknown") : (c == 17 ? "CAP_SYS_RAWIO" : c == 18 ? "CAP_SYS_CHROOT" : c == 19 ?
    "CAP_SYS_PTRACE" : "unknown")))) : (c < 30 ? (c < 25 ? (c < 22 ? (c == 20 ? "CAP_SYS_PACCT" : c == 21 ?
    "CAP_SYS_ADMIN" : "unknown") : (c == 22 ? "CAP_SYS_BOOT" : c == 23 ? "CAP_SYS_NICE" : c == 24 ?
    "CAP_SYS_RESOURCE" : "unknown")) : (c < 27 ? (c == 25 ? "CAP_SYS_TIME" : c == 26 ? "CAP_SYS_TTY_CONFIG" :
    "unknown") : (c == 27 ? "CAP_MKNOD" : c == 28 ? "CAP_LEASE" : c == 29 ? "CAP_AUDIT_WRITE" : "unknown"))) : (c <
    35 ? (c < 32 ? (c == 30 ? "CAP_AUDIT_CONTROL" : c == 31 ? "CAP_SETFCAP" : "unknown") : (c == 32 ?
    "CAP_MAC_OVERRIDE" : c == 33 ? "CAP_MAC_ADMIN" : c == 34 ? "CAP_SYSLOG" : "unknown")) : (c < 38 ? (c == 35 ?
    "CAP_WAKE_ALARM" : c == 36 ? "CAP_BLOCK_SUSPEND" : c == 37 ? "CAP_AUDIT_READ" : "unknown") : (c == 38 ?
    "CAP_PERFMON" : c == 39 ? "CAP_BPF" : c == 40 ? "CAP_CHECKPOINT_RESTORE" : "unknown"))));

BEGIN
{
	printf("%s%-6s %-7s %-16s %3s %-22s %s\n", $1 ? "TIME                 " : "", "UID", "PID", "COMMAND", "CAP", "NAME", "OK");
}

sdt:vmlinux::cap_capable
/($target == 0 || pid == $target) && (!$2 || args[4]) && ($3 < 0 || uid == $3)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-6d %-7d %-16s %3d %-22s %s\n", uid, pid, execname, args[3], CAP[args[3]], args[4] ? "no" : "yes");
}
