#!/usr/sbin/dtrace -qs
/* SPDX-License-Identifier: GPL-2.0 */
/* How long requests to disks take, nanoseconds, and how many bytes they move. */

io:::start
{
	begun[arg0] = timestamp;
}

io:::done
/begun[arg0]/
{
	@io_ns[args[1]->dev_statname] = quantize(timestamp - begun[arg0]);
	@io_bytes[args[1]->dev_statname] = sum(args[0]->b_bcount);
	begun[arg0] = 0;
}
