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
//! they are at the edge, and most of what they call can take a breakpoint. `start_secondary` is followed up to
//! where the IDT is loaded, `restore_processor_state` up to the instruction that sets the GS base.
//!
//! An NMI or a machine check on such a CPU leads to no probe: `exc_nmi` and `do_machine_check` turn back, in
//! noinstr code, on a CPU that is not online. On a CPU of a confidential guest (SEV-ES), the IDT of the first
//! instructions has one gate, for the exceptions by which such a guest asks its hypervisor; so what serves
//! these is unready there.

use crate::walk::{Starts, Walk};
use kapi::{nofault, symbols};
use kernel::prelude::*;
use x86::Flow;

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
    // The hypervisor has crashed, and has left the machine to us (`hyperv/hv_crash.c`).
    c"hv_crash_asm32",
    c"hv_crash_asm64",
    // A CPU reports that it is gone.
    c"cpuhp_ap_report_dead",
    c"tboot_shutdown",
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

/// A kernel that has these by other names is one of which we do not know how its CPUs come.
const NEEDED: &[&CStr] =
    &[c"secondary_startup_64", c"start_secondary", c"cpu_init_exception_handling"];

/// What serves a confidential guest's exceptions, and where it ends: what it does with an error, or with
/// an address that a program has given.
const CONFIDENTIAL: &[&CStr] = &[c"kernel_exc_vmm_communication", c"handle_vc_boot_ghcb"];
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

/// `mov $MSR_GS_BASE,%edi` and `%ecx`: what follows sets the GS base.
fn sets_gs_base(code: &[u8], _: Flow) -> bool {
    matches!(code, [0xbf | 0xb9, 0x01, 0x01, 0x00, 0xc0, ..])
}

/// Is this a guest that asks its hypervisor by exceptions? If that cannot be told: yes.
fn is_confidential() -> bool {
    const SEV_ES: u64 = 1 << 1;
    let Some(status) = symbols::find(c"sev_status") else { return false };
    nofault::read_kernel_number(status, 8).map_or(true, |status| status & SEV_ES != 0)
}

/// The functions. The error: memory, or that this kernel is too different; that is logged.
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
        walk.add_calls(name, &sets_gs_base)?;
    }
    if is_confidential() {
        walk.end_at(CONFIDENTIAL_ENDS)?;
        walk.add_named(CONFIDENTIAL)?;
    }
    walk.run(false)?;
    walk.reach_named(ALONE)?;
    walk.starts()
}
