// SPDX-License-Identifier: GPL-2.0
//! Makes probes of sites, patches sites from nop to call and back, and follows modules as they are
//! loaded and unloaded.
//!
//! All sites of one name are one probe, whatever module they are in. The probe is removed with its
//! last site. The five bytes of a site:
//!
//! ```text
//!              found              enabled                          disabled
//!   nop   ──────────────►  nop  ───────────►  call trampoline  ───────────►  nop
//!   call stub ──────────►  nop  ─── ... and back to `call stub` when dtrace.ko is removed
//! ```

use crate::args::{self, Entry, Table, TABLE};
use crate::record::SITE_LEN;
use crate::scan::{self, Source, Vmlinux};
use abi::probe::ProbeDesc;
use framework::framework::ProviderId;
use framework::{EnableError, Framework, Probe, Provider};
use kapi::modules::{self, ModuleEvent, ModuleRef, Watch};
use kapi::publish::{Published, Replace};
use kapi::stuck::{self, Who};
use kapi::text::{self, Patch, PatchError};
use kapi::trampoline::{set_sdt_handler, Trampoline};
use kapi::{mem, symbols};
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::{new_mutex, Arc, Mutex};
use kernel::time::{delay::fsleep, Delta};
use x86::encoding::WIDE_NOP;
use x86::Boundary;

/// The module id of the kernel itself; no module has this address.
const VMLINUX: u64 = 0;

/// One site.
struct Site {
    at: Boundary,
    nargs: usize,
    module: u64,
    /// It is in text that the kernel frees when the module is live.
    init: bool,
    /// The form that the driver was compiled with.
    original: [u8; SITE_LEN],
    /// Tells whether the site calls the trampoline.
    calls: bool,
}

/// All sites of one name.
struct Point {
    /// Our number for the probe; it is never reused.
    cookie: u32,
    desc: KBox<ProbeDesc>,
    /// `None` until the framework has the probe.
    probe: Option<Arc<Probe>>,
    sites: KVec<Site>,
    enabled: bool,
}

struct State {
    points: KVec<Point>,
    /// The modules that were searched.
    modules: KVec<u64>,
    next_cookie: u32,
}

/// The lock that the events of modules take.
struct Events {
    /// New modules are not searched any more. The sites of unloaded ones must still be released.
    closed: bool,
}

/// The provider.
#[pin_data]
struct Sdt {
    #[pin]
    events: Mutex<Events>,
    #[pin]
    state: Mutex<State>,
}

/// The data of the notifier, which is a plain function.
#[derive(Clone)]
struct Context {
    framework: Arc<Framework>,
    sdt: Arc<Sdt>,
    provider: ProviderId,
}

static CONTEXT: Published<Context> = Published::empty();

/// The registered provider. Dropping it restores the bytes of every driver.
pub struct Running {
    context: Context,
    watch: Option<Watch>,
}

/// Registers the provider, finds all sites, and watches for new modules. Returns `None` and logs
/// the reason if this kernel does not allow it.
///
/// # Context
/// *process*; call it once.
pub fn start(framework: &Arc<Framework>) -> Result<Option<Running>> {
    if !symbols::feature_text() {
        pr_warn!("sdt: unsupported: this kernel's text cannot be patched; no sdt probes\n");
        return Ok(None);
    }
    let sdt = Arc::pin_init(
        pin_init!(Sdt {
            events <- new_mutex!(Events { closed: false }),
            state <- new_mutex!(State {
                points: KVec::new(),
                modules: KVec::new(),
                next_cookie: 0,
            }),
        }),
        GFP_KERNEL,
    )?;
    let provider = framework.register(sdt.clone()).map_err(|e| e.errno())?;
    let context = Context { framework: framework.clone(), sdt, provider };
    set_sdt_handler(args::hit);
    drop(CONTEXT.swap(Some(mem::boxed(context.clone())?)));
    let mut running = Running { context, watch: None };
    running.watch = Some(modules::watch(on_event)?);
    let context = &running.context;
    modules::for_each_loaded(&mut |module| {
        let events = context.sdt.events.lock();
        if !context.sdt.state.lock().modules.contains(&module.id()) {
            context.arrive(module.id(), module, true);
        }
        drop(events);
    })?;
    if let Some(vmlinux) = Vmlinux::with_records()? {
        let _events = context.sdt.events.lock();
        context.arrive(VMLINUX, &vmlinux, true);
    }
    Ok(Some(running))
}

/// Tries again to restore sites that could not be restored. Returns true if none is left.
extern "C" fn again() -> bool {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return true };
    let mut state = context.sdt.state.lock();
    let disabled = state.points.iter_mut().filter(|p| !p.enabled);
    disabled.fold(true, |all, p| disarm(&mut p.sites) && all)
}

/// Handles a module event.
///
/// # Context
/// *notifier*.
fn on_event(event: ModuleEvent, module: &ModuleRef<'_>) {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
    let events = context.sdt.events.lock();
    let known = context.sdt.state.lock().modules.contains(&module.id());
    match event {
        ModuleEvent::Live if known => context.depart(|s| s.module == module.id() && s.init),
        ModuleEvent::Coming | ModuleEvent::Live if events.closed => {}
        ModuleEvent::Coming => context.arrive(module.id(), module, false),
        ModuleEvent::Live => context.arrive(module.id(), module, true),
        ModuleEvent::Going => {
            context.depart(|s| s.module == module.id());
            context.sdt.state.lock().modules.retain(|id| *id != module.id());
        }
    }
}

impl Context {
    /// Makes probes of the sites of a loaded module. The caller holds `Events`.
    fn arrive(&self, id: u64, source: &impl Source, live: bool) {
        let found = scan::sites(source, live).and_then(|sites| self.adopt(id, sites));
        if let Err(e) = found {
            let name = BStr::from_bytes(source.name());
            pr_warn!("sdt: {name}: not all probes were found: errno {}\n", e.to_errno());
        }
    }

    fn adopt(&self, id: u64, found: KVVec<scan::Site>) -> Result {
        let mut state = self.sdt.state.lock();
        mem::push(&mut state.modules, id)?;
        if found.is_empty() {
            return Ok(());
        }
        // Only sites that are noted may change, because only those are restored.
        let (mut any_enabled, mut result) = (false, Ok(()));
        for scan::Site { record, init } in found {
            let site = Site {
                at: record.site,
                nargs: record.desc.nargs as usize,
                module: id,
                init,
                original: record.bytes,
                calls: false,
            };
            match state.add(record.desc, site) {
                Ok(enabled) => any_enabled |= enabled,
                Err(e) => {
                    state.miss(&record.desc);
                    result = Err(e);
                }
            }
        }
        state.silence(id);
        // Sites of the same name in another module may be enabled.
        if any_enabled {
            let published = state.publish().map_err(|_| EnableError::Memory);
            for point in state.points.iter_mut().filter(|p| p.enabled) {
                // They come last. An older one that does not fire has been counted already.
                let Some(first) = point.sites.iter().position(|s| s.module == id) else { continue };
                let new = point.sites.get_mut(first..).unwrap_or_default();
                if let Err(e) = published.and_then(|()| arm(new)) {
                    point.count_left_out();
                    pr_warn!("sdt: a new site cannot be enabled: {}\n", e.words());
                }
            }
        }
        // The framework's lock is taken before ours.
        while let Some((cookie, desc)) = state.next_to_offer() {
            drop(state);
            let offered = self.framework.offer(self.provider, desc.parts(), desc.nargs, cookie);
            state = self.sdt.state.lock();
            match offered {
                Ok(probe) => state.offered(cookie, probe),
                Err(e) => {
                    result = Err(e.errno());
                    state.forget(cookie);
                }
            }
        }
        drop(state);
        self.framework.provided();
        result
    }

    /// Removes these sites, and the probes that have no others. The caller holds `Events`.
    fn depart(&self, goes: impl Fn(&Site) -> bool) {
        let mut state = self.sdt.state.lock();
        let mut any_armed = false;
        for point in state.points.iter_mut() {
            for site in point.sites.iter_mut().filter(|s| goes(s) && s.calls) {
                any_armed = true;
                // No CPU runs this text any more, so a site that cannot be changed does no harm.
                let _ = disarm(core::slice::from_mut(site));
            }
            point.sites.retain(|s| !goes(s));
        }
        if any_armed {
            let _ = state.publish();
        }
        // The framework's lock comes before ours.
        while let Some(at) = state.points.iter().position(|p| p.sites.is_empty()) {
            let gone = state.points.remove(at);
            drop(state);
            if let Ok(Point { probe: Some(probe), .. }) = gone {
                self.framework.retire(core::iter::once(&probe));
            }
            state = self.sdt.state.lock();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let sdt = &self.context.sdt;
        // From here on, new modules keep their calls.
        sdt.events.lock().closed = true;
        let mut state = sdt.state.lock();
        // A stuck site pins the module, so no site is stuck now. A site that calls us must never
        // outlive us, and no task may wait for one of our locks meanwhile.
        while !state.points.iter_mut().all(|p| disarm(&mut p.sites)) {
            drop(state);
            fsleep(Delta::from_millis(100));
            state = sdt.state.lock();
        }
        state.points.iter().for_each(|p| give_back(&p.sites));
        drop(state);
        drop(self.watch.take());
        drop(TABLE.swap(None));
        drop(CONTEXT.swap(None));
    }
}

impl Provider for Sdt {
    /// The provider's own name. Its probes have the provider names that their drivers choose.
    fn name(&self) -> &[u8] {
        b"sdt"
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        let mut state = self.state.lock();
        for probe in probes {
            if let Some(point) = state.point(probe.cookie()) {
                point.probe.get_or_insert_with(|| probe.clone());
                point.enabled = true;
            }
        }
        // The table comes first, since a site that calls reads it.
        let published = state.publish().map_err(|_| EnableError::Memory);
        for (i, probe) in probes.iter().enumerate() {
            let Some(point) = state.point(probe.cookie()) else {
                refuse(i, EnableError::Gone);
                continue;
            };
            if let Err(why) = published.and_then(|()| arm(&mut point.sites)) {
                point.enabled = false;
                refuse(i, why);
            }
        }
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        let mut state = self.state.lock();
        for probe in probes {
            let Some(point) = state.point(probe.cookie()) else { continue };
            point.enabled = false;
            if !disarm(&mut point.sites) {
                let [p, m, f, n] = point.desc.parts().map(BStr::from_bytes);
                pr_warn!("sdt: {p}:{m}:{f}:{n} cannot be patched back: another tracer, such as a kprobe, is there; dtrace.ko cannot be removed before that is gone\n");
                stuck::keep(Who::Sdt, again);
            }
        }
        // Without memory the old table stays. Its entries lead to probes that nobody has enabled.
        let _ = state.publish();
    }
}

impl Point {
    /// Tells the consumers of the probe that one of its sites does not fire.
    fn count_left_out(&self) {
        if let Some(probe) = self.probe.as_ref().filter(|_| self.enabled) {
            Framework::count_left_out(probe);
        }
    }
}

impl State {
    /// Tells the consumers of a probe that a site of this name could not be added.
    fn miss(&self, desc: &ProbeDesc) {
        let its = self.points.iter().filter(|p| p.desc.parts() == desc.parts());
        its.for_each(Point::count_left_out);
    }

    fn point(&mut self, cookie: u32) -> Option<&mut Point> {
        self.points.iter_mut().find(|p| p.cookie == cookie)
    }

    /// Adds a site to the point of its name. Returns true if the point is enabled.
    fn add(&mut self, desc: ProbeDesc, site: Site) -> Result<bool> {
        if let Some(point) = self.points.iter_mut().find(|p| p.desc.parts() == desc.parts()) {
            mem::push(&mut point.sites, site)?;
            return Ok(point.enabled);
        }
        let cookie = self.next_cookie;
        let mut sites = KVec::new();
        mem::push(&mut sites, site)?;
        let desc = mem::boxed(desc)?;
        let point = Point { cookie, desc, probe: None, sites, enabled: false };
        mem::push(&mut self.points, point)?;
        self.next_cookie = cookie.wrapping_add(1);
        Ok(false)
    }

    /// Replaces the calls of a new module by nops. A site that cannot be changed is dropped.
    fn silence(&mut self, module: u64) {
        let is_call = |s: &&Site| s.module == module && s.was_call();
        let all = self.points.iter().flat_map(|p| &p.sites).filter(is_call);
        if poke(all.filter_map(Site::silencing)).is_ok() {
            return;
        }
        for point in self.points.iter_mut() {
            point.sites.retain(|s| {
                let ok = !is_call(&&*s) || s.silencing().is_some_and(|p| text::patch(&[p]).is_ok());
                if !ok {
                    pr_warn!("sdt: call at {:#x} ignored: it has been changed\n", s.at.addr());
                }
                ok
            });
        }
        self.points.retain(|p| !p.sites.is_empty());
    }

    /// Removes a point that the framework does not know. Its sites are as they were compiled.
    fn forget(&mut self, cookie: u32) {
        if let Some(point) = self.point(cookie) {
            give_back(&point.sites);
        }
        self.points.retain(|p| p.cookie != cookie);
    }

    /// Publishes the table of all sites of enabled probes.
    fn publish(&self) -> Result {
        let enabled = || self.points.iter().filter(|p| p.enabled);
        let n = enabled().map(|p| p.sites.len()).fold(0, usize::wrapping_add);
        if n == 0 {
            drop(TABLE.swap(None));
            return Ok(());
        }
        let mut table = Table::new(n)?;
        for point in enabled() {
            let Some(probe) = &point.probe else { continue };
            for site in &point.sites {
                table.add(Entry { site: site.at.addr(), nargs: site.nargs, probe: probe.clone() });
            }
        }
        drop(TABLE.swap(Some(mem::boxed(table)?)));
        Ok(())
    }

    /// Returns a point that the framework does not know yet.
    fn next_to_offer(&self) -> Option<(u32, ProbeDesc)> {
        self.points.iter().find(|p| p.probe.is_none()).map(|p| (p.cookie, *p.desc))
    }

    fn offered(&mut self, cookie: u32, probe: Arc<Probe>) {
        if let Some(point) = self.point(cookie) {
            point.probe = Some(probe);
        }
    }
}

/// Makes the sites calls again whose driver was compiled with calls. They must be nops.
fn give_back(sites: &[Site]) {
    for site in sites.iter().filter(|s| s.was_call()) {
        let back = site.silencing().map(|p| p.undo());
        if !back.is_some_and(|p| text::patch(&[p]).is_ok()) {
            pr_warn!("sdt: site {:#x} could not be made a call again\n", site.at.addr());
        }
    }
}

/// Patches all of these sites to calls, or none.
fn arm(sites: &mut [Site]) -> core::result::Result<(), EnableError> {
    for site in sites.iter() {
        if site.calling().is_none() {
            return Err(EnableError::Unsupported("the site is too far away from dtrace.ko"));
        }
    }
    poke(sites.iter().filter(|s| !s.calls).filter_map(Site::calling))?;
    sites.iter_mut().for_each(|s| s.calls = true);
    Ok(())
}

/// Patches all sites back to nops. Returns false if one could not be changed.
fn disarm(sites: &mut [Site]) -> bool {
    let back = |s: &Site| s.calling().map(|p| p.undo());
    let all = poke(sites.iter().filter(|s| s.calls).filter_map(back)).is_ok();
    for site in sites.iter_mut().filter(|s| s.calls) {
        site.calls = !all && back(site).is_some_and(|p| text::patch(&[p]).is_err());
    }
    sites.iter().all(|s| !s.calls)
}

impl Site {
    /// Tells whether the driver was compiled with a call here.
    fn was_call(&self) -> bool {
        self.original != WIDE_NOP
    }

    /// Returns the patch from the driver's own call to nop.
    fn silencing(&self) -> Option<Patch> {
        Patch::call_to_nop(self.at, self.original)
    }

    /// Returns the patch from nop to call.
    fn calling(&self) -> Option<Patch> {
        Patch::to_call(self.at, WIDE_NOP, Trampoline::Sdt)
    }
}

/// Applies all of these patches, or none.
fn poke(patches: impl Iterator<Item = Patch>) -> core::result::Result<(), EnableError> {
    let mut batch = KVVec::new();
    for p in patches {
        mem::push(&mut batch, p).map_err(|_| EnableError::Memory)?;
    }
    if batch.is_empty() {
        return Ok(());
    }
    text::patch(&batch).map_err(|e| match e {
        PatchError::Unsupported | PatchError::NotPatchable(_) => {
            EnableError::Unsupported("this kernel's text cannot be patched")
        }
        PatchError::NotText(_) => EnableError::Gone,
        PatchError::Differs(_) | PatchError::ReadBack(_) => {
            EnableError::Busy("another tracer has changed the instruction there")
        }
    })
}
