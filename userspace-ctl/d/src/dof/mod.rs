// SPDX-License-Identifier: GPL-2.0
//! DOF, the format in which a program is passed to the kernel.

pub mod write;

pub use write::write;
