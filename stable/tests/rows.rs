// SPDX-License-Identifier: GPL-2.0
//! The table, and the results of its conditions and values for events.

use stable::event::{run, Each, Field, Machine, Taken, When};
use stable::table::{end_of, lacking, values_of, Row, Source, PROVIDERS, ROWS};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

/// A machine with these structures.
#[derive(Default, Clone)]
struct Fake {
    args: Vec<u64>,
    memory: HashMap<(u32, u64), u64>,
    current: u64,
    /// Things that were begun, and their marks.
    begun: RefCell<Vec<(u64, u64)>>,
    /// How often the event may still fire; `None`: as often as it likes.
    fires: Cell<Option<u32>>,
    lost: Cell<u64>,
}

impl Fake {
    fn passing(args: &[u64]) -> Self {
        Self { args: args.to_vec(), ..Self::default() }
    }

    fn with(mut self, field: Field, at: u64, is: u64) -> Self {
        self.memory.insert((field as u32, at), is);
        self
    }

    /// Returns the arguments that the rows of a probe from this source pass, for each time that
    /// they fire.
    fn fires(&self, provider: &str, probe: &str, source: &str) -> Vec<Vec<u64>> {
        let is = |r: &&Row| (r.provider, r.probe, r.source.name()) == (provider, probe, source);
        let begins = |r: &&Row| matches!(r.each, Each::Begins(..));
        let mut rows = ROWS.iter().filter(is).filter(|r| !begins(r));
        let row = rows.next().unwrap_or_else(|| panic!("no {provider}:::{probe} by {source}"));
        let mut fired = Vec::new();
        run(row.when, row.each, row.values, self, &mut |values| fired.push(values.to_vec()));
        fired
    }

    /// Begins a thing, which a probe's rows keep.
    fn begins(self, provider: &str, probe: &str, source: &str, args: &[u64]) -> Self {
        let this = Self { args: args.to_vec(), ..self };
        let is = |r: &&Row| (r.provider, r.probe, r.source.name()) == (provider, probe, source);
        for row in ROWS.iter().filter(is).filter(|r| matches!(r.each, Each::Begins(..))) {
            run(row.when, row.each, row.values, &this, &mut |_| panic!("it fires"));
        }
        this
    }

    fn then(self, args: &[u64]) -> Self {
        Self { args: args.to_vec(), ..self }
    }
}

impl Machine for Fake {
    fn arg(&self, n: u32) -> u64 {
        self.args.get(n as usize).copied().unwrap_or(0xdead_0000_0000)
    }
    fn field(&self, field: Field, base: u64) -> u64 {
        self.memory.get(&(field as u32, base)).copied().unwrap_or(0)
    }
    fn current(&self) -> u64 {
        self.current
    }
    fn cpu(&self) -> u32 {
        1
    }
    fn cpu_info(&self, cpu: u32) -> u64 {
        0x1000 + u64::from(cpu)
    }
    fn dentry_of(&self, alias: u64) -> u64 {
        alias - 8
    }
    fn large_folio(&self) -> u64 {
        0x40
    }

    fn submits_bios(&self) -> u64 {
        0x400
    }
    fn keep(&self, what: u64, mark: u64) {
        let mut begun = self.begun.borrow_mut();
        match begun.iter_mut().find(|(w, _)| *w == what) {
            Some((_, marks)) => *marks |= mark,
            None => begun.push((what, mark)),
        }
    }
    fn has_time(&self) -> bool {
        match self.fires.get() {
            None => true,
            Some(left) => {
                self.fires.set(Some(left.saturating_sub(1)));
                left != 0
            }
        }
    }
    fn lose(&self, things: u64) {
        self.lost.set(self.lost.get() + things);
    }
    fn has_begun(&self, what: u64) -> bool {
        self.begun.borrow().iter().any(|(w, _)| *w == what)
    }
    fn taken(&self, what: Option<u64>) -> Option<Taken> {
        let mut begun = self.begun.borrow_mut();
        let at = begun.iter().rposition(|(w, _)| what.is_none_or(|what| *w == what))?;
        let (what, mark) = begun.remove(at);
        Some(Taken { what, elapsed: 77, mark })
    }
}

#[test]
fn rows_of_a_probe_are_neighbours_and_agree() {
    let mut seen = HashSet::new();
    let mut at = 0;
    while let Some(row) = ROWS.get(at) {
        let name = format!("{}:::{}", row.provider, row.probe);
        assert!(PROVIDERS.contains(&row.provider), "{name}");
        assert!(seen.insert(name.clone()), "{name} is there twice");
        let rows = &ROWS[at..end_of(at)];
        let fire = || rows.iter().filter(|r| !matches!(r.each, Each::Begins(..)));
        assert!(fire().count() > 0, "{name} never fires");
        assert!(fire().all(|r| r.values.len() == values_of(at)), "{name}");
        assert!(rows.iter().all(|r| r.values.is_empty() || !matches!(r.each, Each::Begins(..))));
        at = end_of(at);
    }
    assert_eq!(seen.len(), 110);
}

#[test]
fn the_library_declares_every_probe_with_as_many_arguments() {
    let libraries = ["procfs", "sched", "io", "counters", "lockstat", "net"].map(|name| {
        let path = format!("{}/../userspace-ctl/lib/{name}.d", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    });
    let text = libraries.join("\n");
    for (at, row) in ROWS.iter().enumerate() {
        if at.checked_sub(1).is_some_and(|before| end_of(before) > at) {
            continue;
        }
        let from = text.split(&format!("provider {} {{", row.provider)).nth(1).expect(row.provider);
        let body = from.split("};").next().unwrap();
        let name = format!("probe {}(", row.probe.replace('-', "__"));
        let native = body.split(&name).nth(1).unwrap_or_else(|| panic!("{name} is not declared"));
        let native = native.split(')').next().unwrap();
        let declared = native.split(',').filter(|p| !p.trim().is_empty()).count();
        assert_eq!(declared, values_of(at), "{}:::{}", row.provider, row.probe);
    }
    let declared = text.split("\tprobe ").count() - 1;
    let probes: HashSet<_> = ROWS.iter().map(|r| (r.provider, r.probe)).collect();
    assert_eq!(declared, probes.len());
}

#[test]
fn processes_and_threads() {
    let fork = Fake::passing(&[10, 20]).with(Field::TaskPid, 20, 7).with(Field::TaskTgid, 20, 7);
    assert_eq!(fork.fires("proc", "create", "sched_process_fork"), [[20]]);
    let thread = fork.with(Field::TaskPid, 20, 8);
    assert!(thread.fires("proc", "create", "sched_process_fork").is_empty());
    assert_eq!(thread.fires("proc", "lwp-create", "sched_process_fork"), [[20, 20]]);
    // A bool has undefined bits above its byte.
    for (code, last, reason) in
        [(3 << 8, 0xff01, Some(1)), (9, 1, Some(2)), (0x8b, 1, Some(3)), (0, 0xff00, None)]
    {
        let exit = Fake::passing(&[20, last]).with(Field::TaskExitCode, 20, code);
        let fired = exit.fires("proc", "exit", "sched_process_exit");
        assert_eq!(fired, reason.map(|r| vec![r]).into_iter().collect::<Vec<_>>());
        assert_eq!(exit.fires("proc", "lwp-exit", "sched_process_exit").len(), 1);
    }
    let mut first = Fake::passing(&[1]);
    first.current = 20;
    assert_eq!(first.fires("proc", "lwp-start", "sched_exit_tp").len(), 1);
    let later = first.with(Field::TaskNivcsw, 20, 1);
    assert!(later.fires("proc", "lwp-start", "sched_exit_tp").is_empty());
    let failed = Fake::passing(&[(-2i64) as u64 & 0xffff_ffff]);
    assert_eq!(failed.fires("proc", "exec-failure", "do_execveat_common"), [[2]]);
    assert!(Fake::passing(&[0]).fires("proc", "exec-failure", "do_execveat_common").is_empty());
}

#[test]
fn signals() {
    for (result, sent, discarded) in [(0, 1, 0), (1, 0, 1), (2, 1, 0), (3, 0, 0), (4, 1, 0)] {
        let signal = Fake::passing(&[15, 0, 20, 1, result]);
        assert_eq!(signal.fires("proc", "signal-send", "signal_generate").len(), sent);
        assert_eq!(signal.fires("proc", "signal-discard", "signal_generate").len(), discarded);
    }
    let mut fault = Fake::passing(&[11, 0x100, 20, 0, 0]).with(Field::SiginfoCode, 0x100, 1);
    assert!(fault.fires("proc", "fault", "signal_generate").is_empty(), "of another task");
    fault.current = 20;
    assert_eq!(fault.fires("proc", "fault", "signal_generate"), [[6, 0x100]]);
    let sent = fault.with(Field::SiginfoCode, 0x100, (-6i32) as u32 as u64);
    assert!(sent.fires("proc", "fault", "signal_generate").is_empty(), "sent by a program");
    let handled = |to| Fake::passing(&[2, 5, 9]).with(Field::SigactionHandler, 9, to);
    assert_eq!(handled(0x4000).fires("proc", "signal-handle", "signal_deliver"), [[2, 5, 0x4000]]);
    assert!(handled(1).fires("proc", "signal-handle", "signal_deliver").is_empty());
}

#[test]
fn switches() {
    let kinds = |preempt: u64, state: u64| {
        let mut switch = Fake::passing(&[preempt, 1, 2, state]).with(Field::TaskPid, 1, 5);
        switch.current = 1;
        ["sleep", "preempt"].map(|probe| switch.fires("sched", probe, "sched_switch").len())
    };
    assert_eq!(kinds(0, 1), [1, 0]);
    assert_eq!(kinds(0, 0), [0, 1]);
    assert_eq!(kinds(1, 1), [0, 1]);
    // The task has ended: it does not sleep, and it could not continue.
    assert_eq!(kinds(0, 0x80), [0, 0]);
    let nice = Fake::passing(&[7, 5]).with(Field::TaskStaticPrio, 7, 120);
    assert_eq!(nice.fires("sched", "change-pri", "set_user_nice"), [[7, 7, 125]]);
    assert!(nice
        .with(Field::TaskStaticPrio, 7, 125)
        .fires("sched", "change-pri", "set_user_nice")
        .is_empty());
    let attr = |policy, n: i32, priority| {
        let asked = Fake::passing(&[7, 9]).with(Field::SchedAttrPolicy, 9, policy);
        let asked = asked.with(Field::SchedAttrNice, 9, n as u32 as u64).with(
            Field::SchedAttrPriority,
            9,
            priority,
        );
        asked.fires("sched", "change-pri", "__sched_setscheduler")[0][2] as i64
    };
    assert_eq!([attr(0, -5, 0), attr(1, 0, 7), attr(6, 0, 0)], [115, 92, -1]);
    let queued = Fake::passing(&[1, 7, 0x1_0000]).with(Field::TaskCpu, 7, 3);
    assert_eq!(queued.fires("sched", "enqueue", "enqueue_task"), [[7, 7, 0x1003, 1]]);
    let to = |cpu| {
        Fake::passing(&[7, cpu, 3]).fires("sched", "surrender", "sched_set_need_resched_tp").len()
    };
    assert_eq!([to(0), to(1)], [1, 0]);
}

#[test]
fn requests_tell_of_their_bios() {
    let request = |bytes| {
        let r = Fake::passing(&[1, 0, bytes]).with(Field::RequestBio, 1, 0x10);
        let r = r.with(Field::BioNext, 0x10, 0x20).with(Field::BioSize, 0x10, 4096).with(
            Field::BioSize,
            0x20,
            512,
        );
        // The page of the first bio belongs to a file.
        let r = r.with(Field::BioIoVec, 0x10, 0x30).with(Field::BioVecPage, 0x30, 0x40).with(
            Field::PageMapping,
            0x40,
            0x50,
        );
        r.with(Field::MappingHost, 0x50, 0x60).with(Field::InodeAlias, 0x60, 0x78)
    };
    let done = |f: &Fake| f.fires("io", "done", "block_rq_complete");
    assert_eq!(done(&request(4608)), [[0x10, 0x70, 0], [0x20, 0, 0]]);
    assert_eq!(done(&request(4096)), [[0x10, 0x70, 0]], "one is left");
    let failed = request(4096).then(&[1, 0xff0a, 4096]);
    assert_eq!(done(&failed), [[0x10, 0x70, 10]], "its status is a byte");
    assert_eq!(done(&request(100)).len(), 0);
    assert_eq!(done(&request(4608).with(Field::RequestCmdFlags, 1, 34)).len(), 0, "no bio's");
    // The data of a request was reported before its flush; a request that only flushes has none.
    assert_eq!(
        done(&request(0).with(Field::BioSize, 0x10, 0).with(Field::BioNext, 0x10, 0)).len(),
        0
    );
    let flush = Fake::passing(&[1, 0, 0]).with(Field::RequestBio, 1, 0x10);
    assert_eq!(done(&flush), [[0x10, 0, 0]]);
    // Two bios that point to each other do not loop; the rest counts as one.
    let ring = request(0).with(Field::BioSize, 0x10, 0).with(Field::BioSize, 0x20, 0);
    let ring = ring.with(Field::BioNext, 0x20, 0x10);
    assert!(done(&ring).len() <= 1 << 14);
    assert_eq!(ring.lost.get(), 1);
    // Those for which there is no time are counted.
    let slow = Fake { fires: Cell::new(Some(1)), ..request(4608) };
    assert_eq!((done(&slow).len(), slow.lost.get()), (1, 1));
}

#[test]
fn devices_without_requests() {
    let bio =
        |flags| Fake::passing(&[3, 3]).with(Field::BioBdev, 3, 4).with(Field::BdevFlags, 4, flags);
    assert_eq!(bio(0x400).fires("io", "start", "block_bio_queue"), [[3, 0]]);
    let failed = bio(0x400).with(Field::BioStatus, 3, 10);
    assert_eq!(failed.fires("io", "done", "block_bio_complete"), [[3, 0, 10]]);
    for (probe, source) in [("start", "block_bio_queue"), ("done", "block_bio_complete")] {
        assert!(bio(0x3ff).fires("io", probe, source).is_empty());
    }
    let io = ROWS.iter().rfind(|r| (r.provider, r.probe) == ("io", "start")).unwrap();
    assert!(matches!(io.source, Source::Tracepoint("block_bio_queue")));
}

/// Returns a packet at 3, with its IP header at 0x110 and the next header at 0x124; its socket is
/// 9.
fn packet(args: &[u64], first: u64, protocol: u64) -> Fake {
    let fields = [
        (Field::SkbSk, 3, 9),
        (Field::SkbDev, 3, 5),
        (Field::SkbHead, 3, 0x100),
        (Field::SkbNetworkHeader, 3, 0x10),
        (Field::SkbTransportHeader, 3, 0x24),
        (Field::IpVersion, 0x110, first),
        (if first >> 4 == 6 { Field::Ip6NextHeader } else { Field::IpProtocol }, 0x110, protocol),
    ];
    fields.iter().fold(Fake::passing(args), |fake, (field, at, is)| fake.with(*field, *at, *is))
}

#[test]
fn packets() {
    for (output, first) in [("ip_output", 0x45), ("ip6_output", 0x60)] {
        let (tcp, udp) = (packet(&[1, 2, 3], first, 6), packet(&[1, 2, 3], first, 17));
        assert_eq!(tcp.fires("tcp", "send", output), [[3, 9, 0x124]]);
        assert!(tcp.fires("udp", "send", output).is_empty());
        assert_eq!(udp.fires("udp", "send", output), [[3, 2, 0x124]]);
        assert!(udp.fires("tcp", "send", output).is_empty());
        // A forwarded packet.
        assert!(packet(&[1, 0, 3], first, 6).fires("tcp", "send", output).is_empty());
        for (flags, seq, requests, refuses) in [
            (2, 0, 1, 0),
            (0xc2, 7, 1, 0),
            (0x12, 0, 0, 0),
            (0x14, 0, 0, 1),
            (0x14, 7, 0, 0),
            (4, 0, 0, 0),
        ] {
            let tcp = packet(&[1, 2, 3], first, 6);
            let tcp = tcp.with(Field::TcpFlags, 0x124, flags).with(Field::TcpSeq, 0x124, seq);
            let fired =
                ["connect-request", "accept-refused"].map(|p| tcp.fires("tcp", p, output).len());
            assert_eq!(fired, [requests, refuses], "{flags:#x} {seq}");
        }
    }
    assert_eq!(
        packet(&[1, 2, 3], 0x45, 6).fires("ip", "send", "ip_finish_output2"),
        [[3, 2, 5, 0x110, 0]]
    );
    assert_eq!(packet(&[3], 0x60, 6).fires("ip", "receive", "ip6_rcv_core"), [[3, 0, 5, 0, 0x110]]);
    assert!(Fake::passing(&[0]).fires("ip", "receive", "ip_rcv_core").is_empty());
}

#[test]
fn connections() {
    let by = |op, probe| packet(&[9, op, 3], 0x45, 6).fires("tcp", probe, "tcp_init_transfer");
    assert_eq!(by(4, "connect-established"), [[3, 9, 0x124]]);
    assert_eq!(by(5, "accept-established"), [[3, 9, 0x124]]);
    assert!(by(4, "accept-established").is_empty() && by(5, "connect-established").is_empty());
    let reset = |state| {
        let reset = packet(&[9, 3], 0x45, 6).with(Field::SockState, 9, state);
        reset.fires("tcp", "connect-refused", "tcp_reset").len()
    };
    assert_eq!([2, 1].map(reset), [1, 0]);
    assert_eq!(packet(&[0, 3], 0x45, 6).fires("tcp", "receive", "tcp_send_reset"), [[3, 0, 0x124]]);
    assert!(packet(&[9, 3], 0x45, 6).fires("tcp", "receive", "tcp_send_reset").is_empty());
    let change = |protocol| {
        let change = Fake::passing(&[9, 1, 4]).with(Field::SockProtocol, 9, protocol);
        change.fires("tcp", "state-change", "inet_sock_set_state")
    };
    assert_eq!(change(6), [[0, 9, 1, 4]]);
    assert!(change(132).is_empty());
}

#[test]
fn counters() {
    let one = |f: Fake, provider, probe, source| f.fires(provider, probe, source) == [[1, 0]];
    let read =
        |bytes: i64| Fake::passing(&[bytes as u64]).fires("sysinfo", "readch", "vfs_read").concat();
    assert_eq!([read(7), read(0), read(-9)], [vec![7, 0], vec![0, 0], vec![]]);
    let made = |flags, probe| one(Fake::passing(&[20, flags]), "sysinfo", probe, "task_newtask");
    // fork, vfork, a new thread.
    for (flags, fork, vfork) in
        [(0x0120_0000, true, false), (0x4100, false, true), (0x003d_0f00, false, false)]
    {
        let are = ["sysfork", "sysvfork", "nthreads"].map(|probe| made(flags, probe));
        assert_eq!(are, [fork, vfork, true], "{flags:x}");
    }
    let idle = |pid| {
        let next = Fake::passing(&[0, 1, 2, 1]).with(Field::TaskPid, 2, pid);
        one(next, "sysinfo", "idlethread", "sched_switch")
    };
    assert_eq!([idle(0), idle(8)], [true, false]);
    let fault = |address, why, probe, source| {
        one(Fake::passing(&[address, 9, why]), "vminfo", probe, source)
    };
    assert!(fault(0x1000, 6, "as_fault", "page_fault_user"));
    assert!(!fault(0x1000, 7, "as_fault", "page_fault_user"));
    assert!(fault(0x1000, 7, "prot_fault", "page_fault_user"));
    assert!(fault(0x1000, 2, "as_fault", "page_fault_kernel"));
    assert!(!fault(u64::MAX - 4095, 2, "as_fault", "page_fault_kernel"), "the kernel's own");
    let bio =
        |op, bytes| Fake::passing(&[3]).with(Field::BioOpf, 3, op).with(Field::BioSize, 3, bytes);
    let pages = |f: Fake, probe| f.fires("vminfo", probe, "submit_bio").concat();
    assert_eq!(pages(bio(0x800, 8192), "pgpgin"), [2, 0]);
    assert_eq!(pages(bio(1, 512), "pgpgout"), [1, 0]);
    assert!(pages(bio(1, 512), "pgpgin").is_empty());
    assert!(pages(bio(2, 0), "pgpgout").is_empty(), "a flush");
    let folio = Fake::passing(&[3]).with(Field::FolioPages, 3, 16);
    let swapped = |flags| {
        folio.clone().with(Field::FolioFlags, 3, flags).fires(
            "vminfo",
            "anonpgin",
            "swap_read_folio",
        )
    };
    assert_eq!([swapped(0x3f).concat(), swapped(0x41).concat()], [[1, 0], [16, 0]]);
    let zeroed = |gfp| one(Fake::passing(&[1, 0, gfp]), "vminfo", "zfod", "mm_page_alloc");
    assert_eq!([zeroed(0x108), zeroed(0x100), zeroed(8)], [true, false, false]);
}

#[test]
fn what_is_waited_for() {
    let wait = Fake::default().begins("io", "wait-done", "bio_await", &[3]);
    assert_eq!(wait.then(&[0xbad]).fires("io", "wait-done", "bio_await"), [[3, 0]]);
    assert!(Fake::passing(&[0]).fires("io", "wait-done", "bio_await").is_empty());
    let got = |result: i32| {
        let wait = Fake::default().begins("proc", "signal-clear", "do_sigtimedwait", &[1, 0x50, 0]);
        let ended = wait.then(&[u64::from(result as u32)]);
        let fired = ended.fires("proc", "signal-clear", "do_sigtimedwait");
        assert!(ended.begun.borrow().is_empty());
        fired
    };
    assert_eq!(got(10), [[10, 0x50]]);
    assert!(got(-11).is_empty());
}

#[test]
fn mutexes() {
    let locked = |owner| Fake::passing(&[7]).with(Field::MutexOwner, 7, owner);
    let at_once =
        |owner| locked(owner).fires("lockstat", "adaptive-acquire", "mutex_lock").concat();
    assert_eq!(at_once(0), [7]);
    assert!(at_once(0x8000).is_empty() && at_once(1).is_empty());
    // The thread spins or sleeps, and the wait ends in this way.
    for (flags, end, want) in [
        (&[33][..], 0, (1, 1, 0, 0)),
        (&[33, 32], 0, (1, 0, 1, 0)),
        (&[33, 32, 33], 0, (1, 0, 1, 0)),
        (&[33, 32], -4, (0, 0, 0, 1)),
        // No mutex.
        (&[1], 0, (0, 0, 0, 0)),
        (&[2], 0, (0, 0, 0, 0)),
        (&[0], 0, (0, 0, 0, 0)),
    ] {
        let fired = |probe: &str| {
            let begin = |fake: Fake, flags: &u64| {
                fake.begins("lockstat", probe, "contention_begin", &[7, *flags])
            };
            let waits = flags.iter().fold(Fake::default(), begin);
            // The end of another wait in between does not end it.
            let other = waits.then(&[8, 0]);
            assert!(other.fires("lockstat", probe, "contention_end").is_empty());
            other.then(&[7, u64::from(end as u32)]).fires("lockstat", probe, "contention_end")
        };
        let [acquired, spun, slept, failed] =
            ["acquire", "spin", "block", "acquire-error"].map(|p| fired(&format!("adaptive-{p}")));
        assert_eq!((acquired.len(), spun.len(), slept.len(), failed.len()), want, "{flags:?}");
        assert!(spun.iter().chain(&slept).all(|values| *values == [7, 77]));
        assert!(failed.iter().all(|values| *values == [7, 4]));
    }
}

#[test]
fn locks_of_readers_and_writers() {
    let count = |n| Fake::passing(&[7]).with(Field::RwsemCount, 7, n);
    let had = |fake: &Fake, f| fake.fires("lockstat", "rw-acquire", f).concat();
    for (n, reads, writes) in
        [(0, true, true), (0x300, true, false), (1, false, false), (0x302, false, false)]
    {
        assert_eq!(had(&count(n), "down_read") == [7, 1], reads, "{n:x}");
        assert_eq!(had(&count(n), "down_write") == [7, 0], writes, "{n:x}");
    }
    for (flags, n, want) in [(2, 0x301, [7, 77, 1, 1, 3]), (4, 0x200, [7, 77, 0, 0, 2])] {
        let waits = count(n).begins("lockstat", "rw-block", "contention_begin", &[7, flags]);
        assert_eq!(waits.then(&[7, 0]).fires("lockstat", "rw-block", "contention_end"), [want]);
    }
    // A lock that spins, one with a part for each CPU.
    for flags in [3, 18] {
        let waits = count(0).begins("lockstat", "rw-block", "contention_begin", &[7, flags]);
        assert!(waits.then(&[7, 0]).fires("lockstat", "rw-block", "contention_end").is_empty());
    }
    let slow = "rwsem_down_read_slowpath";
    let waits = || Fake::default().begins("lockstat", "rw-acquire", slow, &[7, 1]);
    assert_eq!(had(&waits().then(&[7]), slow), [7, 1]);
    assert!(had(&waits().then(&[-4i64 as u64]), slow).is_empty());
    let word = |n| Fake::passing(&[7]).with(Field::RwlockWord, 7, n);
    assert_eq!(had(&word(0x200), "_raw_read_lock"), [7, 1]);
    assert!(had(&word(0x1ff), "_raw_read_lock").is_empty());
    assert!(had(&word(0x200), "_raw_write_lock").is_empty());
    let slow = "queued_write_lock_slowpath";
    let spins = Fake::default().begins("lockstat", "rw-spin", slow, &[7]);
    assert_eq!(spins.then(&[0]).fires("lockstat", "rw-spin", slow), [[7, 77, 0]]);
}

#[test]
fn locks_that_spin() {
    let word = |n| Fake::passing(&[7]).with(Field::SpinlockWord, 7, n);
    let had = |n| word(n).fires("lockstat", "spin-acquire", "_raw_spin_lock_irqsave").concat();
    assert_eq!(had(0), [7]);
    assert!(had(1).is_empty() && had(0x100).is_empty());
    for slow in ["native_queued_spin_lock_slowpath", "__pv_queued_spin_lock_slowpath"] {
        let spins = |probe| Fake::default().begins("lockstat", probe, slow, &[7, 1]).then(&[0]);
        assert_eq!(spins("spin-acquire").fires("lockstat", "spin-acquire", slow), [[7]]);
        assert_eq!(spins("spin-spin").fires("lockstat", "spin-spin", slow), [[7, 77]]);
    }
}

#[test]
fn what_protocols_count() {
    let state = |from, to| Fake::passing(&[9, from, to]).with(Field::SockProtocol, 9, 6);
    let n = |f: Fake, probe, source| f.fires("mib", probe, source).len();
    assert_eq!(n(state(7, 2), "tcpActiveOpens", "inet_sock_set_state"), 1);
    assert_eq!(n(state(7, 10), "tcpActiveOpens", "inet_sock_set_state"), 0);
    assert_eq!(n(state(1, 7), "tcpEstabResets", "inet_sock_set_state"), 1);
    assert_eq!(n(state(9, 7), "tcpEstabResets", "inet_sock_set_state"), 0);
    let done = |state| Fake::passing(&[9]).with(Field::SockState, 9, state);
    assert_eq!([2, 1].map(|s| n(done(s), "tcpAttemptFails", "tcp_done")), [1, 0]);
    let child = |sock| n(Fake::passing(&[sock]), "tcpPassiveOpens", "tcp_create_openreq_child");
    assert_eq!([9, 0].map(child), [1, 0]);
    let again = Fake::passing(&[9, 3]).with(Field::TcpSegments, 3, 4);
    assert_eq!(again.fires("mib", "tcpRetransSegs", "tcp_retransmit_skb"), [[4, 0]]);
    let received = |bytes: i64| n(Fake::passing(&[bytes as u64]), "udpInDatagrams", "udp_recvmsg");
    assert_eq!([10, 0, -11].map(received), [1, 1, 0]);
}

#[test]
fn what_a_kernel_lacks() {
    for (at, row) in ROWS.iter().enumerate() {
        let of = |is_there: &dyn Fn(usize) -> bool| lacking(row.provider, row.probe, is_there);
        assert!(of(&|_| false).is_some_and(|event| !event.name().is_empty()));
        // The event of any row is enough, and no other probe's event counts.
        assert!(of(&|n| n == at).is_none());
        assert!(of(&|n| ROWS[n].probe != row.probe).is_some());
    }
    assert!(lacking("io", "nosuch", |_| false).is_none());
    assert!(lacking("nosuch", "start", |_| false).is_none());
}

#[test]
fn a_wait_within_another_one_is_told_apart() {
    let (outer, inner) = (0x1000, 0x1008);
    let machine = Fake::passing(&[inner]);
    let fires = || {
        let mut n = 0;
        run(&[When::NotWithin(0, 8)], Each::One, &[], &machine, &mut |_| n += 1);
        n
    };
    assert_eq!(fires(), 1);
    machine.keep(outer, 0);
    assert_eq!(fires(), 0);
    assert!(machine.taken(Some(outer)).is_some());
    assert_eq!(fires(), 1);
}
