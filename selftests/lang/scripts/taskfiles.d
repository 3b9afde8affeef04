#!/usr/sbin/dtrace -s
/* Structs, translators and pointers of a script's own. */
#pragma D option quiet
#pragma D option defaultargs

inline int least = $1 ? $1 : 0;

typedef struct request {
	uint64_t when;
	int who;
	string name;
	unsigned kernel : 1;
	int of[2];
} request_t;

struct last {
	uint64_t when;
	int who;
} last;

enum way { IN = 1, OUT };

translator request_t < struct task_struct *T > {
	when = timestamp;
	who = T->tgid;
	name = stringof(T->comm);
	kernel = (T->flags & 0x00200000) != 0;
};

syscall::read:entry,
syscall::write:entry
/execname == "cat" && arg2 >= least/
{
	this->r = xlate <request_t *> (curthread);
	this->way = probefunc == "read" ? IN : OUT;
	last.when = timestamp;
	last.who = this->r->who;
	@bytes[this->r->name, this->way == IN ? "in" : "out"] = sum(arg2);
	@own[this->r->name, this->r->kernel] = min(this->r->who == pid && last.who == pid);
	@parent[stringof(curthread->real_parent->comm), sizeof (request_t) > 0] = max(this->r->when >= last.when);
}
