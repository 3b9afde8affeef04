// SPDX-License-Identifier: GPL-2.0
/*
 * Processes and their threads: curpsinfo, curlwpsinfo, and the arguments of the proc provider.
 *
 * Linux has no zones, projects, tasks, contracts and pools of processors: their ids are 0.
 */

typedef int zoneid_t;
typedef int taskid_t;
typedef int projid_t;
typedef int poolid_t;
typedef int ctid_t;
typedef int lgrp_id_t;
typedef int psetid_t;
typedef int chipid_t;
typedef unsigned int lwpid_t;

typedef struct timestruc {
	time_t tv_sec;
	long tv_nsec;
} timestruc_t;

translator timestruc_t < hrtime_t N > {
	tv_sec = N / 1000000000;
	tv_nsec = N % 1000000000;
};

typedef struct psinfo {
	int pr_flag;
	int pr_nlwp;
	int pr_nzomb;
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;
	size_t pr_size;
	dev_t pr_ttydev;
	timestruc_t pr_start;
	string pr_fname;
	string pr_psargs;
	int pr_wstat;
	int pr_argc;
	uintptr_t pr_argv;
	uintptr_t pr_envp;
	char pr_dmodel;
	taskid_t pr_taskid;
	projid_t pr_projid;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	ctid_t pr_contract;
} psinfo_t;

inline char PR_MODEL_UNKNOWN = 0;
inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;
inline dev_t PRNODEV = 0xffffffff;

/* Bits of pr_flag: of the thread, then of its process. Linux sets those that are said below. */
inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_IDLE = 0x00000400;
inline int PR_ISSYS = 0x00001000;
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_NOSIGCHLD = 0x00008000;
inline int PR_WAITPID = 0x00010000;
inline int PR_FORK = 0x00100000;
inline int PR_RLC = 0x00200000;
inline int PR_KLC = 0x00400000;
inline int PR_ASYNC = 0x00800000;
inline int PR_MSACCT = 0x01000000;
inline int PR_BPTADJ = 0x02000000;
inline int PR_PTRACE = 0x04000000;
inline int PR_MSFORK = 0x08000000;

/* States of a thread as the kernel keeps them: in __state, and once it has ended in exit_state. */
inline unsigned int __TASK_STOPPED_OR_TRACED = 0x0c;
/* Interruptible, uninterruptible, parked, waiting for a lock of an RT kernel. */
inline unsigned int __TASK_ASLEEP = 0x1043;
inline unsigned int __PF_KTHREAD = 0x00200000;

inline int __pr_flag[struct task_struct *T] =
    (T->__state & __TASK_STOPPED_OR_TRACED ? PR_STOPPED | PR_ISTOP : T->__state & __TASK_ASLEEP ? PR_ASLEEP : 0) |
    (T->flags & __PF_KTHREAD ? PR_ISSYS : 0) | (T->vfork_done != NULL ? PR_VFORKP : 0) |
    (T->ptrace ? PR_PTRACE : 0);

/*
 * The arguments lie in memory of the process, and the stack that it began with holds their number, their addresses
 * and behind them those of the environment: they can be had of the process that fires, and are 0 elsewhere.
 */
inline int __begins_here[struct task_struct *T] = T->mm != NULL && T->mm == curthread->mm;

translator psinfo_t < struct task_struct *T > {
	pr_flag = __pr_flag[T];
	pr_nlwp = T->signal->nr_threads;
	pr_nzomb = 0;
	pr_pid = T->tgid;
	pr_ppid = T->real_parent->tgid;
	pr_pgid = T->signal->pids[PIDTYPE_PGID]->numbers[0].nr;
	pr_sid = T->signal->pids[PIDTYPE_SID]->numbers[0].nr;
	pr_uid = T->real_cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->real_cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_size = T->mm == NULL ? 0 : T->mm->total_vm * 4;
	pr_ttydev = T->signal->tty == NULL ? PRNODEV :
	    T->signal->tty->driver->major << 20 | (T->signal->tty->driver->minor_start + T->signal->tty->index);
	pr_start = xlate <timestruc_t> (walltimestamp - timestamp + (int64_t)T->group_leader->start_time);
	pr_fname = stringof(T->group_leader->comm);
	pr_psargs = T->tgid == pid && T->mm != NULL && strlen(execargs) > 0 ? execargs : stringof(T->group_leader->comm);
	pr_wstat = T->exit_code;
	pr_argc = __begins_here[T] ? *(int *)copyin(T->mm->start_stack, 4) : 0;
	pr_argv = __begins_here[T] ? T->mm->start_stack + 8 : 0;
	pr_envp = __begins_here[T] ? T->mm->start_stack + 16 + 8 * *(uint32_t *)copyin(T->mm->start_stack, 4) : 0;
	pr_dmodel = T->mm == NULL || T->mm->task_size >> 32 ? PR_MODEL_LP64 : PR_MODEL_ILP32;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
};

typedef struct lwpsinfo {
	int pr_flag;
	lwpid_t pr_lwpid;
	uintptr_t pr_addr;
	uintptr_t pr_wchan;
	char pr_stype;
	char pr_state;
	char pr_sname;
	char pr_nice;
	short pr_syscall;
	int pr_pri;
	string pr_clname;
	string pr_name;
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	psetid_t pr_bindpset;
	lgrp_id_t pr_lgrp;
	timestruc_t pr_start;
} lwpsinfo_t;

/* pr_state, and the letters of ps(1) for pr_sname. */
inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

/* pr_stype: what a thread sleeps on. Wait queues are condition variables. */
inline char SOBJ_NONE = 0;
inline char SOBJ_MUTEX = 1;
inline char SOBJ_RWLOCK = 2;
inline char SOBJ_CV = 3;
inline char SOBJ_SEMA = 4;
inline char SOBJ_USER = 5;
inline char SOBJ_USER_PI = 6;
inline char SOBJ_SHUTTLE = 7;

/*
 * A thread that goes to sleep has said so before it leaves its processor: it is asleep in sched:::off-cpu.
 * The number of a system call is known of the thread that fires, and -1 outside of one.
 */
translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = __pr_flag[T];
	pr_lwpid = T->pid;
	pr_addr = (uintptr_t)T;
	pr_wchan = (uintptr_t)T->blocked_on;
	pr_stype = T->blocked_on != NULL ? SOBJ_MUTEX : T->__state & __TASK_ASLEEP ? SOBJ_CV : SOBJ_NONE;
	pr_state = T->exit_state ? SZOMB : T->__state & __TASK_STOPPED_OR_TRACED ? SSTOP :
	    T->__state & __TASK_ASLEEP ? SSLEEP : T->on_cpu ? SONPROC : SRUN;
	pr_sname = T->exit_state ? 'Z' : T->__state & __TASK_STOPPED_OR_TRACED ? 'T' :
	    T->__state & __TASK_ASLEEP ? 'S' : T->on_cpu ? 'O' : 'R';
	pr_nice = T->static_prio - 120;
	pr_syscall = T == curthread && T->mm != NULL ? (short)uregs[R_ERR] : -1;
	pr_pri = T->prio;
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FIFO" : T->policy == 2 ? "RR" :
	    T->policy == 3 ? "BATCH" : T->policy == 5 ? "IDLE" : T->policy == 6 ? "DL" : "EXT";
	pr_name = stringof(T->comm);
	pr_onpro = T->thread_info.cpu;
	pr_bindpro = T->nr_cpus_allowed == 1 ? (int)T->thread_info.cpu : -1;
	pr_bindpset = 0;
	pr_lgrp = 0;
	pr_start = xlate <timestruc_t> (walltimestamp - timestamp + (int64_t)T->start_time);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);

/* Why a process ends, in args[0] of exit: as the parent is told in si_code. */
inline int CLD_EXITED = 1;
inline int CLD_KILLED = 2;
inline int CLD_DUMPED = 3;

/* What the processor stops a thread for, in args[0] of fault. */
inline int FLTILL = 1;
inline int FLTPRIV = 2;
inline int FLTBPT = 3;
inline int FLTTRACE = 4;
inline int FLTACCESS = 5;
inline int FLTBOUNDS = 6;
inline int FLTIOVF = 7;
inline int FLTIZDIV = 8;
inline int FLTFPE = 9;
inline int FLTSTACK = 10;
inline int FLTPAGE = 11;
inline int FLTWATCH = 12;

provider proc {
	probe create(struct task_struct *t) : (psinfo_t *t);
	probe exec(char *path);
	probe exec__failure(int error);
	probe exec__success();
	probe exit(int reason);
	probe fault(int fault, struct kernel_siginfo *info);
	probe lwp__create(struct task_struct *t, struct task_struct *p) : (lwpsinfo_t *t, psinfo_t *p);
	probe lwp__exit();
	probe lwp__start();
	probe signal__clear(int signal, struct kernel_siginfo *info);
	probe signal__discard(struct task_struct *t, struct task_struct *p, int signal) :
	    (lwpsinfo_t *t, psinfo_t *p, int signal);
	probe signal__handle(int signal, struct kernel_siginfo *info, uintptr_t handler);
	probe signal__send(struct task_struct *t, struct task_struct *p, int signal) :
	    (lwpsinfo_t *t, psinfo_t *p, int signal);
	probe start();
};
