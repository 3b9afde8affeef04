// SPDX-License-Identifier: GPL-2.0
//! Patches the whole kernel at once: each function that ftrace knows, and everything that looks
//! like a return. The machine keeps running; the log has the times.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use kapi::context::enter;
use kapi::forbidden;
use kapi::nofault::read_kernel;
use kapi::text::{self, Patch};
use kapi::trampoline::{self, Saved, Trampoline};
use kapi::{ftrace, mem, symbols, time};
use kernel::prelude::*;
use x86::boundary;
use x86::encoding::{WIDE_NOP, WIDE_RET};

static ENTRIES: AtomicU64 = AtomicU64::new(0);
static RETURNS: AtomicU64 = AtomicU64::new(0);

extern "C" fn entered(_: u64, _: &Saved) {
    enter(|_| ENTRIES.fetch_add(1, Relaxed));
}

extern "C" fn returned(_: u64, _: &trampoline::Left) {
    enter(|_| RETURNS.fetch_add(1, Relaxed));
}

struct Clock(u64);

impl Clock {
    fn lap(&mut self, what: &str, n: usize) {
        let now = time::monotonic_ns();
        pr_info!("{what}: {n} in {} us\n", (now - self.0) / 1000);
        self.0 = time::monotonic_ns();
    }
}

/// Heap sort. (objtool does not know that `core`'s panic about a bad order does not return.)
fn sort<T: PartialOrd>(v: &mut [T]) {
    fn sift<T: PartialOrd>(v: &mut [T], mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= v.len() {
                return;
            }
            if child + 1 < v.len() && v[child] < v[child + 1] {
                child += 1;
            }
            if v[at] >= v[child] {
                return;
            }
            v.swap(at, child);
            at = child;
        }
    }
    (0..v.len() / 2).rev().for_each(|at| sift(v, at));
    for end in (1..v.len()).rev() {
        v.swap(0, end);
        sift(&mut v[..end], 0);
    }
}

/// Text that must not be changed, in ascending order.
struct Forbidden(KVVec<(u64, u64)>);

impl Forbidden {
    fn new() -> Result<Self> {
        let mut all: KVVec<(u64, u64)> = mem::vec(40_000)?;
        let mut lost = 0;
        let mut add =
            |start, end| lost += u32::from(all.push_within_capacity((start, end)).is_err());
        forbidden::ranges(&mut |r, _| add(r.start, r.end))?;
        forbidden::sites(&mut |addr, len, _| add(addr, addr + len as u64))?;
        check!(lost == 0);
        sort(&mut all);
        // Extend each range to the farthest end so far, so that a lookup needs one range only.
        let mut end = 0;
        for range in all.iter_mut() {
            range.1 = range.1.max(end);
            end = range.1;
        }
        Ok(Self(all))
    }

    fn has(&self, addr: u64) -> bool {
        let n = self.0.partition_point(|r| r.0 <= addr);
        n.checked_sub(1).and_then(|n| self.0.get(n)).is_some_and(|r| addr < r.1)
    }
}

/// Tells whether this is the name of padding in front of a function.
fn is_padding(name: &[u8]) -> bool {
    name.starts_with(b"__pfx_") || name.starts_with(b"__cfi_")
}

/// The patched sites; they are restored when the module is unloaded.
pub(crate) struct Whole {
    entries: KVVec<u64>,
    returns: KVVec<Patch>,
}

impl Whole {
    pub(crate) fn new() -> Result<Self> {
        trampoline::set_entry_handler(entered)?;
        trampoline::set_return_handler(returned)?;
        let mut clock = Clock(time::monotonic_ns());
        let forbidden = Forbidden::new()?;
        clock.lap("forbidden", forbidden.0.len());
        let mut entries: KVVec<u64> = mem::vec(80_000)?;
        let text = symbols::text_range().ok_or(ENODEV)?;
        symbols::for_each_kernel_symbol(b"", &mut |name, addr| {
            if text.contains(&addr) && !is_padding(name) && !forbidden.has(addr) {
                let _ = entries.push_within_capacity(addr);
            }
        })?;
        sort(&mut entries);
        let mut functions: KVVec<u64> = mem::vec(entries.len())?;
        mem::extend(&mut functions, &entries)?;
        clock.lap("functions", entries.len());
        let mut last = 0;
        entries.retain(|at| {
            let site = ftrace::location(*at).filter(|s| *s != last && *s >= *at && *s - *at <= 4);
            if let Some(site) = site {
                last = site;
                *at = site;
            }
            site.is_some()
        });
        clock.lap("locations", entries.len());
        let before =
            |all: &[u64], addr| all.partition_point(|a| *a <= addr).checked_sub(1).map(|n| all[n]);
        // Thunks and other assembly have special returns.
        let is_c = |addr| before(&entries, addr) >= before(&functions, addr);
        let mut returns: KVVec<Patch> = mem::vec(80_000)?;
        let mut page = mem::zeroed_bytes(4100)?;
        let mut at = text.start;
        while at + 4100 < text.end {
            if read_kernel(at, &mut page).is_ok() {
                for (i, five) in page.windows(5).enumerate() {
                    let addr = at + i as u64;
                    if five == WIDE_RET && is_c(addr) && !forbidden.has(addr) {
                        if let Some(p) =
                            Patch::to_call(boundary(addr), WIDE_RET, Trampoline::Return)
                        {
                            let _ = returns.push_within_capacity(p);
                        }
                    }
                }
            }
            at += 4096;
        }
        clock.lap("returns", returns.len());
        check!(entries.len() > 30_000 && returns.len() > 30_000);
        let mut refused = 0;
        ftrace::attach(&entries, &mut |_, _| refused += 1);
        clock.lap("attach", entries.len());
        text::patch_each(&returns, &mut |_, _| refused += 1);
        clock.lap("patch", returns.len());
        pr_info!("refused {refused}\n");
        Ok(Self { entries, returns })
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        let mut clock = Clock(time::monotonic_ns());
        let mut kept = 0;
        // Detach one half, then the other.
        let (a, b) = self.entries.split_at(self.entries.len() / 2);
        kept += u32::from(ftrace::detach(a).is_err());
        clock.lap("detach", a.len());
        kept += u32::from(ftrace::detach(b).is_err());
        clock.lap("detach", b.len());
        self.returns.iter_mut().for_each(|p| *p = p.undo());
        text::patch_each(&self.returns, &mut |_, _| kept += 1);
        clock.lap("undo", self.returns.len());
        for site in &self.entries {
            let mut now = [0; 5];
            kept += u32::from(read_kernel(*site, &mut now).is_err() || now != WIDE_NOP);
        }
        kapi::quiesce();
        clock.lap("quiesce", 1);
        let (entries, returns) = (ENTRIES.load(Relaxed), RETURNS.load(Relaxed));
        pr_info!("kept {kept}; {entries} entries, {returns} returns\n");
    }
}
