// SPDX-License-Identifier: GPL-2.0
//! `/dev/dtrace/helper`, with which a program registers its own probes. Any process may do so for
//! itself.

use abi::dof::Header;
use abi::helper::{Helper, ADD, MAX_SIZE, REMOVE};
use framework::Error;
use kapi::device::Node;
use kernel::error::code;
use kernel::prelude::*;
use kernel::uaccess::{UserPtr, UserSlice};
use zerocopy::{FromZeros, IntoBytes};

/// Creates the node, which exists until the returned value is dropped.
pub(crate) fn start() -> Result<Node> {
    kapi::mem::ask()?;
    Node::new(ioctl)
}

fn ioctl(cmd: u32, arg: usize) -> Result<isize> {
    match cmd {
        ADD => add(arg).map_err(|e| e.errno()),
        REMOVE => {
            let number = u32::try_from(arg).map_err(|_| EINVAL)?;
            fasttrap::remove(number).map(|()| 0).map_err(|e| e.errno())
        }
        _ => Err(ENOTTY),
    }
}

fn add(arg: usize) -> core::result::Result<isize, Error> {
    // This may set a breakpoint.
    kapi::task::locked_down(true).map_err(|_| Error::LockedForWrites)?;
    let mut helper = Helper::new_zeroed();
    let from = |at, size| UserSlice::new(UserPtr::from_addr(at), size).reader();
    from(arg, size_of::<Helper>()).read_slice(helper.as_mut_bytes())?;
    let end = helper.module.iter().position(|b| *b == 0).ok_or(Error::ProbeName)?;
    let module = helper.module.get(..end).unwrap_or_default();
    let at = usize::try_from(helper.dof).map_err(|_| code::EFAULT)?;
    let mut head = Header::new_zeroed();
    from(at, size_of::<Header>()).read_slice(head.as_mut_bytes())?;
    let size = usize::try_from(head.load_size).unwrap_or(usize::MAX);
    if size > MAX_SIZE {
        return Err(Error::TooMany("bytes of DOF"));
    }
    let mut bytes = kapi::mem::zeroed_bytes(size)?;
    from(at, size).read_slice(&mut bytes)?;
    let number = fasttrap::add(module, helper.address, helper.dof, &mut bytes)?;
    // CAST: 32 bits in 64.
    Ok(number as isize)
}
