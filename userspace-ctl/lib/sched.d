// SPDX-License-Identifier: GPL-2.0
/* Processors: curcpu, and what goes with it. A chip is a package, a locality group a NUMA node; there are no sets. */

typedef struct processor_info {
	int pi_state;
	string pi_processor_type;
	string pi_fputypes;
	int pi_clock;
} processor_info_t;

inline int P_OFFLINE = 1;
inline int P_ONLINE = 2;

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
	processor_info_t cpu_info;
} cpuinfo_t;

translator processor_info_t < struct cpuinfo_x86 *C > {
	pi_state = P_ONLINE;
	pi_processor_type = stringof(C->x86_model_id);
	pi_fputypes = "i387 compatible";
	pi_clock = `cpu_khz / 1000;
};

inline lgrp_id_t lgrp = `numa_node;
inline chipid_t chip = `cpu_info.topo.pkg_id;
inline psetid_t pset = 0;

translator cpuinfo_t < struct cpuinfo_x86 *C > {
	cpu_id = C->cpu_index;
	cpu_pset = 0;
	cpu_chip = C->topo.pkg_id;
	cpu_lgrp = lgrp;
	cpu_info = xlate <processor_info_t> (C);
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (&`cpu_info);

provider sched {
	probe change__pri(struct task_struct *t, struct task_struct *p, int pri) : (lwpsinfo_t *t, psinfo_t *p, int pri);
	probe dequeue(struct task_struct *t, struct task_struct *p, struct cpuinfo_x86 *c, int sleeps) :
	    (lwpsinfo_t *t, psinfo_t *p, cpuinfo_t *c, int sleeps);
	probe enqueue(struct task_struct *t, struct task_struct *p, struct cpuinfo_x86 *c, int first) :
	    (lwpsinfo_t *t, psinfo_t *p, cpuinfo_t *c, int first);
	probe off__cpu(struct task_struct *t, struct task_struct *p) : (lwpsinfo_t *t, psinfo_t *p);
	probe on__cpu();
	probe preempt();
	probe remain__cpu();
	probe sleep();
	probe surrender(struct task_struct *t, struct task_struct *p) : (lwpsinfo_t *t, psinfo_t *p);
	probe tick(struct task_struct *t, struct task_struct *p) : (lwpsinfo_t *t, psinfo_t *p);
	probe wakeup(struct task_struct *t, struct task_struct *p) : (lwpsinfo_t *t, psinfo_t *p);
};
