// SPDX-License-Identifier: GPL-2.0
//! `/dev/dtrace/dtrace`: one match over ioctls, one function per ioctl.
//!
//! An ioctl's argument is copied once in and once out. If a call is refused, the reason is kept as
//! a sentence for the REPORT ioctl; the errno comes from the error itself. User memory is accessed
//! only while no lock is held, because a process may have to provide a page and may never do it. So
//! the data to copy is collected first.
//!
//! `inline(never)` here and in the framework: a kernel stack has 16 KiB, an allocation may need
//! half of it, and a function has the local variables of all functions that are inlined into it.

use crate::anonymous;
use abi::conf::{Conf, ABI_VERSION, FEATURE_SDT};
use abi::ids::ProbeId;
use abi::ioctl::{self, BufDesc, Done, Enable, Explain, Format, Go, Probes, Report, Symbol};
use abi::probe::{ProbeView, Techniques, MAX_PACKED, NARGS_UNKNOWN};
use abi::record::{AggDesc, EprobeDesc, RecDesc};
use abi::status::Status;
use abi::unwind::{self, Key, Object, Row, Strangers};
use abi::user::{self, Make, Refusal, Seen};
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{Consumer, Error, Framework, Probe};
use kapi::global::Global;
use kernel::error::code;
use kernel::fs::File;
use kernel::miscdevice::{MiscDevice, MiscDeviceRegistration};
use kernel::prelude::*;
use kernel::sync::Arc;
use kernel::uaccess::{UserPtr, UserSlice};
use zerocopy::{FromBytes, Immutable, IntoBytes};

type Outcome<T = ()> = framework::Result<T>;

/// The framework, for `open`. It is set while the module is ready for consumers.
pub(crate) static FRAMEWORK: Global<Framework> = Global::empty();

/// For tests: whether consumers may make allocations fail.
pub(crate) static MAY_FAIL: AtomicBool = AtomicBool::new(false);

/// An open `/dev/dtrace/dtrace`.
#[pin_data]
pub(crate) struct Dtrace {
    #[pin]
    consumer: Consumer,
    /// The anonymous consumer, once this file has claimed it. It then replaces `consumer`.
    claimed: Global<Consumer>,
}

#[vtable]
impl MiscDevice for Dtrace {
    type Ptr = Pin<KBox<Self>>;

    fn open(_file: &File, _node: &MiscDeviceRegistration<Self>) -> Result<Self::Ptr> {
        may_trace().map_err(|e| e.errno())?;
        let framework: Arc<Framework> = FRAMEWORK.get().ok_or(ENODEV)?;
        KBox::try_pin_init(
            try_pin_init!(Self {
                consumer <- Consumer::new(framework),
                claimed: Global::empty(),
            }),
            GFP_KERNEL,
        )
    }

    fn ioctl(me: Pin<&Self>, _file: &File, cmd: u32, arg: usize) -> Result<isize> {
        let claimed = me.claimed.get();
        let consumer = claimed.as_deref().unwrap_or(&me.get_ref().consumer);
        let _beat = consumer.beat();
        let outcome = match cmd {
            // The request for the reason must not replace it.
            ioctl::REPORT => {
                return exchange(arg, |a| report(consumer, a)).map(|()| 0).map_err(|e| e.errno())
            }
            ioctl::CONF => exchange(arg, |a| Ok(*a = conf())),
            // An open file can be passed on, and what it returns is data of the whole machine.
            _ if !kapi::task::may_trace() => Err(Error::Privileges),
            ioctl::PROBES => exchange(arg, |a| {
                may_trace()?;
                probes(consumer, a)
            }),
            ioctl::BUFSNAP => exchange(arg, |a| snap(consumer, a)),
            ioctl::AGGSNAP => exchange(arg, |a| agg_snap(consumer, a)),
            ioctl::ENABLE => exchange(arg, |a| enable(consumer, a)),
            ioctl::EPROBE => exchange(arg, |a| eprobe(consumer, a)),
            ioctl::AGGDESC => exchange(arg, |a| agg_desc(consumer, a)),
            ioctl::FORMAT => exchange(arg, |a| format(consumer, a)),
            ioctl::GO => exchange(arg, |a: &mut Go| {
                may_trace()?;
                Ok(*a = consumer.go()?)
            }),
            ioctl::STOP => exchange(arg, |a: &mut Go| Ok(*a = consumer.stop()?)),
            ioctl::STATUS => exchange(arg, |a: &mut Status| Ok(*a = consumer.status()?)),
            ioctl::EXPLAIN => exchange(arg, |a| {
                may_trace()?;
                explain(consumer, a)
            }),
            ioctl::SYMBOL => exchange(arg, |a| {
                may_trace()?;
                symbol(a)
            }),
            user::MAKE => exchange(arg, make),
            user::FOLLOW => exchange(arg, |pid: &mut u32| {
                may_trace()?;
                consumer.follow(*pid)
            }),
            user::SEEN => exchange(arg, |a: &mut Seen| Ok(a.late = consumer.seen(a.mapped)?)),
            user::IGNORE => exchange(arg, |key: &mut Key| consumer.ignore(key)),
            user::BEGUN => exchange(arg, |a: &mut Strangers| Ok(a.pids = consumer.begun()?)),
            unwind::OBJECT => exchange(arg, |a| object(consumer, a)),
            unwind::FORGET => exchange(arg, |key: &mut Key| consumer.remove_object(*key)),
            unwind::STRANGERS => {
                exchange(arg, |a: &mut Strangers| Ok(a.pids = consumer.take_strangers()))
            }
            ioctl::DONE => exchange(arg, |a| done(consumer, a)),
            ioctl::LEFTOUT => exchange(arg, |a| left_out(consumer, a)),
            ioctl::WAKE => exchange(arg, |fd: &mut i32| consumer.wake_by(*fd)),
            ioctl::CLAIM => exchange(arg, |a: &mut Report| {
                may_trace()?;
                let to = a.text;
                anonymous::claim(&me.get_ref().claimed, a, |bytes| give(to, bytes))
            }),
            ioctl::FAIL if MAY_FAIL.load(Relaxed) => exchange(arg, fail),
            _ => return Err(ENOTTY),
        };
        outcome.map(|()| 0).map_err(|e| {
            consumer.set_report(&e);
            e.errno()
        })
    }
}

/// Copies the argument in, lets `f` work on it, and copies it out if `f` succeeds.
#[inline(never)]
fn exchange<T: FromBytes + IntoBytes + Immutable>(
    arg: usize,
    f: impl FnOnce(&mut T) -> Outcome,
) -> Outcome {
    let slice = || UserSlice::new(UserPtr::from_addr(arg), size_of::<T>());
    let mut value = T::new_zeroed();
    slice().reader().read_slice(value.as_mut_bytes())?;
    f(&mut value)?;
    slice().writer().write_slice(value.as_bytes())?;
    Ok(())
}

/// Copies bytes to a user address.
fn give(to: u64, bytes: &[u8]) -> Outcome {
    let to = usize::try_from(to).map_err(|_| code::EFAULT)?;
    Ok(UserSlice::new(UserPtr::from_addr(to), bytes.len()).writer().write_slice(bytes)?)
}

/// Copies bytes from a user address. More than `most` are too many of `what`.
fn take(from: u64, size: u64, most: usize, what: &'static str) -> Outcome<KVVec<u8>> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > most {
        return Err(Error::TooMany(what));
    }
    let from = usize::try_from(from).map_err(|_| code::EFAULT)?;
    let mut bytes = kapi::mem::zeroed_bytes(size)?;
    UserSlice::new(UserPtr::from_addr(from), size).reader().read_slice(&mut bytes)?;
    Ok(bytes)
}

fn fail(after: &mut u64) -> Outcome {
    kapi::mem::fail_after((*after != u64::MAX).then_some(*after));
    Ok(())
}

fn conf() -> Conf {
    Conf {
        abi_version: ABI_VERSION,
        dif_version: abi::dif::DIF_VERSION.into(),
        // CAST: both are 8, and there are less than 2^32 CPUs.
        nregs: abi::dif::NREGS as u32,
        ntuple: abi::dif::NTUPLE as u32,
        ncpus: kapi::context::cpus() as u32,
        pad: 0,
        features: if kapi::symbols::feature_text() { FEATURE_SDT } else { 0 },
    }
}

/// Checks that the caller may begin to trace. This is checked when the device is opened, and again
/// in each call that enables, starts, or returns probes and addresses of the kernel. All other
/// calls ask only for the privilege, because a kernel that is locked down meanwhile lets a running
/// tracing continue.
pub(crate) fn may_trace() -> Outcome {
    if !kapi::task::may_trace() {
        return Err(Error::Privileges);
    }
    kapi::task::locked_down(false).map_err(|_| Error::LockedDown)
}

#[inline(never)]
fn enable(c: &Consumer, a: &mut Enable) -> Outcome {
    may_trace()?;
    let dof = take(a.dof, a.size, abi::dof::MAX_SIZE, "bytes of DOF")?;
    a.matched = c.enable(&dof)?;
    Ok(())
}

#[inline(never)]
fn make(a: &mut Make) -> Outcome {
    may_trace()?;
    kapi::task::locked_down(true).map_err(|_| Error::LockedForWrites)?;
    let packed = take(a.from, a.size, user::MAX_MAKE, "bytes of probes")?;
    let room = (a.refused as usize).min(MAX_REFUSALS);
    let mut refusals: KVVec<Refusal> = kapi::mem::vec(room)?;
    let mut refused = 0u32;
    let made = fasttrap::make(a.pid, &packed, &mut |refusal| {
        refused = refused.saturating_add(1);
        if refusals.len() < room {
            let _ = refusals.push_within_capacity(refusal);
        }
    })?;
    (a.made, a.refused) = (made, refused);
    give(a.refusals, refusals.as_slice().as_bytes())
}

#[inline(never)]
fn object(c: &Consumer, a: &mut Object) -> Outcome {
    may_trace()?;
    let rows = take(a.rows, a.size, unwind::MAX_ROWS * size_of::<Row>(), "rows of a file")?;
    c.add_object(a.key, rows)
}

/// The most refusals that MAKE returns.
const MAX_REFUSALS: usize = 1 << 16;

/// Packed probes on their way to the user.
struct Packed {
    room: KVVec<u8>,
    used: usize,
    count: u32,
}

impl Packed {
    /// False if there is no more room.
    fn add(&mut self, p: &Probe, how: Techniques) -> Outcome<bool> {
        let room = self.room.get_mut(self.used..).unwrap_or_default();
        match (ProbeView { how, ..p.view() }).pack(room) {
            Some(size) if self.count < ioctl::MAX_PROBES_A_CALL => {
                self.used = self.used.saturating_add(size);
                self.count = self.count.saturating_add(1);
                Ok(true)
            }
            None if self.count == 0 => Err(Error::NoRoom(MAX_PACKED)),
            _ => Ok(false),
        }
    }
}

#[inline(never)]
fn probes(c: &Consumer, a: &mut Probes) -> Outcome {
    let first = a.cursor == 0;
    if a.size == 0 {
        return count(c, a);
    }
    let most = match a.pattern.id {
        ProbeId::NONE => ioctl::MAX_PROBES_SIZE as usize,
        // An id has at most one probe, and consumers often ask for its name.
        _ => MAX_PACKED,
    };
    let room = kapi::mem::zeroed_bytes(most.min(a.size as usize))?;
    let mut packed = Packed { room, used: 0, count: 0 };
    a.cursor = c.probes(&a.pattern, a.cursor, |p, how| packed.add(p, how))?;
    // A probe that this consumer has enabled may be retired with its module. Its name is still
    // known.
    if packed.count == 0 && a.pattern.id != ProbeId::NONE && first {
        if let Ok(p) = c.enabled_probe(a.pattern.id) {
            packed.add(&p, p.how())?;
        }
    }
    give(a.into, packed.room.get(..packed.used).unwrap_or_default())?;
    // CAST: at most MAX_PROBES_SIZE.
    (a.count, a.size) = (packed.count, packed.used as u32);
    Ok(())
}

#[inline(never)]
fn count(c: &Consumer, a: &mut Probes) -> Outcome {
    (a.count, a.nargs) = (0, NARGS_UNKNOWN);
    a.cursor = c.probes(&a.pattern, a.cursor, |p, _| {
        a.count = a.count.saturating_add(1);
        a.nargs = match (a.nargs, p.nargs()) {
            (NARGS_UNKNOWN, n) | (n, NARGS_UNKNOWN) => n,
            (n, m) => n.max(m),
        };
        Ok(true)
    })?;
    Ok(())
}

#[inline(never)]
fn explain(c: &Consumer, a: &mut Explain) -> Outcome {
    let why = c.explain(&a.pattern)?;
    (a.reason, a.symbol) = (why.reason as u32, why.symbol);
    Ok(())
}

#[inline(never)]
fn symbol(a: &mut Symbol) -> Outcome {
    let name = CStr::from_bytes_until_nul(&a.name).map_err(|_| code::EINVAL)?;
    a.address = kapi::symbols::find(name).ok_or(Error::NoSuch("symbol"))?;
    Ok(())
}

/// Copies a text, as far as it fits.
fn give_text(a: &mut Report, text: &[u8]) -> Outcome {
    let n = text.len().min(a.size as usize);
    give(a.text, text.get(..n).unwrap_or_default())?;
    // CAST: bounded by the size given.
    a.size = n as u32;
    Ok(())
}

#[inline(never)]
fn left_out(c: &Consumer, a: &mut Report) -> Outcome {
    let text = c.left_out()?;
    give_text(a, &text)
}

fn room(a: &BufDesc) -> usize {
    usize::try_from(a.size).unwrap_or(usize::MAX)
}

#[inline(never)]
fn snap(c: &Consumer, a: &mut BufDesc) -> Outcome {
    let s = c.take_records(a.cpu as usize, room(a), |bytes| give(a.data, bytes))?;
    fill(a, &s);
    Ok(())
}

#[inline(never)]
fn agg_snap(c: &Consumer, a: &mut BufDesc) -> Outcome {
    let s = c.take_aggregations(a.cpu as usize, room(a), |bytes| give(a.data, bytes))?;
    fill(a, &s);
    Ok(())
}

#[inline(never)]
fn done(c: &Consumer, a: &mut Done) -> Outcome {
    let freed = c.free(a.until, a.count as usize)?;
    give(a.epids, freed.as_bytes())?;
    c.reuse(&freed);
    // CAST: at most the room, which has 32 bits.
    a.count = freed.len() as u32;
    Ok(())
}

fn fill(a: &mut BufDesc, s: &framework::state::Snapshot) {
    a.size = s.size as u64;
    a.drops = s.drops;
    a.errors = s.errors;
    a.oldest = s.oldest as u64;
    a.timestamp = s.timestamp;
}

/// Copies as many record descriptions as fit.
fn give_records(to: u64, capacity: u32, records: &[RecDesc]) -> Outcome {
    let n = records.len().min(capacity as usize);
    give(to, records.get(..n).unwrap_or_default().as_bytes())
}

#[inline(never)]
fn eprobe(c: &Consumer, a: &mut EprobeDesc) -> Outcome {
    let (recs, capacity) = (a.recs, a.capacity);
    let d = c.eprobe(a.epid, |records| give_records(recs, capacity, records))?;
    *a = EprobeDesc { recs, capacity, ..d };
    Ok(())
}

#[inline(never)]
fn agg_desc(c: &Consumer, a: &mut AggDesc) -> Outcome {
    let (recs, capacity) = (a.recs, a.capacity);
    let (d, records) = c.aggregation(a.id)?;
    give_records(recs, capacity, &records)?;
    *a = AggDesc { recs, capacity, ..d };
    Ok(())
}

#[inline(never)]
fn format(c: &Consumer, a: &mut Format) -> Outcome {
    let mut text = c.format(a.id)?;
    kapi::mem::push(&mut text, 0)?;
    let n = text.len().min(a.size as usize);
    give(a.text, text.get(..n).unwrap_or_default())?;
    // CAST: a string table has at most MAX_SIZE bytes.
    a.size = text.len() as u32;
    Ok(())
}

#[inline(never)]
fn report(c: &Consumer, a: &mut Report) -> Outcome {
    c.report(|text| give_text(a, text))
}
