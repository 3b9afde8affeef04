// SPDX-License-Identifier: GPL-2.0
//! Tests of the machine as a whole: programs in files, a second opinion on arithmetic and
//! branches, and the promise that any bytes keep.

mod filetests;
mod model;
mod promise;
