// SPDX-License-Identifier: GPL-2.0
//! The probes of the stable providers on this kernel: the event behind each, the conditions under
//! which it counts, and the arguments. No other place says this. The D library that declares a
//! provider has the arguments' types (`userspace-ctl/lib`).
//!
//! A probe may have several rows: any of their events fires it. Rows of a probe are neighbours.

use crate::event::{Each, Field, Value, When};
use crate::locks;
use crate::row::{begins, ends, row, rows_of};
pub use crate::row::{Row, Source};
use Source::{Entry, Return, Tracepoint};
use Value::{
    AttrPri, Bit, CpuOf, Current, Dentry, Errno, ExitReason, FaultCode, FolioPages, Int, Ip, Kept,
    KeptDentry, NicePri, Null, Number, Of, PagesOf, Raw, Transport,
};

/// The providers, in the order of their rows.
pub const PROVIDERS: &[&str] =
    &["proc", "sched", "io", "sysinfo", "vminfo", "lockstat", "mib", "ip", "tcp", "udp"];

rows_of!(proc sched ip tcp udp);

const fn io(probe: &'static str, source: Source, when: &'static [When]) -> Row {
    row("io", probe, source, when, &[Raw(0), Dentry(0)])
}

/// The amount 1. `arg1` is the address of a counter on other systems; there is none here.
const ONE: &[Value] = &[Number(1), Number(0)];
/// The value that the function returns is the amount.
const RETURNED: &[Value] = &[Raw(0), Number(0)];
const FOLIO_PAGES: &[Value] = &[FolioPages(0), Number(0)];
const BIO_PAGES: &[Value] = &[PagesOf(Field::BioSize, 0), Number(0)];

const fn sysinfo(probe: &'static str, source: Source, when: &'static [When]) -> Row {
    row("sysinfo", probe, source, when, ONE)
}

const fn mib(
    probe: &'static str,
    source: Source,
    when: &'static [When],
    values: &'static [Value],
) -> Row {
    row("mib", probe, source, when, values)
}

const fn vminfo(probe: &'static str, source: Source, when: &'static [When]) -> Row {
    row("vminfo", probe, source, when, ONE)
}

/// Flags of `clone`: the child shares the parent's memory; the parent waits until it no longer
/// does.
const CLONE_VM: u64 = 0x100;
const CLONE_VFORK: u64 = 0x4000;
/// Its arguments are the address, the registers, and the processor's error code.
const USER_FAULT: Source = Tracepoint("page_fault_user");
const KERNEL_FAULT: Source = Tracepoint("page_fault_kernel");
/// A bit of that code: the page is mapped, but does not allow the access.
const PROTECTED: u64 = 1;
const MISSING: When = When::Bits(2, PROTECTED, 0);
const FORBIDDEN: When = When::Bits(2, PROTECTED, PROTECTED);
/// The address belongs to a process.
const USER_ADDRESS: When = When::Bits(0, 1 << 63, 0);
const VM_FAULT_MAJOR: u64 = 4;
const EAGAIN: i32 = 11;
/// `__GFP_ZERO` and `__GFP_MOVABLE`: only pages of processes are allocated with both.
const GFP_ZEROED_MOVABLE: u64 = 0x108;
const PAGES_OF_HUGE: u64 = 512;
/// The function that counts reads and writes, `pgpgin` and `pgpgout` of /proc/vmstat.
const SUBMIT: Source = Entry("submit_bio");
const READS: When = When::BitsOf(Field::BioOpf, 0, 0xff, 0);
const WRITES: When = When::BitsOf(Field::BioOpf, 0, 0xff, 1);
/// `IPPROTO_TCP` and `_UDP`.
const TCP: u64 = 6;
const UDP: u64 = 17;
/// TCP's flags.
const SYN: u64 = 0x02;
const RST: u64 = 0x04;
const ACK: u64 = 0x10;
/// `TCP_SYN_SENT`.
const SYN_SENT: u64 = 2;
/// Its arguments are the socket, the old state and the new state.
const STATE: Source = Tracepoint("inet_sock_set_state");
const IS_TCP: When = When::Has(Field::SockProtocol, 0, TCP);
/// `TCP_SYN_RECV`, a state of a socket; and states as arguments.
const SYN_RECEIVED: u64 = 3;
const ESTABLISHED: i32 = 1;
const STATE_SYN_SENT: i32 = 2;
const CLOSED: i32 = 7;
const CLOSE_WAIT: i32 = 8;
/// `BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB` and `_PASSIVE_`.
const ACTIVE: i32 = 4;
const PASSIVE: i32 = 5;
/// The functions that send a whole packet with its headers. Their arguments are the network, the
/// socket (0 for a forwarded packet) and the packet.
const OUTPUT: Source = Entry("ip_output");
const OUTPUT_MANY: Source = Entry("ip_mc_output");
const OUTPUT6: Source = Entry("ip6_output");
const SENT_TCP: When = When::Carries(2, TCP);
const SENT_UDP: When = When::Carries(2, UDP);
const SENT_DATAGRAM: &[Value] = &[Raw(2), Raw(1), Transport(2)];
/// The arguments are a socket and a packet. A packet that belongs to no connection has a socket of
/// the kernel, or none.
const CONNECTION: &[Value] = &[Raw(1), Raw(0), Transport(1)];
const SENT: &[Value] = &[Raw(2), Of(Field::SkbSk, 2), Transport(2)];
/// An RST with ACK and without a sequence number: it refuses a SYN.
const REFUSES: &[When] = &[
    When::There(1),
    SENT_TCP,
    When::Tcp(Field::TcpFlags, 2, SYN | RST | ACK, RST | ACK),
    When::Tcp(Field::TcpSeq, 2, u64::MAX, 0),
];
const REQUESTS: &[When] =
    &[When::There(1), SENT_TCP, When::Tcp(Field::TcpFlags, 2, SYN | RST | ACK, SYN)];
/// A connection is established. The arguments are its socket, the side that opened it, and the
/// packet.
const INIT: Source = Entry("tcp_init_transfer");
const INITIATED: &[Value] = &[Raw(2), Raw(0), Transport(2)];
/// A packet of either version: sent, when it goes to the device, or received and checked.
const IP_SENT: &[Value] = &[Raw(2), Raw(1), Of(Field::SkbDev, 2), Ip(2, 4), Ip(2, 6)];
const IP_RECEIVED: &[Value] = &[Raw(0), Null, Of(Field::SkbDev, 0), Ip(0, 4), Ip(0, 6)];

/// `TRACE_SIGNAL_IGNORED` and `TRACE_SIGNAL_OVERFLOW_FAIL`, in [`SIGNAL`]'s last argument.
const IGNORED: i32 = 1;
const FAILED: i32 = 3;
/// Its arguments are the signal's number, its `siginfo`, the task, whether it is for the whole
/// process, and the result.
const SIGNAL: Source = Tracepoint("signal_generate");
/// Its arguments are whether the thread is preempted, the old thread, the new thread, and the state
/// of the old one.
const SWITCH: Source = Tracepoint("sched_switch");
/// The new thread fires it. Its argument tells whether the old thread is the same one.
const SWITCHED: Source = Tracepoint("sched_exit_tp");
/// Its arguments are the parent and the child.
const FORK: Source = Tracepoint("sched_process_fork");
/// Its arguments are the thread and whether it is the last one of its process.
const EXIT: Source = Tracepoint("sched_process_exit");

/// Its arguments are the new task and the flags of `clone`.
const NEW_TASK: Source = Tracepoint("task_newtask");

/// All rows.
const BEFORE: &[Row] = &[
    proc("create", FORK, &[When::Leader(1)], &[Raw(1)]),
    proc("exec", Entry("alloc_bprm"), &[], &[Of(Field::FilenameName, 1)]),
    proc("exec-failure", Return("do_execveat_common"), &[When::Negative(0)], &[Errno(0)]),
    proc("exec-success", Tracepoint("sched_process_exec"), &[], &[]),
    proc("exit", EXIT, &[When::Is(1)], &[ExitReason(0)]),
    proc("fault", SIGNAL, &[When::Fault(2, 0, 1)], &[FaultCode(0, 1), Raw(1)]),
    proc("lwp-create", FORK, &[], &[Raw(1), Raw(1)]),
    proc("lwp-exit", EXIT, &[], &[]),
    proc("lwp-start", SWITCHED, &[When::Is(0), When::FirstRun], &[]),
    begins("proc", "signal-clear", Entry("do_sigtimedwait"), 1),
    ends("proc", "signal-clear", Return("do_sigtimedwait"), &[When::Positive(0)], &[Int(0), Kept]),
    proc("signal-discard", SIGNAL, &[When::Equals(4, IGNORED)], &[Raw(2), Raw(2), Int(0)]),
    proc(
        "signal-handle",
        Tracepoint("signal_deliver"),
        &[When::Handled(2)],
        &[Int(0), Raw(1), Of(Field::SigactionHandler, 2)],
    ),
    proc("signal-send", SIGNAL, &[When::NoneOf(4, &[IGNORED, FAILED])], &[Raw(2), Raw(2), Int(0)]),
    proc("start", SWITCHED, &[When::Is(0), When::FirstRun, When::CurrentLeads], &[]),
    sched(
        "change-pri",
        Entry("set_user_nice"),
        &[When::OtherNice(0, 1)],
        &[Raw(0), Raw(0), NicePri(1)],
    ),
    sched("change-pri", Entry("__sched_setscheduler"), &[], &[Raw(0), Raw(0), AttrPri(1)]),
    sched("dequeue", Entry("dequeue_task"), &[], &[Raw(1), Raw(1), CpuOf(1), Bit(2, 0)]),
    // ENQUEUE_HEAD
    sched("enqueue", Entry("enqueue_task"), &[], &[Raw(1), Raw(1), CpuOf(1), Bit(2, 16)]),
    sched("off-cpu", SWITCH, &[], &[Raw(2), Raw(2)]),
    sched("on-cpu", SWITCHED, &[When::Is(0)], &[]),
    sched("preempt", SWITCH, &[When::Preempted(0, 3)], &[]),
    sched("remain-cpu", SWITCHED, &[When::IsNot(0)], &[]),
    sched("sleep", SWITCH, &[When::Sleeps(0, 3)], &[]),
    sched(
        "surrender",
        Tracepoint("sched_set_need_resched_tp"),
        &[When::OtherCpu(1)],
        &[Raw(0), Raw(0)],
    ),
    sched("tick", Entry("sched_tick"), &[], &[Current, Current]),
    sched("wakeup", Tracepoint("sched_waking"), &[], &[Raw(0), Raw(0)]),
    Row {
        provider: "io",
        probe: "done",
        source: Tracepoint("block_rq_complete"),
        when: &[],
        each: Each::Bio(0, 2),
        // Each::Bio evaluates them with the bio in the place of argument 0.
        values: &[Raw(0), Dentry(0), Number(0)],
    },
    row(
        "io",
        "done",
        Tracepoint("block_bio_complete"),
        &[When::Submitted(1)],
        &[Raw(1), Dentry(1), Of(Field::BioStatus, 1)],
    ),
    io("start", Tracepoint("block_getrq"), &[When::There(0)]),
    io("start", Tracepoint("block_bio_backmerge"), &[]),
    io("start", Tracepoint("block_bio_frontmerge"), &[]),
    io("start", Tracepoint("block_bio_queue"), &[When::Submitted(0)]),
    begins("io", "wait-done", Entry("bio_await"), 0),
    ends("io", "wait-done", Return("bio_await"), &[], &[Kept, KeptDentry]),
    io("wait-start", Entry("bio_await"), &[]),
    sysinfo("cpumigrate", Tracepoint("sched_migrate_task"), &[]),
    sysinfo("idlethread", SWITCH, &[When::BitsOf(Field::TaskPid, 2, u64::MAX, 0)]),
    sysinfo("intr", Entry("handle_irq_event"), &[]),
    sysinfo("inv_swtch", SWITCH, &[When::Preempted(0, 3)]),
    sysinfo("lread", Tracepoint("block_touch_buffer"), &[]),
    sysinfo("lwrite", Tracepoint("block_dirty_buffer"), &[]),
    sysinfo("modload", Tracepoint("module_load"), &[]),
    sysinfo("modunload", Tracepoint("module_free"), &[]),
    sysinfo("msg", Entry("do_msgrcv"), &[]),
    sysinfo("msg", Entry("do_msgsnd"), &[]),
    sysinfo("mutex_adenters", Entry("__mutex_lock_slowpath"), &[]),
    sysinfo("mutex_adenters", Entry("__mutex_lock_killable_slowpath"), &[]),
    sysinfo("mutex_adenters", Entry("__mutex_lock_interruptible_slowpath"), &[]),
    // Under PREEMPT_RT each mutex is an `rt_mutex`, and there are no such functions.
    #[cfg(CONFIG_PREEMPT_RT)]
    sysinfo("mutex_adenters", locks::CONTENDED, locks::RT_SLEEPS),
    #[cfg(CONFIG_PREEMPT_RT)]
    locks::reader_waits("sysinfo", "mutex_adenters"),
    #[cfg(CONFIG_PREEMPT_RT)]
    locks::reader_waited("sysinfo", "mutex_adenters", ONE),
    sysinfo("namei", Entry("filename_lookup"), &[]),
    sysinfo("namei", Entry("__filename_parentat"), &[]),
    sysinfo("namei", Entry("do_file_open"), &[]),
    sysinfo("namei", Entry("do_file_open_root"), &[]),
    sysinfo("nthreads", NEW_TASK, &[]),
    row("sysinfo", "outch", Return("n_tty_write"), &[When::Positive(0)], RETURNED),
    sysinfo("procovf", Return("kernel_clone"), &[When::Equals(0, -EAGAIN)]),
    sysinfo("pswitch", SWITCH, &[]),
    row("sysinfo", "rawch", Return("n_tty_receive_buf_common"), &[When::Positive(0)], RETURNED),
    row("sysinfo", "readch", Return("vfs_read"), &[When::NotNegative(0)], RETURNED),
    row("sysinfo", "readch", Return("vfs_readv"), &[When::NotNegative(0)], RETURNED),
    sysinfo("rw_rdfails", Entry("rwsem_down_read_slowpath"), &[]),
    #[cfg(CONFIG_PREEMPT_RT)]
    sysinfo("rw_rdfails", locks::CONTENDED, locks::RT_READS),
    sysinfo("rw_wrfails", Entry("rwsem_down_write_slowpath"), &[]),
    #[cfg(CONFIG_PREEMPT_RT)]
    sysinfo("rw_wrfails", locks::CONTENDED, locks::RT_WRITES),
    sysinfo("sema", Entry("do_semtimedop"), &[]),
    sysinfo("sysexec", Entry("do_execveat_common"), &[]),
    sysinfo("sysfork", NEW_TASK, &[When::Bits(1, CLONE_VM | CLONE_VFORK, 0)]),
    sysinfo("sysread", Entry("vfs_read"), &[]),
    sysinfo("sysread", Entry("vfs_readv"), &[]),
    sysinfo("sysvfork", NEW_TASK, &[When::Bits(1, CLONE_VFORK, CLONE_VFORK)]),
    sysinfo("syswrite", Entry("vfs_write"), &[]),
    sysinfo("syswrite", Entry("vfs_writev"), &[]),
    row("sysinfo", "writech", Return("vfs_write"), &[When::NotNegative(0)], RETURNED),
    row("sysinfo", "writech", Return("vfs_writev"), &[When::NotNegative(0)], RETURNED),
    sysinfo("xcalls", Tracepoint("csd_queue_cpu"), &[]),
    row("vminfo", "anonpgin", Entry("swap_read_folio"), &[], FOLIO_PAGES),
    row("vminfo", "anonpgout", Entry("__swap_writepage"), &[], FOLIO_PAGES),
    vminfo("as_fault", USER_FAULT, &[MISSING]),
    vminfo("as_fault", KERNEL_FAULT, &[MISSING, USER_ADDRESS]),
    row(
        "vminfo",
        "dfree",
        Tracepoint("mm_vmscan_lru_shrink_inactive"),
        &[When::There(2)],
        &[Raw(2), Number(0)],
    ),
    vminfo(
        "maj_fault",
        Return("handle_mm_fault"),
        &[When::Bits(0, VM_FAULT_MAJOR, VM_FAULT_MAJOR)],
    ),
    vminfo("pgin", SUBMIT, &[READS]),
    vminfo("pgout", SUBMIT, &[WRITES]),
    row("vminfo", "pgpgin", SUBMIT, &[READS], BIO_PAGES),
    row("vminfo", "pgpgout", SUBMIT, &[WRITES], BIO_PAGES),
    vminfo("pgrrun", Tracepoint("mm_vmscan_kswapd_wake"), &[]),
    vminfo("prot_fault", USER_FAULT, &[FORBIDDEN]),
    vminfo("prot_fault", KERNEL_FAULT, &[FORBIDDEN, USER_ADDRESS]),
    row(
        "vminfo",
        "scan",
        Tracepoint("mm_vmscan_lru_isolate"),
        &[When::There(3)],
        &[Raw(3), Number(0)],
    ),
    vminfo(
        "zfod",
        Tracepoint("mm_page_alloc"),
        &[When::There(0), When::Bits(2, GFP_ZEROED_MOVABLE, GFP_ZEROED_MOVABLE)],
    ),
    row("vminfo", "zfod", Entry("map_anon_folio_pmd_pf"), &[], &[Number(PAGES_OF_HUGE), Number(0)]),
];

/// The rows after those of `lockstat`.
const AFTER: &[Row] = &[
    mib("icmpInMsgs", Entry("icmp_rcv"), &[], ONE),
    mib("icmpOutMsgs", Entry("icmp_out_count"), &[], ONE),
    mib("ipInReceives", Entry("ip_rcv_core"), &[], ONE),
    mib("ipOutRequests", Entry("__ip_local_out"), &[], ONE),
    mib("ipForwDatagrams", Entry("ip_forward_finish"), &[], ONE),
    mib("ipReasmReqds", Entry("ip_defrag"), &[], ONE),
    mib(
        "tcpActiveOpens",
        STATE,
        &[IS_TCP, When::Equals(1, CLOSED), When::Equals(2, STATE_SYN_SENT)],
        ONE,
    ),
    mib("tcpAttemptFails", Entry("tcp_done"), &[When::Has(Field::SockState, 0, SYN_SENT)], ONE),
    mib("tcpAttemptFails", Entry("tcp_done"), &[When::Has(Field::SockState, 0, SYN_RECEIVED)], ONE),
    mib(
        "tcpEstabResets",
        STATE,
        &[IS_TCP, When::Equals(1, ESTABLISHED), When::Equals(2, CLOSED)],
        ONE,
    ),
    mib(
        "tcpEstabResets",
        STATE,
        &[IS_TCP, When::Equals(1, CLOSE_WAIT), When::Equals(2, CLOSED)],
        ONE,
    ),
    mib("tcpInSegs", Entry("tcp_v4_rcv"), &[], ONE),
    mib("tcpInSegs", Entry("tcp_v6_rcv"), &[], ONE),
    mib("tcpOutRsts", Tracepoint("tcp_send_reset"), &[], ONE),
    mib("tcpPassiveOpens", Return("tcp_create_openreq_child"), &[When::There(0)], ONE),
    mib(
        "tcpRetransSegs",
        Tracepoint("tcp_retransmit_skb"),
        &[],
        &[Of(Field::TcpSegments, 1), Number(0)],
    ),
    mib("udpInDatagrams", Return("udp_recvmsg"), &[When::NotNegative(0)], ONE),
    mib("udpInDatagrams", Return("udpv6_recvmsg"), &[When::NotNegative(0)], ONE),
    mib("udpInErrors", Tracepoint("udp_fail_queue_rcv_skb"), &[], ONE),
    mib("udpOutDatagrams", Return("udp_send_skb"), &[When::Equals(0, 0)], ONE),
    mib("udpOutDatagrams", Return("udp_v6_send_skb"), &[When::Equals(0, 0)], ONE),
    ip("receive", Return("ip_rcv_core"), &[When::There(0)], IP_RECEIVED),
    ip("receive", Return("ip6_rcv_core"), &[When::There(0)], IP_RECEIVED),
    ip("send", Entry("ip_finish_output2"), &[], IP_SENT),
    ip("send", Entry("ip6_finish_output2"), &[], IP_SENT),
    tcp("accept-established", INIT, &[When::Equals(1, PASSIVE)], INITIATED),
    tcp("accept-refused", OUTPUT, REFUSES, &[Raw(2), Null, Transport(2)]),
    tcp("accept-refused", OUTPUT6, REFUSES, &[Raw(2), Null, Transport(2)]),
    tcp("connect-established", INIT, &[When::Equals(1, ACTIVE)], INITIATED),
    tcp(
        "connect-refused",
        Entry("tcp_reset"),
        &[When::Has(Field::SockState, 0, SYN_SENT)],
        CONNECTION,
    ),
    tcp("connect-request", OUTPUT, REQUESTS, SENT),
    tcp("connect-request", OUTPUT6, REQUESTS, SENT),
    tcp("receive", Entry("tcp_rcv_established"), &[], CONNECTION),
    tcp("receive", Entry("tcp_rcv_state_process"), &[], CONNECTION),
    tcp("receive", Tracepoint("tcp_send_reset"), &[When::Null(0)], CONNECTION),
    tcp("send", OUTPUT, &[When::There(1), SENT_TCP], SENT),
    tcp("send", OUTPUT6, &[When::There(1), SENT_TCP], SENT),
    tcp("state-change", STATE, &[IS_TCP], &[Null, Raw(0), Int(1), Int(2)]),
    udp("receive", Entry("__udp_enqueue_schedule_skb"), &[], CONNECTION),
    udp("send", OUTPUT, &[When::There(1), SENT_UDP], SENT_DATAGRAM),
    udp("send", OUTPUT_MANY, &[When::There(1), SENT_UDP], SENT_DATAGRAM),
    udp("send", OUTPUT6, &[When::There(1), SENT_UDP], SENT_DATAGRAM),
];

/// The table.
pub const ROWS: &[Row] = &{
    let parts = [BEFORE, locks::SLEEPING, locks::SPINNING, AFTER];
    const LEN: usize = BEFORE.len() + locks::SLEEPING.len() + locks::SPINNING.len() + AFTER.len();
    let mut all = [AFTER[0]; LEN];
    let (mut part, mut at, mut n) = (0, 0, 0);
    while part < parts.len() {
        if at < parts[part].len() {
            all[n] = parts[part][at];
            (at, n) = (at + 1, n + 1);
        } else {
            (part, at) = (part + 1, 0);
        }
    }
    all
};

/// Returns the end of the rows of the probe that begins at row `at`.
pub fn end_of(at: usize) -> usize {
    let same = |a: &Row, b: &Row| a.provider == b.provider && a.probe == b.probe;
    let Some(first) = ROWS.get(at) else { return ROWS.len() };
    let more = ROWS.get(at..).unwrap_or_default().iter().take_while(|r| same(r, first)).count();
    at.wrapping_add(more)
}

/// Returns the number of arguments of the probe that begins at row `at`: that of its rows that fire
/// it.
pub fn values_of(at: usize) -> usize {
    let rows = ROWS.get(at..end_of(at)).unwrap_or_default();
    rows.iter().map(|r| r.values.len()).max().unwrap_or(0)
}

/// Returns the event that a probe lacks on this kernel; `is_there` tells whether the kernel has the
/// event of a row. Returns `None` if the probe exists, or if no row belongs to it.
pub fn lacking(provider: &str, probe: &str, is_there: impl Fn(usize) -> bool) -> Option<Source> {
    let at = ROWS.iter().position(|r| r.provider == provider && r.probe == probe)?;
    let first = ROWS.get(at)?;
    (!(at..end_of(at)).any(is_there)).then_some(first.source)
}
