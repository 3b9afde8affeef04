// SPDX-License-Identifier: GPL-2.0
//! Tests of the machine as a whole: programs in files, a model of arithmetic and branches, a model
//! of the whole machine, the promise for any bytes, and the comparison of simple shapes with the
//! loop.

mod filetests;
mod model;
mod naive;
mod promise;
mod quick;
