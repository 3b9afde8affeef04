// SPDX-License-Identifier: GPL-2.0
//! The probes of a provider that are enabled, each with what makes it fire. Dropping that ends it.

use abi::ids::ProbeId;
use framework::{EnableError, Probe};
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};

/// The probes that are enabled.
#[pin_data]
pub(crate) struct Running<T> {
    #[pin]
    each: Mutex<KVec<(ProbeId, T)>>,
}

impl<T> Running<T> {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self { each <- new_mutex!(KVec::new()) })
    }

    /// As [`framework::Provider::enable`]. `start` reads the name of a probe; what it returns starts the probe.
    /// `words` says what the errno of a start means; no memory is said here.
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

    /// As [`framework::Provider::disable`].
    pub(crate) fn disable(&self, probes: &[Arc<Probe>]) {
        self.each.lock().retain(|(id, _)| !probes.iter().any(|p| p.id() == *id));
    }
}
