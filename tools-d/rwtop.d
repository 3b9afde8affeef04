#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rwtop: show the bytes that processes read and write by system calls
 *
 * It counts all read and write calls: of files, pipes, terminals and sockets. The bytes of send and recv are in
 * tcptop.
 *
 * options:
 *   $1 -r ROWS = 20    rows in each output
 *   $2 [INTERVAL] = 5  seconds between outputs
 *   $3 [COUNT] = 0     end after so many outputs; 0: never
 * process: optional
 * overhead: A probe fires at the end of each read and write call.
 * example:
 *   # rwtop -c "dd if=/dev/zero of=/dev/null bs=1000 count=9 status=none"
 *   UID    PID     COMMAND          D        BYTES
 *   0      888     dd               R        11512
 *   0      888     dd               W         9000
 */
#pragma D option aggsortrev

sysinfo:::readch
/$target == 0 || pid == $target/
{
	@b[uid, pid, execname, "R"] = sum(arg0);
}

sysinfo:::writech
/$target == 0 || pid == $target/
{
	@b[uid, pid, execname, "W"] = sum(arg0);
}

tick-${2}s,
END
{
	printf("%-6s %-7s %-16s %1s %12s\n", "UID", "PID", "COMMAND", "D", "BYTES");
	trunc(@b, $1);
	printa("%-6d %-7d %-16s %1s %@12d\n", @b);
	trunc(@b);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
