// SPDX-License-Identifier: GPL-2.0
//! Tracing from the moment the module is inserted, for what happens before anybody can type: `dtrace -A`
//! leaves an enabling where the kernel finds it, also in an initramfs; it is enabled here, and runs until
//! `dtrace -a` claims it or the module goes.
//!
//! What is wrong with the file is logged, and nothing is traced; the module stays.

use abi::ioctl::Report;
use framework::{Consumer, Error, Framework, Result};
use kapi::global::Global;
use kernel::prelude::*;
use kernel::sync::Arc;

/// As `dtrace -A` writes it.
const FILE: &CStr = c"/lib/firmware/dtrace/anonymous.dof";

/// What runs for nobody yet.
struct Anonymous {
    consumer: Arc<Consumer>,
    /// The file: behind the DOF stands what its consumer will want to know.
    file: KVVec<u8>,
}

static STATE: Global<Anonymous> = Global::empty();

/// It runs as long as this exists, or until it is claimed.
pub(crate) struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        drop(STATE.swap(None));
    }
}

/// Enables what the file says, if there is one.
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

/// Gives it to who has room for its file; the room alone decides, so that one may ask for the size first.
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
        // Of several that come here one gets it.
        let state = STATE.swap(None).ok_or(Error::NoSuch("anonymous tracing state"))?;
        state.consumer.expect();
        drop(to.swap(Some(state.consumer.clone())));
    }
    a.size = size;
    Ok(())
}
