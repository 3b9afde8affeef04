// SPDX-License-Identifier: GPL-2.0
//! Anonymous tracing: it begins when the module is loaded, before anybody can type. `dtrace -A`
//! saves an enabling where the kernel finds it, also in an initramfs. It is enabled here, and
//! traces until `dtrace -a` claims it or the module is unloaded.
//!
//! If the file cannot be used, the log says why and nothing is traced; the module stays loaded.

use abi::ioctl::Report;
use framework::{Consumer, Error, Framework, Result};
use kapi::global::Global;
use kernel::prelude::*;
use kernel::sync::Arc;

/// The file that `dtrace -A` writes.
const FILE: &CStr = c"/lib/firmware/dtrace/anonymous.dof";

/// Tracing that no consumer has claimed yet.
struct Anonymous {
    consumer: Arc<Consumer>,
    /// The file. The data for the consumer that claims it is behind the DOF.
    file: KVVec<u8>,
}

static STATE: Global<Anonymous> = Global::empty();

/// Keeps the anonymous tracing running until this is dropped, or until it is claimed.
pub(crate) struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        drop(STATE.swap(None));
    }
}

/// Enables the program in the file, if there is one.
#[inline(never)]
pub(crate) fn start(framework: &Arc<Framework>) -> Running {
    match kapi::file::read(FILE, abi::dof::MAX_SIZE) {
        Ok(None) => {}
        Ok(Some(file)) => match enable(framework, file) {
            Ok(matched) => pr_info!("anonymous enabling: {matched} probes matched\n"),
            Err(e) => tell(core::format_args!("{e}")),
        },
        Err(e) => tell(core::format_args!("the file cannot be read, error {}", e.to_errno())),
    }
    Running
}

fn tell(why: core::fmt::Arguments<'_>) {
    pr_err!("anonymous enabling: {why}; nothing is traced\n");
}

fn enable(framework: &Arc<Framework>, file: KVVec<u8>) -> Result<u32> {
    crate::dev::may_trace()?;
    let consumer = Arc::pin_init(Consumer::new(framework.clone()), GFP_KERNEL)?;
    let matched = consumer.enable(&file)?;
    consumer.excuse();
    consumer.go()?;
    let state = kapi::mem::arc(Anonymous { consumer, file })?;
    drop(STATE.swap(Some(state)));
    Ok(matched)
}

/// Puts the consumer into `to` and passes the file to `give`, if `a.size` is room enough for the
/// file. Always sets `a.size`, so that a caller can ask for the size first.
pub(crate) fn claim(
    to: &Global<Consumer>,
    a: &mut Report,
    give: impl FnOnce(&[u8]) -> Result,
) -> Result {
    let state = STATE.get().ok_or(Error::NoSuch("anonymous tracing state"))?;
    // CAST: at most MAX_SIZE.
    let size = state.file.len() as u32;
    if a.size >= size {
        give(&state.file)?;
        // If several callers get here, only one of them gets it.
        let state = STATE.swap(None).ok_or(Error::NoSuch("anonymous tracing state"))?;
        state.consumer.expect();
        drop(to.swap(Some(state.consumer.clone())));
    }
    a.size = size;
    Ok(())
}
