// SPDX-License-Identifier: GPL-2.0
//! The provider, for callers that come in by a plain function call.

use crate::attach::State;
use framework::framework::ProviderId;
use framework::Framework;
use kapi::global::Global;
use kernel::prelude::*;
use kernel::sync::{Arc, Mutex};

/// What a caller needs that comes in by a plain function call.
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
