#!/usr/sbin/dtrace -s
/* Who connects where: what one clause has copied in, the next ones read. */
#pragma D option quiet

inline int INET = 2;

struct inet {
	uint16_t family;
	uint16_t port;
	uint32_t address;
};

syscall::connect:entry
/pid == $target/
{
	this->to = (struct inet *)copyin(arg1, sizeof (struct inet));
	this->family = this->to->family;
}

syscall::connect:entry
/pid == $target && this->family == INET/
{
	self->port = ntohs(this->to->port);
	self->address = inet_ntoa(&this->to->address);
}

syscall::connect:return
/self->port/
{
	printf("%s %s:%d %d\n", execname, self->address, self->port, errno);
	self->port = 0;
	self->address = 0;
}

syscall::write:entry
/pid == $target/
{
	this->text = copyin(arg1, arg2);
	if (arg2 == 0)
		printf("nothing [%s]\n", stringof(this->text));
	else
		printf("text [%s]\n", stringof(this->text));
}
