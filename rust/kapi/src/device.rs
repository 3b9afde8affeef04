// SPDX-License-Identifier: GPL-2.0
//! Device nodes that keep the module loaded while they are open.

use crate::sys;
use kernel::error::to_result;
use kernel::miscdevice::{MiscDevice, MiscDeviceRegistration};
use kernel::prelude::*;

/// From here on an open file of this node holds a reference to the module.
///
/// TODO[OWNER]: goes when all supported kernels fill `owner` themselves (7.3 does).
///
/// # Context
///
/// *process*; once per node, right after its registration and before its `open` lets anyone in.
pub fn own<T: MiscDevice>(node: &MiscDeviceRegistration<T>) -> Result {
    // SAFETY: a `MiscDeviceRegistration` is registered as long as it exists.
    to_result(unsafe { sys::kapi_device_own(node.as_raw().cast()) })
}
