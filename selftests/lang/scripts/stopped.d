#!/usr/sbin/dtrace -ws
/* Says when a program asks for its name, and does something about it. */
#pragma D option quiet
#pragma D option strsize=32
#pragma D option stackframes=2

BEGIN
{
	items["uname"] = 1;
	ends = timestamp + 1000000000 * (hrtime_t)3600;
}

syscall::uname:entry
/items[probefunc] && execname == "uname"/
{
	printf("%s asks (%s)\n", execname, timestamp < ends ? "in time" : "late");
	system("echo heard of %s", execname);
	ustack(1);
	@frames[stackdepth > 0] = count();
	raise(15);
	items[probefunc] = 0;
}

END
{
	printa("stacks there: %d, %@d\n", @frames);
	ftruncate();
}
