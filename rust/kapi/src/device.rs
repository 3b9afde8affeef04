// SPDX-License-Identifier: GPL-2.0
//! Device nodes that keep the module loaded while they are open.

use crate::once::Once;
use crate::sys;
use kernel::error::to_result;
use kernel::ffi::{c_long, c_uint, c_ulong};
use kernel::miscdevice::{MiscDevice, MiscDeviceRegistration};
use kernel::prelude::*;

/// Makes every open file of this node hold a reference to the module from here on.
///
/// TODO[OWNER]: remove this when all supported kernels set `owner` themselves (7.3 does).
///
/// # Context
///
/// *process*; once per node, right after its registration and before its `open` lets anyone in.
pub fn own<T: MiscDevice>(node: &MiscDeviceRegistration<T>) -> Result {
    // SAFETY: a `MiscDeviceRegistration` is registered as long as it exists.
    to_result(unsafe { sys::kapi_device_own(node.as_raw().cast()) })
}

/// The handler of an ioctl: number, argument.
pub type Ioctl = fn(u32, usize) -> Result<isize>;

static IOCTL: Once<Ioctl> = Once::new();

/// The node `/dev/dtrace/helper`, which everybody may open. It exists as long as this value.
pub struct Node(());

impl Node {
    /// Creates the node with this handler, which may sleep.
    ///
    /// # Context
    ///
    /// *process*; there is only one node.
    pub fn new(ioctl: Ioctl) -> Result<Self> {
        IOCTL.populate(ioctl);
        to_result(sys::kapi_node_on())?;
        Ok(Self(()))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        sys::kapi_node_off();
    }
}

#[no_mangle]
extern "C" fn kapi_node_ioctl(cmd: c_uint, arg: c_ulong) -> c_long {
    let done = IOCTL.as_ref().ok_or(ENODEV).and_then(|ioctl| ioctl(cmd, arg as usize));
    done.map_or_else(|e| e.to_errno() as c_long, |n| n as c_long)
}
