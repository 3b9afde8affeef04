// SPDX-License-Identifier: GPL-2.0
//! The provider's context, for functions that get no reference to it.

use crate::attach::State;
use framework::framework::ProviderId;
use framework::Framework;
use kapi::global::Global;
use kernel::prelude::*;
use kernel::sync::{Arc, Mutex};

/// The context of a function that gets no reference to the provider, such as a kernel callback.
#[pin_data]
pub(crate) struct Context {
    pub(crate) framework: Arc<Framework>,
    pub(crate) provider: ProviderId,
    /// Held while probes are made, or forgotten with their process.
    #[pin]
    pub(crate) making: Mutex<()>,
    pub(crate) fasttrap: Arc<Fasttrap>,
}

/// The provider.
#[pin_data]
pub(crate) struct Fasttrap {
    #[pin]
    pub(crate) state: Mutex<State>,
}

pub(crate) static CONTEXT: Global<Context> = Global::empty();
