#!/usr/sbin/dtrace -s
#pragma D option quiet
#pragma D attributes Stable/Stable/Common INTERVAL
#pragma D depends_on provider syscall

inline int INTERVAL = 1;
int lines;
uint64_t total;
self int depth;
this int delta;

dtrace:::BEGIN
{
	lines = 2; total = 0;
	secs = INTERVAL;
}

syscall:::entry { total++; @c["calls"] = count(); }

tick-1sec { secs--; }

tick-1sec
/secs == 0/
{
	printf("%20s: %s\n", "time", total > 0 ? "busy" : "idle");
	printf("%20s load %d.%02d\n", "", `avenrun[0] >> 11, ((`avenrun[0] & 2047) * 100) >> 11);
	printa(@c);
	clear(@c);
	lines--;
	secs = INTERVAL;
}

tick-1sec
/lines == 0/
{
	exit(0);
}
