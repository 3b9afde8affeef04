// SPDX-License-Identifier: GPL-2.0
//! The functions that run on a CPU that cannot take a breakpoint. They cannot have probes.
//!
//! A breakpoint needs three things: an IDT (or FRED's registers) that leads to the kernel's
//! handler, a GS base by which that handler finds the CPU's own data, and page tables that map
//! both. At the following times a CPU lacks some of them, and a breakpoint resets the machine:
//!
//! | when | from | until |
//! |---|---|---|
//! | it comes online, or wakes up | `secondary_startup_64` | `cpu_init_exception_handling` loads the IDT |
//! | resume from memory | `wakeup_long64` clears the GS base | `__restore_processor_state` sets it |
//! | resume from disk | `core_restore_code` loads temporary page tables | the same |
//! | start of another kernel by kexec | `idt_invalidate` | the end |
//!
//! There is a fifth case, in which nobody waits for the CPU any more. After `cpuhp_ap_report_dead`,
//! a CPU that goes offline runs the rest of the path to its last `hlt`, while `xcall::sync` waits
//! only for CPUs that are online. Text must not be patched while that CPU runs it, and code of our
//! module that it runs must not be freed. (Before that point, and while a CPU comes online,
//! `cpus_read_lock` of `xcall::sync` waits: the CPU that controls the change holds the lock for
//! writing until the other one has reported.)
//!
//! None of these functions has a probe, so nothing must be restored before a suspend, and suspend
//! itself can be traced. An image for resume from disk contains our patches and our module, so both
//! come back.
//!
//! The sets are computed from the code. The functions in [`FOLLOWED`] are followed wherever they
//! lead. Those in [`ALONE`] are at the edge and are not followed, because most functions that they
//! call can take a breakpoint. `start_secondary` is followed up to the point where the IDT is
//! loaded, `restore_processor_state` up to the instruction that sets the GS base.
//!
//! An NMI or a machine check on such a CPU leads to no probe: on a CPU that is not online,
//! `exc_nmi` and `do_machine_check` return early, in noinstr code. On a CPU of a confidential guest
//! (SEV-ES), the IDT of the first instructions has one gate, for the exceptions by which the guest
//! calls its hypervisor. So the functions that serve these exceptions are unready there.

use crate::walk::{Starts, Walk};
use kapi::{nofault, symbols};
use kernel::prelude::*;
use x86::{encoding, Flow};

/// Functions that are unready with everything that they run. (`arch/x86/kernel/head_64.S`,
/// `smpboot.c`, `cpu/common.c`, `acpi/wakeup_64.S`, `power/hibernate_asm_64.S`, `process.c`,
/// `drivers/acpi/processor_idle.c`.)
const FOLLOWED: &[&CStr] = &[
    // A CPU comes online.
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
    // The machine starts another kernel.
    c"idt_invalidate",
    // The hypervisor has crashed and has left the machine to us (`hyperv/hv_crash.c`).
    c"hv_crash_asm32",
    c"hv_crash_asm64",
    // A CPU has reported that it is dead.
    c"cpuhp_ap_report_dead",
    c"tboot_shutdown",
    c"hlt_play_dead",
    c"mwait_play_dead",
    c"cpuidle_play_dead",
    c"acpi_idle_play_dead",
    c"intel_idle_enter_dead",
    c"sev_es_ap_hlt_loop",
];

/// Functions that are unready in part, or return to unready code.
const ALONE: &[&CStr] = &[
    c"start_secondary",
    c"do_suspend_lowlevel",
    c"restore_processor_state",
    c"__restore_processor_state",
    c"swsusp_arch_suspend",
    c"machine_kexec",
    c"hv_crash_c_entry",
    c"play_dead_common",
    c"native_play_dead",
    c"resume_play_dead",
    c"arch_cpu_idle_dead",
    c"sev_es_play_dead",
    c"acpi_mp_play_dead",
    c"xen_pv_play_dead",
    c"hv_play_dead",
];

/// If a kernel lacks these names, we do not know how its CPUs come online.
const NEEDED: &[&CStr] =
    &[c"secondary_startup_64", c"start_secondary", c"cpu_init_exception_handling"];

/// Functions that serve the exceptions of a confidential guest.
const CONFIDENTIAL: &[&CStr] = &[c"kernel_exc_vmm_communication", c"handle_vc_boot_ghcb"];
/// Functions that are not followed from there: they handle errors, or addresses from a program.
const CONFIDENTIAL_ENDS: &[&CStr] = &[
    c"show_regs",
    c"exc_debug",
    c"exc_page_fault",
    c"exc_general_protection",
    c"exc_invalid_op",
    c"exc_alignment_check",
    c"do_early_exception",
    c"___ratelimit",
    c"force_sig_fault",
    // The segments of a program.
    c"mutex_lock",
    c"mutex_unlock",
];

/// Tells whether this is a guest that calls its hypervisor by exceptions; yes, if that is unknown.
fn is_confidential() -> bool {
    const SEV_ES: u64 = 1 << 1;
    let Some(status) = symbols::find(c"sev_status") else { return false };
    nofault::read_kernel_number(status, 8).map_or(true, |status| status & SEV_ES != 0)
}

/// Returns the functions. Fails if memory is short, or if this kernel is too different, which is
/// logged.
pub(crate) fn compute() -> Result<Starts> {
    for name in NEEDED.iter().filter(|n| symbols::find(n).is_none()) {
        let name = name.to_str().unwrap_or("?");
        pr_warn!("no probes in kernel text: this kernel has no function {name}, so it cannot be told what its CPUs run before they can take a breakpoint\n");
        return Err(ENODEV);
    }
    let mut walk = Walk::new()?;
    walk.add_named(FOLLOWED)?;
    let loads_idt = symbols::find(c"cpu_init_exception_handling");
    walk.add_calls(c"start_secondary", &|_, kind| match kind {
        Flow::Call(to) => Some(to) == loads_idt,
        _ => false,
    })?;
    for name in [c"restore_processor_state", c"__restore_processor_state"] {
        walk.add_calls(name, &|code, _| encoding::names_gs_base(code))?;
    }
    if is_confidential() {
        walk.end_at(CONFIDENTIAL_ENDS)?;
        walk.add_named(CONFIDENTIAL)?;
    }
    walk.run(false)?;
    walk.reach_named(ALONE)?;
    walk.starts()
}
