// SPDX-License-Identifier: GPL-2.0
//! The functions that run on a CPU that cannot take a breakpoint. None of them can have a probe.
//!
//! A breakpoint needs three things: an IDT (or FRED's registers) that leads to the kernel's handler, a GS
//! base by which that handler finds the CPU's own data, and page tables that map both. A CPU is without
//! them at these times, and a breakpoint there resets the machine:
//!
//! | when | from | until |
//! |---|---|---|
//! | it comes online, or wakes from suspend to memory | `secondary_startup_64` | `cpu_init_exception_handling` has loaded the IDT |
//! | the machine resumes from suspend to memory | `wakeup_long64`, which clears the GS base | `__restore_processor_state` has set it |
//! | it resumes from disk | the temporary page tables of `core_restore_code` | the same |
//! | it starts another kernel by kexec | `idt_invalidate` | for ever |
//!
//! A fourth time is one at which nobody waits for the CPU any more: from `cpuhp_ap_report_dead` on, a CPU
//! that goes offline runs what is left of the path to its last `hlt` while `xcall::sync`, which reaches the
//! CPUs that are online, does without it. A place must not be patched under it, and what it runs in our
//! module must not be freed. (Before that, and as a CPU comes online, `cpus_read_lock` of `xcall::sync` waits:
//! the CPU that controls the change holds the lock for writing until the other one has reported.)
//!
//! Because nothing of this has a probe, nothing need be patched back before a suspend: suspend itself can be
//! traced. An image for resume from disk has our patches in it as well as our module, so both come back.
//!
//! The sets are computed from the code: [`FOLLOWED`] are followed wherever they lead. [`ALONE`] are not:
//! they are at the edge, and most of what they call can take a breakpoint. What `restore_processor_state` calls
//! before it has set the GS base is found by that instruction.

use crate::walk::{Starts, Walk};
use kernel::prelude::*;

/// All that they run is unready. (`arch/x86/kernel/head_64.S`, `smpboot.c`, `cpu/common.c`,
/// `acpi/wakeup_64.S`, `power/hibernate_asm_64.S`, `process.c`, `drivers/acpi/processor_idle.c`.)
const FOLLOWED: &[&CStr] = &[
    // A CPU comes.
    c"secondary_startup_64",
    c"secondary_startup_64_no_verify",
    c"verify_cpu",
    c"sev_verify_cbit",
    c"early_setup_idt",
    c"__pi_startup_64_load_idt",
    c"soft_restart_cpu",
    c"vc_boot_ghcb",
    c"cr4_init",
    c"cpu_init_exception_handling",
    c"load_current_idt",
    // The machine resumes.
    c"wakeup_long64",
    c"restore_image",
    c"core_restore_code",
    c"restore_registers",
    c"cpu_init_fred_exceptions",
    c"cpu_init_fred_rsps",
    // Another kernel starts.
    c"idt_invalidate",
    // A CPU has reported that it is gone.
    c"hlt_play_dead",
    c"mwait_play_dead",
    c"cpuidle_play_dead",
    c"acpi_idle_play_dead",
    c"intel_idle_enter_dead",
    c"sev_es_ap_hlt_loop",
];

/// They are unready in part, or return to where it is so.
const ALONE: &[&CStr] = &[
    c"start_secondary",
    c"do_suspend_lowlevel",
    c"restore_processor_state",
    c"__restore_processor_state",
    c"swsusp_arch_suspend",
    c"machine_kexec",
    c"cpuhp_ap_report_dead",
    c"play_dead_common",
    c"native_play_dead",
    c"resume_play_dead",
    c"arch_cpu_idle_dead",
    c"tboot_shutdown",
    c"tboot_shutdown.part.0",
    c"sev_es_play_dead",
    c"xen_pv_play_dead",
    c"hv_play_dead",
];

/// `mov $MSR_GS_BASE,%edi` and `%ecx`: what follows sets the GS base.
const GS_BASE: &[&[u8]] = &[&[0xbf, 0x01, 0x01, 0x00, 0xc0], &[0xb9, 0x01, 0x01, 0x00, 0xc0]];

/// The functions. The error: memory.
pub(crate) fn compute() -> Result<Starts> {
    let mut walk = Walk::new()?;
    walk.add_named(FOLLOWED)?;
    for name in [c"restore_processor_state", c"__restore_processor_state"] {
        walk.add_calls(name, GS_BASE)?;
    }
    walk.run(false)?;
    walk.reach_named(ALONE)?;
    walk.starts()
}
