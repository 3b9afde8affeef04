#!/usr/sbin/dtrace -s
#pragma D option quiet
#pragma D option aggsortrev

profile:::profile-997hz
/arg0/
{
	@pc[func(arg0)] = count();
	@module[mod(arg0)] = count();
	@stacks[stack(5)] = count();
	@rank[curthread->prio] = count();
}

profile:::profile-997hz
/arg1/
{
	@user[execname, ustack(3)] = count();
}

dtrace:::END
{
	trunc(@stacks, 5);
	trunc(@user, 5);
	printf("%-60s %8s\n", "FUNCTION", "COUNT");
	printa("%-60a %@8d\n", @pc);
	printa("%-60A %@8d\n", @module);
	printa("%k%@8d\n", @stacks);
}
