// SPDX-License-Identifier: GPL-2.0
/*
 * The current task, as probes see it. `current` cannot go away while it runs, and only it changes
 * its credentials.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/kstrtox.h>
#include <linux/mm_types.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <linux/sysfs.h>
#include <linux/uidgid.h>
#include <asm/ptrace.h>
#include <linux/user_namespace.h>
#include "kapi.h"

/*
 * Returns the parent, or NULL. A task runs on for a while after it was reaped; then nobody keeps
 * its real_parent up to date, and what that points to may be gone. Under rcu_read_lock.
 */
static __always_inline const struct task_struct *kapi_parent(const struct task_struct *t)
{
	return pid_alive(t) ? rcu_dereference(t->real_parent) : NULL;
}

/* Returns 0 if there is no parent to read. */
notrace int kapi_task_ppid(void)
{
	const struct task_struct *parent;
	int ppid;

	rcu_read_lock();
	parent = kapi_parent(current);
	ppid = parent ? parent->tgid : 0;
	rcu_read_unlock();
	return ppid;
}

/* Anybody can build a chain of a million processes, and a probe has no time for it. */
#define KAPI_MAX_ANCESTORS 1024

/*
 * Returns 1, 0, or -1 if there are more ancestors than it can look at. The first task of all is its
 * own parent.
 */
notrace int kapi_task_descends_from(int tgid)
{
	const struct task_struct *t = current, *parent;
	int found = -1, n;

	rcu_read_lock();
	for (n = 0; n < KAPI_MAX_ANCESTORS; n++) {
		parent = kapi_parent(t);
		if (t->tgid == tgid)
			found = 1;
		else if (!parent || parent == t)
			found = 0;
		if (found >= 0)
			break;
		t = parent;
	}
	rcu_read_unlock();
	return found;
}

notrace u32 kapi_task_uid(void)
{
	return __kuid_val(rcu_dereference_raw(current->cred)->uid);
}

notrace u32 kapi_task_gid(void)
{
	return __kgid_val(rcu_dereference_raw(current->cred)->gid);
}

notrace u32 kapi_task_euid(void)
{
	return __kuid_val(rcu_dereference_raw(current->cred)->euid);
}

notrace u32 kapi_task_egid(void)
{
	return __kgid_val(rcu_dereference_raw(current->cred)->egid);
}

/* Returns the number in the innermost namespace; 0 after the task was reaped. */
notrace int kapi_task_ns_number(bool thread)
{
	const struct pid *pid;
	int nr = 0;

	rcu_read_lock();
	pid = READ_ONCE(*(thread ? &current->thread_pid : &current->signal->pids[PIDTYPE_TGID]));
	if (pid)
		nr = pid->numbers[pid->level].nr;
	rcu_read_unlock();
	return nr;
}

notrace u64 kapi_task_cgroup(void)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	id = rcu_dereference_raw(current->cgroups)->dfl_cgrp->kn->id;
	rcu_read_unlock();
#endif
	return id;
}

/*
 * Returns an address that may soon be invalid: another thread may close the file. 0: no such file.
 */
notrace u64 kapi_task_file(unsigned int fd)
{
	const struct files_struct *files = READ_ONCE(current->files);
	const struct fdtable *fdt;
	u64 file = 0;

	rcu_read_lock();
	fdt = files ? rcu_dereference_raw(files->fdt) : NULL;
	if (fdt && fd < fdt->max_fds)
		file = (unsigned long)rcu_dereference_raw(fdt->fd[array_index_nospec(fd, fdt->max_fds)]);
	rcu_read_unlock();
	return file;
}

/* Finds the arguments that the program was started with: NULs are between them. */
notrace bool kapi_task_args(u64 *start, u64 *end)
{
	const struct mm_struct *mm = READ_ONCE(current->mm);

	if (!mm)
		return false;
	*start = READ_ONCE(mm->arg_start);
	*end = READ_ONCE(mm->arg_end);
	return true;
}

/*
 * The bits of a rw_semaphore's count that are not all 0 while readers have it, and while a writer
 * has.
 */
#ifdef CONFIG_PREEMPT_RT
const u32 kapi_mutex_owner = offsetof(struct mutex, rtmutex.owner);
const u32 kapi_rwsem_count = offsetof(struct rw_semaphore, rwbase.readers);
const u32 kapi_rwsem_owner = offsetof(struct rw_semaphore, rwbase.rtmutex.owner);
const u64 kapi_rwsem_readers = WRITER_BIAS - 1;
const u64 kapi_rwsem_writer = WRITER_BIAS;
#else
const u32 kapi_mutex_owner = offsetof(struct mutex, owner);
const u32 kapi_rwsem_count = offsetof(struct rw_semaphore, count);
const u32 kapi_rwsem_owner = offsetof(struct rw_semaphore, owner);
/* kernel/locking/rwsem.c: bit 0 a writer, from bit 8 on readers, bit 63 neither. */
const u64 kapi_rwsem_readers = ~(1UL << 63 | 0xff);
const u64 kapi_rwsem_writer = 1;
#endif

/* Bits of the preemption count that are clear while the task itself runs. */
const u32 kapi_over_task = NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET;

/*
 * The offset in a task_struct of a value that no other one at its address has had, and that does
 * not change while the task lives.
 */
#ifdef CONFIG_STACKPROTECTOR
const u32 kapi_task_mark = offsetof(struct task_struct, stack_canary);
#else
const u32 kapi_task_mark = offsetof(struct task_struct, start_boottime);
#endif

/*
 * Returns how long the task has run, in ns, as the scheduler noted last: at a tick, or when it got
 * the CPU.
 */
notrace u64 kapi_task_runtime(void)
{
	return READ_ONCE(current->se.sum_exec_runtime);
}

/* Returns a register by its index in struct pt_regs, which has 21. */
notrace u64 kapi_register_of(const struct pt_regs *regs, u32 n)
{
	BUILD_BUG_ON(offsetof(struct pt_regs, ip) != 16 * 8 || sizeof(*regs) != 21 * 8);
	/* The other bits that the processor keeps there are not part of the selector. */
	if (n == offsetof(struct pt_regs, cs) / 8 || n == offsetof(struct pt_regs, ss) / 8)
		return (u16)((const unsigned long *)regs)[n];
	return ((const unsigned long *)regs)[array_index_nospec(n, 21)];
}

/* Reads a register of the process, as it was when it entered the kernel. False: there is none. */
notrace bool kapi_task_register(u32 n, u64 *value)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (n >= 21 || !current->mm || (current->flags & (PF_KTHREAD | PF_EXITING)) || !user_mode(regs))
		return false;
	*value = kapi_register_of(regs, n);
	return true;
}

/* 0: the task itself, 1: a soft interrupt over it, 2: a hard one, 3: an NMI */
notrace u32 kapi_task_context(void)
{
	if (in_nmi())
		return 3;
	if (in_hardirq())
		return 2;
	return in_serving_softirq();
}

bool kapi_task_may_trace(void)
{
	return capable(CAP_SYS_ADMIN) || (capable(CAP_PERFMON) && capable(CAP_BPF));
}

/*
 * Called now and then by long work for a user: lets other tasks run, and tells whether a signal
 * ends the task.
 */
bool kapi_task_is_dying(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

/*
 * Changing a process or the machine needs more rights, as it does for BPF (bpf_probe_write_user,
 * bpf_send_signal_task to others).
 */
bool kapi_task_may_destroy(void)
{
	return capable(CAP_SYS_ADMIN);
}

/*
 * Returns the user to whose account the current task's use of resources here is added: its real
 * uid. In a user namespace one user may have tens of thousands of uids, so there it is the user who
 * made the outermost namespace, unless that is root.
 */
u32 kapi_task_owner(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent) {
		if (!ns->parent->parent && !uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	}
	return __kuid_val(uid);
}

/* False: destructive actions are off until the module is loaded again. */
static bool kapi_destructive = true;

/* Also called in probe context: running programs obey it, too. */
notrace bool kapi_task_destructive(void)
{
	return READ_ONCE(kapi_destructive);
}

/*
 * The parameter can only become stricter: anybody who could take it back could as well have asked
 * first.
 */
static int kapi_destructive_set(const char *text, const struct kernel_param *kp)
{
	bool wanted;
	int err = kstrtobool(text, &wanted);

	if (err)
		return err;
	if (wanted)
		return READ_ONCE(kapi_destructive) ? 0 : -EPERM;
	WRITE_ONCE(kapi_destructive, false);
	return 0;
}

static int kapi_destructive_get(char *to, const struct kernel_param *kp)
{
	return sysfs_emit(to, "%d\n", READ_ONCE(kapi_destructive));
}

static const struct kernel_param_ops kapi_destructive_ops = {
	.set = kapi_destructive_set,
	.get = kapi_destructive_get,
};
module_param_cb(destructive, &kapi_destructive_ops, NULL, 0644);
MODULE_PARM_DESC(destructive, "0: no destructive actions (-w), for anybody; once 0, it stays 0 until the module is loaded again");

/*
 * Returns an error for what BPF programs may not do either: lockdown refuses writes to processes
 * before it refuses loads from the kernel.
 */
int kapi_task_locked_down(bool writes)
{
	int err;

	if (writes)
		return security_locked_down(LOCKDOWN_BPF_WRITE_USER);
	err = security_locked_down(LOCKDOWN_KPROBES);
	return err ? err : security_locked_down(LOCKDOWN_BPF_READ_KERNEL);
}
