/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: values of all sizes and names (cut where strings are) print the same beside what only the machine evaluates. */
/* OPTIONS: -x strsize=12 */
/* TRIGGER: sleep 0.1 */
#pragma D option quiet
BEGIN
{
	printf("%d %s %d %x %s %d %s %d %c %s\n", (char)-1, probename, (short)-2, (int)-3, probeprov, pid == $pid,
	    probefunc, (long)-4, (char)'x', execname);
}

BEGIN
{
	printf("%d %s %d %x %s %d %s %d %c %s%s\n", (char)-1, probename, (short)-2, (int)-3, probeprov, pid == $pid,
	    probefunc, (long)-4, (char)'x', execname, substr("none", 4));
}

syscall::clock_nanosleep:entry
/pid == $target/
{
	printf("%s %s %s\n", probefunc, probename, probeprov);
}

syscall::clock_nanosleep:entry
/pid == $target/
{
	printf("%s %s %s%s\n", probefunc, probename, probeprov, substr("none", 4));
	exit(0);
}
