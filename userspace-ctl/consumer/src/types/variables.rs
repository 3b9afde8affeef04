// SPDX-License-Identifier: GPL-2.0
//! Variables of the kernel proper that BTF lacks, as the kernel's headers declare them: those that
//! people ask for. Others can be read with a cast: *(int *)&`name.

use super::text::parse;
use super::KernelTypes;
use d::types::Type;

/// Types and the variables that have it.
const DECLARED: &[(&str, &[&str])] = &[
    (
        "unsigned long",
        &[
            "jiffies",
            "loops_per_jiffy",
            "max_pfn",
            "max_low_pfn",
            "total_forks",
            "tainted_mask",
            "phys_base",
            "page_offset_base",
            "vmalloc_base",
            "vmemmap_base",
            "dirty_background_bytes",
            "vm_dirty_bytes",
            "sysctl_overcommit_kbytes",
            "totalreserve_pages",
        ],
    ),
    ("unsigned long[3]", &["avenrun"]),
    ("u64", &["jiffies_64"]),
    (
        "int",
        &[
            "nr_threads",
            "max_threads",
            "panic_timeout",
            "panic_on_oops",
            "panic_on_warn",
            "oops_in_progress",
            "vm_swappiness",
            "sysctl_overcommit_memory",
            "sysctl_overcommit_ratio",
            "sysctl_max_map_count",
            "randomize_va_space",
            "overflowuid",
            "overflowgid",
            "dirty_background_ratio",
            "vm_dirty_ratio",
            "min_free_kbytes",
            "tick_do_timer_cpu",
            "sysctl_oom_kill_allocating_task",
            "sysctl_panic_on_oom",
            "timekeeping_suspended",
        ],
    ),
    ("int[4]", &["console_printk"]),
    (
        "unsigned int",
        &[
            "nr_cpu_ids",
            "nr_node_ids",
            "cpu_khz",
            "tsc_khz",
            "hrtimer_resolution",
            "sysctl_sched_base_slice",
            "dirty_writeback_interval",
            "dirty_expire_interval",
        ],
    ),
    ("char[256]", &["linux_banner"]),
    ("char *", &["saved_command_line"]),
    ("atomic_t", &["__num_online_cpus"]),
    ("atomic_long_t", &["_totalram_pages", "nr_swap_pages"]),
    ("enum system_states", &["system_state"]),
    ("struct task_struct", &["init_task"]),
    ("struct task_struct *", &["cad_pid"]),
    ("struct mm_struct", &["init_mm"]),
    ("struct pid_namespace", &["init_pid_ns"]),
    ("struct net", &["init_net"]),
    ("struct uts_namespace", &["init_uts_ns"]),
    ("struct user_namespace", &["init_user_ns"]),
    ("struct ipc_namespace", &["init_ipc_ns"]),
    ("struct nsproxy", &["init_nsproxy"]),
    ("struct css_set", &["init_css_set"]),
    ("struct files_struct", &["init_files"]),
    ("struct cpumask", &["__cpu_online_mask", "__cpu_possible_mask", "__cpu_present_mask"]),
    ("struct percpu_counter", &["vm_committed_as"]),
    ("struct task_group", &["root_task_group"]),
    ("struct cgroup_root", &["cgrp_dfl_root"]),
    ("struct cpuinfo_x86", &["boot_cpu_data"]),
    ("struct list_head", &["super_blocks", "modules", "net_namespace_list"]),
    ("struct timezone", &["sys_tz"]),
];

/// Returns the type of a variable.
pub fn declared(name: &str, types: &KernelTypes) -> Option<Type> {
    let (ty, _) = DECLARED.iter().find(|(_, names)| names.contains(&name))?;
    parse(types, ty)
}
