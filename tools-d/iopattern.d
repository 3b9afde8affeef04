#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iopattern: show whether disks are read and written in sequence or at random
 *
 * A request that begins where the last one of this disk ended is sequential. SEQ% is their share.
 *
 * options:
 *   $1 [INTERVAL] = 1  seconds between outputs
 *   $2 [COUNT] = 0     end after so many outputs; 0: never
 * overhead: A probe fires at each request of a disk.
 * example:
 *   # iopattern
 *   DISK       SEQ% REQUESTS   AVGBYTES     KBYTES
 *   loop0       100       16       4096         64
 */
io:::start
/args[0]->b_bcount/
{
	this->disk = args[1]->dev_statname;
	@sequential[this->disk] = avg(next[this->disk] == args[0]->b_blkno || !next[this->disk] ? 100 : 0);
	@n[this->disk] = count();
	@size[this->disk] = avg(args[0]->b_bcount);
	@kb[this->disk] = sum(args[0]->b_bcount);
	next[this->disk] = args[0]->b_blkno + args[0]->b_bcount / 512;
}

tick-${1}s,
END
{
	printf("%-8s %6s %8s %10s %10s\n", "DISK", "SEQ%", "REQUESTS", "AVGBYTES", "KBYTES");
	normalize(@kb, 1024);
	printa("%-8s %@6d %@8d %@10d %@10d\n", @sequential, @n, @size, @kb);
	trunc(@sequential);
	trunc(@n);
	trunc(@size);
	trunc(@kb);
}

tick-${1}s
/$2 && ++outputs >= $2/
{
	exit(0);
}
