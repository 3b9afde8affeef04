// SPDX-License-Identifier: GPL-2.0
//! Several clauses and consumers on one probe.
#![allow(
    clippy::arc_with_non_send_sync,
    reason = "the kernel's per-CPU data is; a test has one thread"
)]

use abi::ids::{Epid, ProbeId};
use abi::probe::{Techniques, NARGS_UNKNOWN};
use fire::ecb::{Chain, Ecb};
use fire::shared::{Activity, Shared};
use fire::{fire, Args, Probe};
use fire_host::{vector, Sizes};
use mem::Arc;
use nosleep::stack::Start;
use nosleep::ProbeCtx;
use plan::enabling::{Enabling, Statement};
use plan::probe::{Draft, Offer, ProbeTable, Special};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

const SIZES: Sizes =
    Sizes { cpus: 1, bufsize: 1 << 12, agg_words: 1 << 6, dynvarsize: 1 << 10, numbers: 0 };

fn probe() -> Arc<Probe> {
    let mut table = ProbeTable::new(16);
    let mut draft = Draft::new(0, [b"test", b"mod"], 1, 0).unwrap();
    let how = Techniques::empty();
    let offer = Offer { function: b"func", name: b"name", nargs: NARGS_UNKNOWN, cookie: 0, how };
    draft.add(&offer).unwrap();
    let first = table.add(&draft, None, |_| None).unwrap();
    table.get(ProbeId::from_index(first)).unwrap().clone()
}

/// Makes a consumer and its ECBs on a probe, each clause `times` over. Its clauses for ERROR are
/// its own chain.
fn consumer(program: &str, probe: &Arc<Probe>, times: usize) -> (Arc<Shared>, Vec<Ecb>) {
    consumer_of(program, probe, times, SIZES)
}

fn consumer_of(
    program: &str,
    probe: &Arc<Probe>,
    times: usize,
    sizes: Sizes,
) -> (Arc<Shared>, Vec<Ecb>) {
    let world = d::world::Fixture::new(&["test:mod:func:name"]);
    let source = d::Source::script("test.d", program);
    let compiled = d::compile(&source, &world, &d::Options::default());
    let compiled = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let mut enabling = Enabling::new().unwrap();
    enabling.add(&d::dof::write(&compiled, &[]), || Ok(()), &mut || Ok(())).unwrap();
    let shared = Arc::new(fire_host::shared(&mut enabling, sizes));
    let ecb = |(n, s): (usize, &Statement)| Ecb {
        epid: Epid::from_index(n),
        slot: u32::MAX,
        start: Start::Here(0),
        probe: probe.clone(),
        clause: s.clause.clone(),
        shared: shared.clone(),
        followers: 0,
    };
    let is_error = |s: &&Statement| s.pattern.matcher().matches_special(Special::Error);
    let (errors, ours): (Vec<_>, Vec<_>) =
        enabling.statements.iter().partition::<Vec<_>, _>(is_error);
    let errors: Vec<Ecb> = errors.into_iter().enumerate().map(ecb).collect();
    if !errors.is_empty() {
        shared.special(Special::Error).set(chain(errors));
    }
    let ours = ours.into_iter().enumerate().map(ecb);
    let all = ours.flat_map(|ecb| std::iter::repeat_n(ecb, times)).collect();
    shared.set_activity(Activity::Active);
    (shared, all)
}

fn chain(mut ecbs: Vec<Ecb>) -> Chain {
    let first = ecbs.remove(0);
    Chain::new(first, vector(ecbs))
}

/// A record with one number: an EPID, a time stamp and the number. One of `exit()` has 8 bytes less.
const RECORD: usize = 24;

/// Returns the bytes of a consumer's records.
fn written(shared: &Shared) -> usize {
    ProbeCtx::on(0, |ctx| shared.cpus.get(ctx).borrow().principal.records().len())
}

#[test]
fn a_chain_knows_which_ecbs_are_of_one_consumer() {
    let probe = probe();
    let of = |times| consumer("test:mod:func:name { trace(1L); }", &probe, times);
    let ((a, first), (b, second), (c, third)) = (of(3), of(1), of(2));
    let sizes = |chain: &Chain| -> Vec<(*const Shared, usize)> {
        let all = chain.consumers();
        all.map(|(first, more)| (Arc::as_ptr(&first.shared), more.len() + 1)).collect()
    };
    let [a_is, b_is, c_is] = [&a, &b, &c].map(Arc::as_ptr);
    let mut all = chain([first, second, third].concat());
    assert_eq!(all.len(), 6);
    assert_eq!(sizes(&all), [(a_is, 3), (b_is, 1), (c_is, 2)]);
    assert!(all.has(&b) && all.has_others(&b));
    assert!(all.leave(&a));
    assert_eq!(sizes(&all), [(b_is, 1), (c_is, 2)]);
    assert!(!all.has(&a) && all.has_others(&a));
    assert!(all.leave(&b));
    assert_eq!(sizes(&all), [(c_is, 2)]);
    assert!(!all.has_others(&c) && !all.leave(&c));
}

/// Nobody pays for looking at clauses that do not run, so the deadman does not see the time.
#[test]
fn clauses_of_consumers_that_are_not_live_take_no_time() {
    let time = |times| {
        let probe = probe();
        let (ended, mut all) = consumer("test:mod:func:name { trace(1L); }", &probe, times);
        let (live, own) = consumer("test:mod:func:name { trace(1L); }", &probe, 1);
        all.extend(own);
        probe.chain.set(chain(all));
        ended.set_activity(Activity::Draining);
        let begin = Instant::now();
        for _ in 0..100 {
            ProbeCtx::on(0, |ctx| fire(ctx, &probe, Args::Values(&[])));
        }
        assert_eq!((written(&ended), written(&live)), (0, 100 * RECORD));
        begin.elapsed()
    };
    let (few, many) = (time(2), time(60_000));
    assert!(many < few * 20 + Duration::from_millis(5), "{few:?} {many:?}");
}

const FAULT: &str =
    "test:mod:func:name { trace(*(long *)8); } ERROR { trace(1L); } ERROR { trace(2L); }";
const FAULT_ENDS: &str =
    "test:mod:func:name { trace(*(long *)8); } ERROR { exit(1); } ERROR { trace(2L); }";

#[test]
fn a_clause_that_ends_the_tracing_is_the_last_one() {
    for (program, expected) in [
        ("test:mod:func:name { trace(1L); } test:mod:func:name { trace(2L); }", 2 * RECORD),
        ("test:mod:func:name { exit(1); } test:mod:func:name { trace(2L); }", RECORD - 8),
        (FAULT, 2 * RECORD),
        (FAULT_ENDS, RECORD - 8),
    ] {
        let probe = probe();
        let (shared, all) = consumer(program, &probe, 1);
        let (other, own) = consumer("test:mod:func:name { trace(1L); }", &probe, 1);
        probe.chain.set(chain([all, own].concat()));
        ProbeCtx::on(0, |ctx| fire(ctx, &probe, Args::Values(&[])));
        assert_eq!((written(&shared), written(&other)), (expected, RECORD), "{program}");
        assert_eq!(shared.counters.dblerrors.load(Relaxed), 0);
    }
}

/// Clearing 60,000 bytes costs 3,750 units, which are not paid if there is no room for them.
#[test]
fn a_struct_that_finds_no_room_is_not_paid_for() {
    for (dynvarsize, stores, drops, cost) in
        [(1 << 20, 1, 0, 3750..5000), (1 << 10, 1, 1, 1..1000), (1 << 10, 300, 300, 1..100_000)]
    {
        let store = "self->b.bytes[0] = 1; ".repeat(stores);
        let program = format!(
            "struct blob {{ char bytes[60000]; }}; self struct blob b; \
             test:mod:func:name {{ {store} trace(1L); }}"
        );
        let probe = probe();
        let (shared, all) = consumer_of(&program, &probe, 1, Sizes { dynvarsize, ..SIZES });
        probe.chain.set(chain(all));
        ProbeCtx::on(0, |ctx| fire(ctx, &probe, Args::Values(&[])));
        assert_eq!(shared.counters.dyndrops.load(Relaxed), drops);
        assert_eq!((shared.counters.killed.load(Relaxed), written(&shared)), (0, RECORD));
        let spent = ProbeCtx::on(0, |ctx| shared.cpus.get(ctx).borrow().budget.spent());
        assert!(cost.contains(&spent), "{stores} stores, {drops} drops: {spent}");
    }
}
