# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the kernel's own types are those of D: members, nested structs, text, bit fields, enums, sizes.
. /src/selftests/lib/sh
first=0x$(awk '$3 == "init_task" { print $1 }' /proc/kallsyms)
cat >/tmp/types.d <<D
#pragma D option quiet
inline uint64_t FIRST = $first;
BEGIN
{
	this->t = (struct task_struct *)FIRST;
	printf("%s %d %d\n", this->t->comm, this->t->pid, this->t->prio);
	printf("%s\n", this->t->nsproxy->uts_ns->name.release);
	printf("%d %d\n", this->t->cred->uid.val, this->t->parent == this->t);
	printf("%d %d\n", strlen(this->t->comm), this->t->comm == "swapper/0");
	printf("%d %d\n", this->t->in_execve, this->t->sched_reset_on_fork);
	printf("%d %d\n", PIDTYPE_TGID, sizeof (loff_t));
	/* The list of all tasks closes: back to its own head. */
	printf("%d\n", this->t->tasks.next->prev == &this->t->tasks);
	this->whole = this->t->nsproxy->uts_ns->name;
	printf("%s\n", this->whole.sysname);
	exit(0);
}
D
dtrace -s /tmp/types.d >/tmp/out || fail "dtrace ended with $?"
expect "what they hold" "$(cat /tmp/out)" "swapper/0 0 120
$(uname -r)
0 1
9 1
0 0
1 8
1
Linux"
