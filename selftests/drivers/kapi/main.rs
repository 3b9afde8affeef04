// SPDX-License-Identifier: GPL-2.0
//! Tests of crate kapi, which run when this module loads. It stays loaded only if all of them pass;
//! the log names the first one that fails.

#[macro_use]
mod check;
mod sites;
mod whole;

use core::borrow::Borrow;
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use kapi::context::{cpus, enter, nested};
use kapi::modules::{self, ModuleEvent, ModuleRef, Watch};
use kapi::nofault::{read_kernel, read_kernel_str, read_user, read_user_str, BadAddr};
use kapi::patience::Patience;
use kapi::percpu;
use kapi::publish::{Published, Replace, Retired};
use kapi::text::{is_reserved, patch, Patch, PatchError};
use kapi::trampoline::{set_sdt_handler, Trampoline};
use kapi::{mem, symbols, task, time, xcall};
use kernel::prelude::*;
use x86::boundary;
use x86::encoding::{WIDE_NOP, WIDE_RET};

module! {
    type: Kapi,
    name: "kapi",
    authors: ["dtrace-rs"],
    description: "Tests of crate kapi",
    license: "GPL",
    params: {
        device: u64 {
            default: 0,
            description: "address of a device's registers in kernel memory, if known",
        },
        toggles: u64 {
            default: 20,
            description: "how often the site is switched under running threads",
        },
        whole: u64 {
            default: 0,
            description: "instead of all tests: put a probe on the whole kernel (1)",
        },
    },
}

unsafe extern "C" {
    safe fn kapi_site_fn() -> u32;
    static kapi_site: u8;
    safe fn kapi_race_start();
    safe fn kapi_race_stop(calls: &mut u64) -> u64;
    safe fn kapi_race_pause();
    safe fn kapi_user_stack() -> u64;
    fn kapi_stack_names(a: *const u8, b: *const u8) -> bool;
    safe fn kapi_page() -> *mut [u8; 4096];
    fn kapi_page_free(page: *mut [u8; 4096]);
}

/// Returns a parameter. Kernel 7.2 gives a reference, 7.3 a value.
fn value(of: impl Borrow<u64>) -> u64 {
    *of.borrow()
}

fn this_cpu() -> usize {
    kernel::cpu::CpuId::current().as_u32() as usize
}

fn context() -> Result {
    let before = nested();
    check!(enter(|c| c.cpu() == this_cpu() && c.cpu() < cpus()) == Some(true));
    check!(nested() == before);
    check!(enter(|_| enter(|_| ()).is_none()) == Some(true));
    check!(nested() == before + 1);
    check!(enter(|_| ()).is_some());
    Ok(())
}

/// One user's processes, or many users' together, leave time for those of others.
fn patience() -> Result {
    const MS: u64 = 1_000_000;
    let mut p = KBox::new(Patience::new(), GFP_KERNEL)?;
    check!(p.take(1000, 240 * MS, 1) == 10 * MS);
    check!(p.take(1000, 60 * MS, 1) == 0);
    check!(p.take(1001, 0, 1) == 250 * MS);
    check!(p.take(0, 0, 1) == 700 * MS);
    // A second gives a tenth of each time back. 50 ms are owed first.
    check!(p.take(1000, 0, 1000 * MS + 1) == 0);
    check!(p.take(1000, 0, 3000 * MS + 1) == 25 * MS);
    // At most a purse is owed.
    check!(p.take(1000, 1000 * MS, 3000 * MS + 1) == 0);
    check!(p.take(1000, 0, 14_000 * MS + 1) == 25 * MS);
    check!(p.take(1000, 0, 100_000 * MS) == 250 * MS);
    for user in 2000..2100 {
        p.take(user, 250 * MS, 100_000 * MS);
    }
    check!(p.take(3000, 0, 100_000 * MS) == 0);
    check!(p.take(0, 10 * MS, 100_000 * MS) == 0);
    check!(p.take(3000, 0, 120_000 * MS) == 250 * MS);
    check!(p.take(0, 0, u64::MAX) == 1000 * MS);
    Ok(())
}

fn cross_calls() -> Result {
    let mut slots = percpu::new(|cpu| Ok(Cell::new(cpu * 100)))?;
    check!(slots.len() == cpus());
    xcall::on_each(|c| {
        let slot = slots.get(c);
        slot.set(slot.get() + 1);
    })?;
    for cpu in 0..cpus() {
        let (name, ran, seen) = xcall::on_cpu(cpu, |c| (c.cpu(), this_cpu(), slots.get(c).get()))?;
        check!((name, seen) == (cpu, cpu * 100 + 1));
        // Another CPU runs the function for one that is offline.
        check!((ran == cpu) == xcall::is_online(cpu));
    }
    check!(slots.iter_mut().map(|slot| slot.get()).eq((0..cpus()).map(|cpu| cpu * 100 + 1)));
    check!(xcall::on_cpu(cpus(), |_| ()) == Err(ENXIO));
    check!(xcall::on_cpu(usize::MAX, |_| ()) == Err(ENXIO));
    check!(enter(|_| xcall::on_cpu(0, |_| ())) == Some(Err(EBUSY)));
    xcall::sync();
    Ok(())
}

fn publications() -> Result {
    static FREED: AtomicU64 = AtomicU64::new(0);
    struct Value(u64);
    impl Drop for Value {
        fn drop(&mut self) {
            FREED.fetch_add(self.0, Relaxed);
        }
    }
    let place = Published::empty();
    let now = || enter(|c| place.load(c).map(|v: &Value| v.0)).flatten();
    check!(now().is_none() && place.swap(None).is_none());
    check!(place.swap(Some(mem::boxed(Value(1))?)).is_none());
    check!(now() == Some(1) && place.with(|v| v.map(|v| v.0)) == Some(1));
    let first = place.swap(Some(mem::boxed(Value(10))?));
    check!(now() == Some(10) && first.is_some() && FREED.load(Relaxed) == 0);
    drop(first);
    check!(FREED.load(Relaxed) == 1);
    let mut retired: KVec<Retired<Value>> = KVec::new();
    for new in [Some(mem::boxed(Value(100))?), None] {
        if let Some(old) = place.swap(new) {
            mem::push(&mut retired, old)?;
        }
    }
    check!(now().is_none() && FREED.load(Relaxed) == 1);
    Retired::free_all(retired);
    check!(FREED.load(Relaxed) == 111);
    place.swap(Some(mem::boxed(Value(1000))?));
    drop(place);
    check!(FREED.load(Relaxed) == 1111);
    Ok(())
}

/// Addresses that nobody can read.
const BAD: [u64; 16] = [
    0,
    1,
    0xfff,
    0x7fff_ffff_f000,
    0x7fff_ffff_fff8,
    0x8000_0000_0000,
    0x00ff_ffff_ffff_f000,
    0x8000_0000_0000_0000,
    0xff00_0000_0000_0000,
    0xffff_ffff_ff60_0000,
    0xffff_ffff_ff5f_c000,
    0xffff_ffff_ffff_f000,
    u64::MAX - 8,
    u64::MAX - 6,
    u64::MAX - 1,
    u64::MAX,
];

fn loads() -> Result {
    let mut b = [0; 64];
    let value = 0x1122_3344_5566_7788_u64;
    let at = &raw const value as u64;
    check!(read_kernel(at, &mut b[..8]).is_ok() && b[..8] == value.to_ne_bytes());
    let mut try_all = || {
        BAD.iter().find(|&&a| {
            let bad = Err(BadAddr(a));
            read_kernel(a, &mut b[..8]) != bad
                || read_user(a, &mut b[..8]) != bad
                || read_kernel_str(a, &mut b).is_ok()
                || read_user_str(a, &mut b).is_ok()
        })
    };
    check!(try_all().is_none());
    check!(enter(|_| try_all().is_none()) == Some(true));

    // The kernel and the process each have their half of the address space.
    let user = kapi_user_stack();
    check!(read_user(user, &mut b[..8]).is_ok() && read_kernel(user, &mut b[..8]).is_err());
    check!(enter(|_| read_user(user, &mut b[..8])) == Some(Ok(())));
    check!(read_user(at, &mut b[..8]).is_err());

    let device = self::value(module_parameters::device.value());
    for register in 0..4 {
        check!(device == 0 || read_kernel(device + register * 4, &mut b[..4]).is_err());
    }
    strings()
}

/// Checks the comparison of the kernel's prototypes with ours.
fn prototypes() -> Result {
    use kapi::symbols::has_other_prototype as other;
    check!(!other(c"text_poke", c"p:pp8") && !other(c"is_in_no_kernel", c"p:pp8"));
    check!(other(c"text_poke", c"p:pp4") && other(c"text_poke", c"p:pp"));
    check!(other(c"text_poke", c"v:pp8") && other(c"text_poke", c"p:pp8p"));
    Ok(())
}

fn strings() -> Result {
    let mut b = [0; 256];
    let text = b"hello\0world";
    let at = text.as_ptr() as u64;
    check!(read_kernel_str(at, &mut b) == Ok(5) && &b[..6] == b"hello\0");
    check!(read_kernel_str(at, &mut b[..3]) == Ok(3) && read_kernel_str(at, &mut []) == Ok(0));

    // A string that ends at the end of its page, and one that does not end there.
    let page = kapi_page();
    check!(!page.is_null());
    // SAFETY: the page has 4096 bytes, and nobody else knows it.
    unsafe { page.write([b'x'; 4096]) };
    let last = page as u64 + 4095;
    let at = last - 95;
    check!(read_kernel_str(at, &mut b) == Err(BadAddr(last + 1)));
    check!(read_kernel_str(at, &mut b[..96]) == Ok(96));
    check!(
        read_kernel(last - 3, &mut b[..4]).is_ok() && read_kernel(last - 3, &mut b[..5]).is_err()
    );
    // SAFETY: as above.
    unsafe { (*page)[4095] = 0 };
    check!(read_kernel_str(at, &mut b) == Ok(95));
    // SAFETY: the page is from `kapi_page`.
    unsafe { kapi_page_free(page) };
    check!(read_kernel(at, &mut b[..8]).is_err());
    Ok(())
}

fn memory() -> Result {
    check!(mem::zeroed_bytes(1 << 46).is_err());
    check!(mem::zeroed_words(usize::MAX / 8).is_err() && mem::zeroed_words(usize::MAX).is_err());
    check!(mem::zeroed_bytes(0)?.is_empty() && mem::zeroed_words(3)?.as_slice() == [0; 3]);
    check!(mem::zeroed_atomics(3)?.iter().all(|n| n.load(Relaxed) == 0));
    check!(mem::zeroed_atomics(usize::MAX / 16).is_err());
    let big = mem::zeroed_bytes(32 << 20)?;
    check!(big.len() == 32 << 20 && big.iter().all(|&b| b == 0));
    mem::fail_after(Some(1));
    let got = (mem::boxed(1).is_ok(), mem::boxed(1).is_ok(), mem::zeroed_bytes(1).is_ok());
    mem::fail_after(None);
    check!(got == (true, false, false) && mem::boxed(1).is_ok());
    Ok(())
}

fn who_and_when() -> Result {
    let mut comm = [1; 16];
    task::comm(&mut comm);
    check!(comm.starts_with(b"insmod\0") && comm[15] == 0);
    check!(task::pid() == task::tid() && task::ppid() > 0 && task::ppid() != task::pid());
    check!(
        (task::uid(), task::gid()) == (0, 0)
            && task::may_trace()
            && task::locked_down(true).is_ok()
    );
    check!(task::is_progeny_of(task::pid()) == Some(true));
    check!(task::is_progeny_of(task::ppid()) == Some(true));
    check!(task::is_progeny_of(1) == Some(true));
    check!(task::is_progeny_of(2) == Some(false) && task::is_progeny_of(-1) == Some(false));
    let key = task::thread_key();
    check!(key == task::thread_key() && key >> 62 == 0);
    check!(enter(|_| task::thread_key()) == Some(key) && task::curthread() >> 63 == 1);
    for cpu in (0..cpus()).filter(|&cpu| xcall::is_online(cpu)) {
        // We may be on that CPU ourselves by now; then the same thread answers.
        let (other, thread) = xcall::on_cpu(cpu, |_| (task::thread_key(), task::curthread()))?;
        check!((other == key) == (thread == task::curthread()));
    }
    let (a, wall) = (time::monotonic_ns(), time::wall_ns());
    check!(time::monotonic_ns() >= a && wall > 1_700_000_000_000_000_000);
    check!(time::seed() != time::seed());
    Ok(())
}

fn names() -> Result {
    check!(symbols::feature_text());
    let (mut all, mut vfs_read) = (0, 0);
    symbols::for_each_kernel_symbol(b"vfs_", &mut |name, addr| {
        all += 1;
        if name == b"vfs_read" {
            vfs_read = addr;
        }
    })?;
    check!(all > 20 && vfs_read >> 63 == 1);
    // The nop at the entry belongs to ftrace.
    check!(is_reserved(vfs_read, 9) && !is_reserved(vfs_read + 16, 1));
    let mut b = [0; 4];
    check!(read_kernel(vfs_read, &mut b).is_ok());
    Ok(())
}

static HITS: AtomicU64 = AtomicU64::new(0);
static SITE: AtomicU64 = AtomicU64::new(0);
static WRONG: AtomicU64 = AtomicU64::new(0);
static STACK: AtomicU64 = AtomicU64::new(0);

fn fired(site: u64, args: &[u64; 8]) {
    enter(|_| {
        HITS.fetch_add(1, Relaxed);
        SITE.store(site, Relaxed);
        if *args != [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88] {
            WRONG.fetch_add(1, Relaxed);
        }
        // 1: check the stack; 2: it was right.
        if STACK.load(Relaxed) == 1 {
            let (a, b) = (c"kapi_site".as_ptr().cast(), c"do_init_module".as_ptr().cast());
            // SAFETY: both are C strings.
            if unsafe { kapi_stack_names(a, b) } {
                STACK.store(2, Relaxed);
            }
        }
    });
}

fn patching() -> Result {
    set_sdt_handler(fired);
    let hits = || HITS.load(Relaxed);
    // Hidden: otherwise `site + 5` becomes an address of its own, which objtool takes for an entry.
    let site = core::hint::black_box(&raw const kapi_site as u64);
    let at = |addr| Patch::to_call(boundary(addr), WIDE_NOP, Trampoline::Sdt);
    let on = at(site).ok_or(EINVAL)?;
    let stray = at(site + 1).ok_or(EINVAL)?;
    let data = at(&raw const HITS as u64).ok_or(EINVAL)?;
    let nothing = at(0xffff_ffff_fe00_0000).ok_or(EINVAL)?;
    let zero = at(0).ok_or(EINVAL)?;
    check!(at(site ^ (1 << 40)).is_none() && at(u64::MAX).is_none());
    check!(Patch::to_call(boundary(site), WIDE_RET, Trampoline::Sdt).is_none());
    check!(Patch::to_call(boundary(site), WIDE_NOP, Trampoline::Return).is_none());
    check!(Patch::to_call(boundary(site), WIDE_RET, Trampoline::Tail).is_none());
    check!(Patch::call_to_nop(boundary(site), WIDE_NOP).is_none());
    // What takes a call away cannot be turned into what writes one.
    let back = Patch::restore(site + 1, WIDE_NOP, Trampoline::Sdt).ok_or(EINVAL)?;
    check!(back.undo() == back && on.undo().undo() == on.undo());
    check!(!is_reserved(site, 5));

    // A refused patch changes nothing.
    check!(patch(&[zero]) == Err(PatchError::NotText(0)));
    check!(patch(&[data]) == Err(PatchError::NotText(0)));
    check!(patch(&[nothing]) == Err(PatchError::NotText(0)));
    check!(patch(&[on, stray]) == Err(PatchError::Differs(1)));
    check!(patch(&[stray, on]) == Err(PatchError::Differs(0)));
    check!(patch(&[on.undo()]) == Err(PatchError::Differs(0)));
    check!(patch(&[]).is_ok());
    check!(kapi_site_fn() == 1 && hits() == 0);

    check!(patch(&[on]).is_ok());
    STACK.store(1, Relaxed);
    check!(kapi_site_fn() == 1 && hits() == 1 && SITE.load(Relaxed) == site);
    check!(STACK.load(Relaxed) == 2);
    for _ in 0..1000 {
        check!(kapi_site_fn() == 1);
    }
    check!(hits() == 1001);
    let before = nested();
    check!(enter(|_| kapi_site_fn()) == Some(1) && hits() == 1001 && nested() == before + 1);
    check!(patch(&[on.undo()]).is_ok());
    check!(kapi_site_fn() == 1 && hits() == 1001 && WRONG.load(Relaxed) == 0);

    // Patch and restore while threads run.
    kapi_race_start();
    let mut result = Ok(());
    for _ in 0..value(module_parameters::toggles.value()) {
        result = patch(&[on]).and_then(|()| {
            let before = hits();
            while hits() == before {
                kapi_race_pause();
            }
            patch(&[on.undo()])
        });
        if result.is_err() {
            break;
        }
    }
    // A thread may have been preempted on its way to our handler.
    kapi::quiesce();
    let end = hits();
    kapi_race_pause();
    let mut calls = 0;
    let changed = kapi_race_stop(&mut calls);
    check!(result.is_ok() && changed == 0 && WRONG.load(Relaxed) == 0 && hits() == end);
    pr_info!("{calls} calls, {end} of them traced\n");
    Ok(())
}

static COMING: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static GOING: AtomicU64 = AtomicU64::new(0);

/// Logs each event for the test script.
fn event(event: ModuleEvent, module: &ModuleRef<'_>) {
    let counter = match event {
        ModuleEvent::Coming => &COMING,
        ModuleEvent::Live => &LIVE,
        ModuleEvent::Going => &GOING,
    };
    counter.fetch_add(1, Relaxed);
    let (mut all, mut in_text) = (0, 0);
    module.for_each_symbol(|name, addr, kind| {
        all += 1;
        if module.contains_text(addr) && !name.is_empty() && kind | 0x20 == b't' {
            in_text += 1;
        }
    });
    let text = module.text_range();
    let mut b = [0; 5];
    let own = module.read(text.start, &mut b).is_ok();
    let others = module.read(&raw const HITS as u64, &mut b).is_ok();
    let over_the_end = module.read(text.end.wrapping_sub(4), &mut b).is_ok();
    let init = !module.init_text_range().is_empty();
    let name = core::str::from_utf8(module.name()).unwrap_or("?");
    pr_info!(
        "{event:?} {name} symbols {} in text {} init text {init} reads {own} {others} {over_the_end}\n",
        all > 10,
        in_text > 3
    );
}

fn loaded() -> Result {
    let mut ours = 0;
    modules::for_each_loaded(&mut |module| {
        ours += u32::from(module.name() == b"kapi");
        let mut symbols = 0;
        module.for_each_symbol(|_, _, _| symbols += 1);
        let name = core::str::from_utf8(module.name()).unwrap_or("?");
        pr_info!("loaded: {name} symbols {}\n", symbols > 10);
    })?;
    check!(ours == 0);
    Ok(())
}

/// The module, which watches other modules.
struct Kapi {
    _watch: Option<Watch>,
    whole: Option<whole::Whole>,
}

impl kernel::Module for Kapi {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        kapi::init(false);
        if value(module_parameters::whole.value()) != 0 {
            return Ok(Self { _watch: None, whole: Some(whole::Whole::new()?) });
        }
        context()?;
        cross_calls()?;
        patience()?;
        publications()?;
        loads()?;
        memory()?;
        who_and_when()?;
        names()?;
        prototypes()?;
        patching()?;
        sites::lists()?;
        sites::all()?;
        loaded()?;
        let watch = modules::watch(event)?;
        let more = [(); 3].map(|()| modules::watch(event));
        check!(more.iter().all(|w| w.is_ok()));
        check!(modules::watch(event).err() == Some(EBUSY));
        drop(more);
        pr_info!("all passed\n");
        Ok(Self { _watch: Some(watch), whole: None })
    }
}

impl Drop for Kapi {
    fn drop(&mut self) {
        drop(self.whole.take());
        kapi::quiesce();
    }
}
