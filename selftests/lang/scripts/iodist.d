#!/usr/sbin/dtrace -s

/* How long and how large reads and writes are. */

#pragma D option quiet
#pragma D option bufsize=16m
#pragma D option dynvarsize=4m
#pragma D option aggsize=8m

syscall::*read*:entry, syscall::*write*:entry
{
	self->ts[probefunc] = timestamp;
}

syscall::*read*:return, syscall::*write*:return
/self->ts[probefunc]/
{
	this->delta = (timestamp - self->ts[probefunc]) / 1000;
	@time[strjoin(probefunc, " us")] = quantize(this->delta);
	@size[execname] = lquantize(arg1, 0, 4096, 512);
	@log[execname] = llquantize(this->delta, 10, 0, 6, 10);
	@total = sum(arg1 > 0 ? arg1 : 0);
	@dev = stddev(this->delta);
	self->ts[probefunc] = 0;
}

END
{
	trunc(@size, 3);
	normalize(@total, 1024);
	printa("%s\n%@d\n", @time);
	printa(@size);
	printa(@log);
	printa("total %@d KB\n", @total);
	printa("deviation %@d us\n", @dev);
}
