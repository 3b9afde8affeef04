// SPDX-License-Identifier: GPL-2.0
//! Tests of the machine as a whole: programs in files, a second opinion on arithmetic and
//! branches, another on everything, the promise that any bytes keep, and that what needs no loop agrees with it.

mod filetests;
mod model;
mod naive;
mod promise;
mod quick;
