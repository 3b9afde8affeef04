#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vfsstat: count the operations on files in each second
 *
 * It counts calls of all processes, whichever file system answers them.
 *
 * options:
 *   $1 [INTERVAL] = 1  seconds between lines
 *   $2 [COUNT] = 0     end after so many lines; 0: never
 * overhead: A probe fires at each of these operations.
 * example:
 *   # vfsstat -c "sh -c 'cat /etc/hostname; cat /etc/hostname; cat /etc/hostname'"
 *   TIME                    READS   WRITES    OPENS  CREATES   FSYNCS
 *   2026 Nov 24 21:03:54       12        1       59        0        0
 */
BEGIN
{
	printf("%-20s %8s %8s %8s %8s %8s\n", "TIME", "READS", "WRITES", "OPENS", "CREATES", "FSYNCS");
	@read = sum(0);
	@write = sum(0);
	@open = sum(0);
	@create = sum(0);
	@fsync = sum(0);
}

fbt:vmlinux:vfs_read:entry { @read = sum(1); }
fbt:vmlinux:vfs_write:entry { @write = sum(1); }
fbt:vmlinux:vfs_open:entry { @open = sum(1); }
fbt:vmlinux:vfs_create:entry { @create = sum(1); }
fbt:vmlinux:vfs_fsync_range:entry { @fsync = sum(1); }

tick-${1}s,
END
{
	printf("%Y ", walltimestamp);
	printa("%@8d %@8d %@8d %@8d %@8d\n", @read, @write, @open, @create, @fsync);
	clear(@read);
	clear(@write);
	clear(@open);
	clear(@create);
	clear(@fsync);
}

tick-${1}s
/$2 && ++lines >= $2/
{
	exit(0);
}

END
{
	trunc(@read);
	trunc(@write);
	trunc(@open);
	trunc(@create);
	trunc(@fsync);
}
