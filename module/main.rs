// SPDX-License-Identifier: GPL-2.0
//! The module: its parts, and the order in which they start and stop.
#![forbid(unsafe_code)]

mod anonymous;
mod dev;
mod helper;

use core::borrow::Borrow;
use core::sync::atomic::Ordering::Relaxed;
use framework::framework::Limits;
use framework::Framework;
use kapi::mem;
use kernel::miscdevice::{MiscDeviceOptions, MiscDeviceRegistration};
use kernel::prelude::*;
use kernel::sync::Arc;

module! {
    type: Dtrace,
    name: "dtrace",
    authors: ["dtrace-rs"],
    description: "DTrace: dynamic tracing in D",
    license: "GPL",
    params: {
        without_text: u8 {
            default: 0,
            description: "Test: behave as on a kernel whose text cannot be patched (1)",
        },
        fbt_int3: u8 {
            default: 0,
            description: "Test: fbt sets breakpoints only, also where a call would do (1)",
        },
        without_fbt: u8 {
            default: 0,
            description: "Test: no probes of functions (1)",
        },
        fail_alloc: u64 {
            default: u64::MAX,
            description: "Test: while the module starts, this many allocations succeed and all others fail",
        },
        few_ids: u32 {
            default: 0,
            description: "Test: so many ids of probes and no more (0: all)",
        },
        few_epids: u32 {
            default: 0,
            description: "Test: so many enabled probes of a consumer at a time (0: a million)",
        },
        fail_ioctl: u8 {
            default: 0,
            description: "Test: consumers may have allocations fail (1)",
        },
    },
}

/// All running parts. Fields are dropped in this order: first no process can enter any more, then
/// the providers restore the code that they patched, then the framework is freed.
struct Dtrace {
    _helper: kapi::device::Node,
    _node: Pin<KBox<MiscDeviceRegistration<dev::Dtrace>>>,
    _open: Open,
    _anonymous: anonymous::Running,
    _fasttrap: fasttrap::Running,
    _stable: stable::Running,
    _syscall: Option<syscall::Running>,
    _fbt: Option<fbt::Running>,
    _patch: Option<patch::Running>,
    _sdt: Option<sdt::Running>,
    _end: End,
}

/// While this exists, consumers find the framework.
struct Open;

impl Open {
    fn new(framework: Arc<Framework>) -> Self {
        dev::FRAMEWORK.swap(Some(framework));
        Self
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        drop(dev::FRAMEWORK.swap(None));
    }
}

/// Waits until no CPU and no task is in our code, to which patched code may have led it.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        kapi::quiesce();
    }
}

/// Returns a parameter's value: Linux 7.2 returns a reference, Linux 7.3 the value.
fn value<T: Copy>(of: impl Borrow<T>) -> T {
    *of.borrow()
}

/// Returns the limits for ids, from the parameters.
fn limits() -> Limits {
    let all = Limits::default();
    let least = |few: u32, all: u32| if few == 0 { all } else { few.min(all) };
    Limits {
        probes: least(value::<u32>(module_parameters::few_ids.value()), all.probes),
        epids: least(value::<u32>(module_parameters::few_epids.value()), all.epids),
    }
}

impl kernel::Module for Dtrace {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        kapi::init(value::<u8>(module_parameters::without_text.value()) != 0);
        x86::init(kalloc::seal);
        let end = End;
        if !kapi::context::is_native() {
            pr_err!("Xen PV is not supported, because the hypervisor owns breakpoints and the kernel's text; run this guest as PVH or HVM\n");
            return Err(ENODEV);
        }
        let failing = value::<u64>(module_parameters::fail_alloc.value());
        mem::fail_after((failing != u64::MAX).then_some(failing));
        let framework = Framework::new(limits()).map_err(|e| e.errno())?;
        profile::start(&framework)?;
        let sdt = sdt::start(&framework)?;
        let patch = match value::<u8>(module_parameters::without_fbt.value()) {
            0 => patch::start(value::<u8>(module_parameters::fbt_int3.value()) != 0)?,
            _ => None,
        };
        let (fbt, syscall) = match &patch {
            Some(patch) => (
                Some(fbt::start(&framework, patch.engine())?),
                Some(syscall::start(&framework, patch.functions())?),
            ),
            None => (None, None),
        };
        let stable = stable::start(&framework, patch.as_ref().map(patch::Running::functions))?;
        let fasttrap = fasttrap::start(&framework)?;
        mem::ask()?;
        let node = KBox::pin_init(
            MiscDeviceRegistration::register(MiscDeviceOptions { name: c"dtrace/dtrace" }),
            GFP_KERNEL,
        )?;
        // An open file must hold the module before `open` can succeed.
        kapi::device::own(&node)?;
        let helper = helper::start()?;
        // Nothing fails after this: a consumer would keep patched code after the module has gone.
        let open = Open::new(framework.clone());
        mem::fail_after(None);
        let anonymous = anonymous::start(&framework);
        dev::MAY_FAIL.store(value::<u8>(module_parameters::fail_ioctl.value()) != 0, Relaxed);
        pr_info!("ready: /dev/dtrace/dtrace\n");
        Ok(Self {
            _helper: helper,
            _node: node,
            _open: open,
            _anonymous: anonymous,
            _fasttrap: fasttrap,
            _stable: stable,
            _syscall: syscall,
            _fbt: fbt,
            _patch: patch,
            _sdt: sdt,
            _end: end,
        })
    }
}
