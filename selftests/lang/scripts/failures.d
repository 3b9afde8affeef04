#!/usr/sbin/dtrace -s
/* Speculates on opens and keeps those that fail. */
#pragma D option quiet
#pragma D option nspec=64
#pragma D option specsize=128k
#pragma D option cleanrate=303hz

syscall::openat:entry
/execname == $$1/
{
	self->path = arg1;
	self->spec = speculation();
}

syscall::openat:entry
/self->spec/
{
	speculate(self->spec);
	printf("%s/%s ", execname, probefunc);
}

syscall::openat:return
/self->spec/
{
	speculate(self->spec);
	printf("%s: error %d%s\n", copyinstr(self->path), errno, errno == ENOENT ? " (none)" : "");
}

syscall::openat:return
/self->spec && errno != 0/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::openat:return
/self->spec && errno == 0/
{
	discard(self->spec);
	self->spec = 0;
}
