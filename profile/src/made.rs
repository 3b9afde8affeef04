// SPDX-License-Identifier: GPL-2.0
//! Probes whose names contain a number. Each is made when a consumer first asks for its name, and
//! stays until the module is removed.

use abi::probe::{put, Techniques, NAME_LEN};
use framework::framework::ProviderId;
use framework::{Draft, Framework, Offer};
use kapi::mem;
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::{new_mutex, Mutex};

/// The most probes of a provider.
const MAX_PROBES: usize = 512;

type Name = [u8; NAME_LEN];

/// The names that have a probe.
#[pin_data]
pub(crate) struct Made {
    #[pin]
    names: Mutex<KVVec<Name>>,
}

impl Made {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self { names <- new_mutex!(KVVec::new()) })
    }

    /// Makes a probe with `nargs` arguments for each of these names that has none.
    pub(crate) fn make(
        &self,
        framework: &Framework,
        own: ProviderId,
        provider: &str,
        names: &[&[u8]],
        nargs: u32,
    ) {
        let mut made = self.names.lock();
        let known = made.len();
        let draft = framework.draft(own, b"", names.len()).map_err(|e| e.errno());
        let result = draft
            .and_then(|draft| collect(draft, &mut made, names, nargs))
            .and_then(|draft| framework.offer_draft(draft).map_err(|e| e.errno()));
        if result.is_err() {
            made.truncate(known);
        }
        let is_new = made.len() > known;
        drop(made);
        match (result, names) {
            // These probes are never removed.
            (Ok(_group), _) if is_new => framework.provided(),
            (Ok(_), _) => {}
            (Err(e), [name]) => {
                let name = BStr::from_bytes(name);
                pr_warn!("{provider}: {name}: not made: errno {}\n", e.to_errno());
            }
            (Err(e), _) => {
                pr_warn!("{provider}: the usual probes: not made: errno {}\n", e.to_errno());
            }
        }
    }
}

fn collect(mut draft: Draft, made: &mut KVVec<Name>, names: &[&[u8]], nargs: u32) -> Result<Draft> {
    for name in names {
        let mut own = [0; NAME_LEN];
        if !put(&mut own, name) || made.contains(&own) {
            continue;
        }
        if made.len() >= MAX_PROBES {
            return Err(E2BIG);
        }
        mem::push(made, own)?;
        let offer = Offer { function: b"", name, nargs, cookie: 0, how: Techniques::empty() };
        draft.add(&offer).map_err(|e| e.errno())?;
    }
    Ok(draft)
}
