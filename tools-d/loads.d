#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loads: print the load averages
 *
 * They are those of uptime, without starting a program for each line.
 *
 * options:
 *   $1 [INTERVAL] = 1  seconds between lines
 *   $2 [COUNT] = 0     end after so many lines; 0: never
 * overhead: None: it reads three numbers.
 * example:
 *   # loads 1 1
 *   TIME                    1MIN    5MIN   15MIN
 *   2026 Nov 24 21:04:51    0.99    0.43    0.16
 */
BEGIN
{
	printf("%-20s %7s %7s %7s\n", "TIME", "1MIN", "5MIN", "15MIN");
}

inline int WHOLE[int n] = `avenrun[n] >> 11;
inline int PART[int n] = (`avenrun[n] & 2047) * 100 >> 11;

tick-${1}s
{
	printf("%Y %4d.%02d %4d.%02d %4d.%02d\n", walltimestamp, WHOLE[0], PART[0], WHOLE[1], PART[1], WHOLE[2], PART[2]);
}

tick-${1}s
/$2 && ++lines >= $2/
{
	exit(0);
}
