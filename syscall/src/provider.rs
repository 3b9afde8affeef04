// SPDX-License-Identifier: GPL-2.0
//! Makes probes of system calls.

use crate::names::{names, Table};
use abi::probe::Techniques;
use framework::framework::ProviderId;
use framework::{Draft, EnableError, Framework, Offer, Offered, Probe, Provider};
use kapi::publish::{Published, Replace};
use kapi::stack::Start;
use kapi::syscall::Abi;
use kapi::{mem, symbols};
use kernel::prelude::*;
use kernel::sync::Arc;
use patch::{Ask, Functions, Sides, View, Wanted};

/// The number of arguments of an entry probe.
const NARGS_ENTRY: u32 = 6;
/// The number of arguments of a return probe: the value, twice, and the error.
const NARGS_RETURN: u32 = 3;

/// A system call.
#[derive(Clone, Copy)]
struct Call {
    /// The function that serves it.
    start: u64,
    name: &'static str,
    number: u16,
    abi: Abi,
    /// Which other calls the function serves, and so what a hit must check.
    ask: Ask,
    sides: Sides,
}

/// The provider.
#[pin_data]
struct Syscall {
    functions: Functions,
    /// The probes have been offered.
    #[pin]
    offered: Offered,
}

/// The calls. The cookie of a probe is a position in this list.
static CALLS: Published<KVVec<Call>> = Published::empty();

/// The registered provider.
pub struct Running(());

/// Registers the provider.
///
/// # Context
/// *process*; call it once.
pub fn start(framework: &Framework, functions: Functions) -> Result<Running> {
    mem::ask()?;
    let syscall =
        Arc::pin_init(pin_init!(Syscall { functions, offered <- Offered::new() }), GFP_KERNEL)?;
    framework.register(syscall).map_err(|e| e.errno())?;
    Ok(Running(()))
}

impl Drop for Running {
    /// Unregisters the provider. No consumer is left, so no probe is enabled.
    fn drop(&mut self) {
        drop(CALLS.swap(None));
    }
}

/// Returns the stricter of two checks.
fn more(a: Ask, b: Ask) -> Ask {
    match (a, b) {
        (Ask::All, _) | (_, Ask::All) => Ask::All,
        (Ask::Abi, _) | (_, Ask::Abi) => Ask::Abi,
        _ => Ask::Nothing,
    }
}

/// Returns the calls of one table, each with its function if the kernel has it.
fn collect(abi: Abi, calls: &mut KVVec<Call>) -> Result {
    let table = match abi {
        Abi::X64 => Table::X64,
        Abi::Ia32 => Table::Ia32,
    };
    for number in 0..abi.count() {
        let Some(symbol) = abi.symbol(number) else { continue };
        let Some([name, second]) = symbol.to_str().ok().and_then(|s| names(table, s)) else {
            continue;
        };
        let (Some(start), Ok(number)) = (symbols::find(symbol), u16::try_from(number)) else {
            continue;
        };
        let (mut ask, mut is_second) = (Ask::Nothing, false);
        for other in calls.iter_mut().filter(|c| c.start == start) {
            is_second |= other.abi == abi;
            // A call without arguments has one function for 64-bit and 32-bit processes.
            let both = if other.abi == abi { Ask::All } else { Ask::Abi };
            (other.ask, ask) = (more(other.ask, both), more(ask, both));
        }
        let name = if is_second { second } else { name };
        mem::push(calls, Call { start, name, number, abi, ask, sides: Sides::default() })?;
    }
    Ok(())
}

impl Syscall {
    /// Offers the probes.
    fn offer(&self, framework: &Framework, own: ProviderId) -> Result {
        let mut calls = KVVec::new();
        for abi in Abi::ALL {
            collect(abi, &mut calls)?;
        }
        let mut starts: KVVec<u64> = mem::vec(calls.len())?;
        for call in calls.iter() {
            mem::push(&mut starts, call.start)?;
        }
        self.functions.look(&starts)?;
        self.functions.sides(&starts, |n, sides| {
            if let Some(call) = calls.get_mut(n) {
                call.sides = sides;
            }
        })?;
        let room = calls.len().saturating_mul(2);
        let draft = |module| framework.draft(own, module, room).map_err(|e| e.errno());
        let x64 = fill(draft(b"vmlinux")?, Abi::X64, &calls)?;
        let ia32 = fill(draft(b"ia32")?, Abi::Ia32, &calls)?;
        drop(CALLS.swap(Some(mem::boxed(calls)?)));
        // The probes are never removed. If one cannot be made, none is.
        let group = framework.offer_draft(x64).map_err(|e| e.errno())?;
        match framework.offer_draft(ia32) {
            Ok(_group) => Ok(()),
            Err(e) => {
                framework.retire_group(group);
                Err(e.errno())
            }
        }
    }
}

/// Returns the probes of one table.
fn fill(mut draft: Draft, abi: Abi, calls: &[Call]) -> Result<Draft> {
    for (n, call) in calls.iter().enumerate().filter(|(_, c)| c.abi == abi) {
        // CAST: there are fewer than a thousand.
        let cookie = (n as u32) << 1;
        let function = call.name.as_bytes();
        if !call.sides.entry.is_empty() {
            let (nargs, how) = (NARGS_ENTRY, call.sides.entry);
            let offer = Offer { function, name: b"entry", nargs, cookie, how };
            draft.add(&offer).map_err(|e| e.errno())?;
        }
        if !call.sides.returns.is_empty() {
            // If the function ends with a jump to another function, these are the other's returns.
            let (nargs, how) = (NARGS_RETURN, Techniques::CALL_RETURN);
            let offer = Offer { function, name: b"return", nargs, cookie: cookie | 1, how };
            draft.add(&offer).map_err(|e| e.errno())?;
        }
    }
    Ok(draft)
}

/// Returns the place of a probe: its function, side and meaning.
fn wanted(probe: &Probe) -> Option<Wanted> {
    let at = (probe.cookie() >> 1) as usize;
    let call = CALLS.with(|calls| calls?.get(at).copied())?;
    let view = View::Call { abi: call.abi, number: call.number, ask: call.ask };
    Some(Wanted { start: call.start, is_return: probe.cookie() & 1 != 0, view })
}

impl Provider for Syscall {
    fn name(&self) -> &[u8] {
        b"syscall"
    }

    /// The stack begins with the caller of the function in the probe's name.
    fn start(&self, _: &Probe) -> Start {
        Start::Here(1)
    }

    fn probe_names(&self) -> &[&[u8]] {
        &[b"entry", b"return"]
    }

    fn provide(&self, framework: &Framework, own: ProviderId) {
        self.offered.once(framework, "syscall", || self.offer(framework, own));
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        self.functions.enable(probes, &wanted, refuse);
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.functions.disable(probes);
    }
}
