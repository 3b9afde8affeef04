// SPDX-License-Identifier: GPL-2.0
//! DOF, the container in which a program travels.

pub mod write;

pub use write::write;
