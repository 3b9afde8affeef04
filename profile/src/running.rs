// SPDX-License-Identifier: GPL-2.0
//! The enabled probes of a provider, each with its timer or counter. Dropping one disables its
//! probe.

use abi::ids::ProbeId;
use framework::{EnableError, Probe};
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};

/// The enabled probes.
#[pin_data]
pub(crate) struct Running<T> {
    #[pin]
    each: Mutex<KVec<(ProbeId, T)>>,
}

impl<T> Running<T> {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self { each <- new_mutex!(KVec::new()) })
    }

    /// Implements [`framework::Provider::enable`]. `start` reads the name of a probe and starts its
    /// timer or counter. `words` explains the errno of a failed start, except for a lack of memory.
    pub(crate) fn enable<S: FnOnce() -> Result<T>>(
        &self,
        probes: &[Arc<Probe>],
        refuse: &mut dyn FnMut(usize, EnableError),
        start: impl Fn(&Arc<Probe>) -> core::result::Result<S, &'static str>,
        words: fn(Error) -> EnableError,
    ) {
        for (i, probe) in probes.iter().enumerate() {
            let result = start(probe).map_err(EnableError::Unsupported).and_then(|start| {
                self.add(probe, start).map_err(|e| match e {
                    e if e == ENOMEM => EnableError::Memory,
                    e => words(e),
                })
            });
            if let Err(why) = result {
                refuse(i, why);
            }
        }
    }

    fn add(&self, probe: &Probe, start: impl FnOnce() -> Result<T>) -> Result {
        let mut each = self.each.lock();
        mem::reserve(&mut each, 1)?;
        each.push_within_capacity((probe.id(), start()?)).map_err(|_| ENOMEM)
    }

    /// Implements [`framework::Provider::disable`].
    pub(crate) fn disable(&self, probes: &[Arc<Probe>]) {
        self.each.lock().retain(|(id, _)| !probes.iter().any(|p| p.id() == *id));
    }
}
