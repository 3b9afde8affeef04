// SPDX-License-Identifier: GPL-2.0
//! The vocabulary of the table: conditions on an event of the kernel and arguments of its probe,
//! and the code that evaluates them. It is pure: it asks the machine through [`Machine`].

macro_rules! fields {
    ($($name:ident),* $(,)?) => {
        /// A member of a structure of the kernel, by its place in `rust/kapi/helpers/field.c`,
        /// whose rows have the same names in the same order (`tests/fields.rs`).
        #[allow(missing_docs, reason = "they are the kernel's own names")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Field { $($name),* }
        impl Field {
            /// All fields.
            pub const ALL: &'static [Field] = &[$(Field::$name),*];
        }
    };
}
fields! {
    TaskPid,
    TaskTgid,
    TaskNvcsw,
    TaskNivcsw,
    TaskExitCode,
    TaskStaticPrio,
    TaskPrio,
    TaskCpu,
    SiginfoSigno,
    SiginfoCode,
    SigactionHandler,
    FilenameName,
    SchedAttrPolicy,
    SchedAttrNice,
    SchedAttrPriority,
    RequestBio,
    RequestCmdFlags,
    BioNext,
    BioBdev,
    BioIoVec,
    BioSize,
    BioOpf,
    BioStatus,
    BdevFlags,
    BioVecPage,
    PageMapping,
    FolioFlags,
    FolioPages,
    MappingHost,
    InodeAlias,
    SockState,
    SockProtocol,
    SkbSk,
    SkbDev,
    SkbHead,
    SkbNetworkHeader,
    SkbTransportHeader,
    IpVersion,
    IpProtocol,
    Ip6NextHeader,
    TcpFlags,
    TcpSeq,
    TcpSegments,
    MutexOwner,
    RwsemCount,
    SpinlockWord,
    RwlockWord,
}

/// The machine at the time of an event.
pub trait Machine {
    /// Returns argument `n` of the event. A function that returns has one, its value.
    fn arg(&self, n: u32) -> u64;
    /// Returns a member of the structure at `base`, or 0 if it cannot be read.
    fn field(&self, field: Field, base: u64) -> u64;
    /// Returns the address of the current `task_struct`.
    fn current(&self) -> u64;
    /// Returns the number of this CPU.
    fn cpu(&self) -> u32;
    /// Returns the address of a CPU's `cpuinfo_x86`.
    fn cpu_info(&self, cpu: u32) -> u64;
    /// Returns the dentry whose link to its inode is at `alias`.
    fn dentry_of(&self, alias: u64) -> u64;
    /// Returns the flag of block devices that take bios by a function of their own.
    fn submits_bios(&self) -> u64;
    /// Returns the flag of folios that have several pages.
    fn large_folio(&self) -> u64;
    /// Notes that the current thread has begun `what`. A second call for the same thing adds its
    /// mark to the first.
    fn keep(&self, what: u64, mark: u64);
    /// Tells whether the event may fire its probe once more: interrupts are off all the time.
    fn has_time(&self) -> bool;
    /// Counts things for which the probe did not fire.
    fn lose(&self, things: u64);
    /// Tells whether the current thread has begun this thing and not ended it.
    fn has_begun(&self, what: u64) -> bool;
    /// Removes and returns what the current thread has begun: `what`, or the latest thing. `None`
    /// if there is none.
    fn taken(&self, what: Option<u64>) -> Option<Taken>;
}

/// A thing that a thread has begun and now ends, such as the wait for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// The thing: the lock, or another argument of the event that began it.
    pub what: u64,
    /// The time since it began, in ns.
    pub elapsed: u64,
    /// The marks of the events that began it.
    pub mark: u64,
}

/// A condition on an event. An event fires a row's probe if all conditions of the row hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// This argument is a `bool` and true.
    Is(u32),
    /// This argument is a `bool` and false.
    IsNot(u32),
    /// This argument is an `int` and equals this number.
    Equals(u32, i32),
    /// This argument is an `int` and none of these numbers.
    NoneOf(u32, &'static [i32]),
    /// This argument is an `int` above 0.
    Positive(u32),
    /// This argument is an `int` below 0.
    Negative(u32),
    /// This argument is an `int` and 0 or above.
    NotNegative(u32),
    /// The bits of this argument under a mask have this value.
    Bits(u32, u64, u64),
    /// The bits of a structure's member under a mask have this value.
    BitsOf(Field, u32, u64, u64),
    /// This argument is not a null pointer.
    There(u32),
    /// The task of this argument is the first thread of its process.
    Leader(u32),
    /// The current thread is the first one of its process.
    CurrentLeads,
    /// The current thread runs for the first time.
    FirstRun,
    /// The current thread gives up the CPU to wait. The first argument is `preempt`, the second is
    /// the state that the thread waits in.
    Sleeps(u32, u32),
    /// The current thread must give up the CPU although it could continue; the same arguments.
    Preempted(u32, u32),
    /// This argument is the number of another CPU.
    OtherCpu(u32),
    /// The first argument's task is the current one, and the signal in the other two (number,
    /// `siginfo`) reports that the processor refused an instruction.
    Fault(u32, u32, u32),
    /// The `k_sigaction` in this argument does not ignore the signal.
    Handled(u32),
    /// The niceness of the first argument's task differs from the second argument.
    OtherNice(u32, u32),
    /// The device of this argument's bio takes it by a function of its own, not in a request.
    Submitted(u32),
    /// This argument is a null pointer.
    Null(u32),
    /// A member of this argument's structure has this value.
    Has(Field, u32, u64),
    /// The header of this protocol follows the IP header of this argument's packet.
    Carries(u32, u64),
    /// The bits of a member of the TCP header of this argument's packet under a mask have this
    /// value.
    Tcp(Field, u32, u64, u64),
    /// This argument is a pointer and not an error (`ERR_PTR`).
    NotError(u32),
    /// The marks of the thing that ends here have these bits under a mask.
    Mark(u64, u64),
    /// The current thread has not begun the thing in which this argument is at this offset.
    NotWithin(u32, u64),
}

/// An argument of a probe, computed from the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Number(u64),
    /// An argument of the event, 64 bits.
    Raw(u32),
    /// An argument of the event that is an `int`.
    Int(u32),
    /// The negative of an `int`.
    Errno(u32),
    /// One bit of an argument.
    Bit(u32, u32),
    /// The current task.
    Current,
    /// The CPU of this argument's task.
    CpuOf(u32),
    /// A member of a structure.
    Of(Field, u32),
    /// The number of pages that hold as many bytes as a member of a structure says.
    PagesOf(Field, u32),
    /// The number of pages of this argument's folio.
    FolioPages(u32),
    /// The reason that ended this argument's task, as `waitid` reports it (`CLD_*`).
    ExitReason(u32),
    /// The reason for which the processor refused an instruction (`FLT*`), from a signal's number
    /// and `siginfo`.
    FaultCode(u32, u32),
    /// The priority that belongs to a niceness.
    NicePri(u32),
    /// The priority that a `sched_attr` asks for.
    AttrPri(u32),
    /// The dentry of the file that this argument's bio reads or writes, or 0.
    Dentry(u32),
    /// A null pointer.
    Null,
    /// The IP header of this argument's packet, if it is of this version; else 0.
    Ip(u32, u64),
    /// The address behind the IP header of this argument's packet.
    Transport(u32),
    /// The argument with which the thing began that ends here.
    Kept,
    /// The time since it began, in ns.
    Elapsed,
    /// Its marks, shifted to the right and under a mask.
    Marked(u32, u64),
    /// Works like [`Value::Dentry`], for the bio with which it began.
    KeptDentry,
}

/// How often an event fires its probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Once.
    One,
    /// Once for each bio of the first argument's request that the number of bytes in the second
    /// argument completes. The probe's arguments are the bio, its file's dentry, and the status,
    /// which is the event's second argument.
    Bio(u32, u32),
    /// Never: a thing begins. This argument and the mark are kept for the current thread.
    Begins(u32, Value),
    /// Once, if the current thread has begun it: with this argument, or with any.
    Ends(Option<u32>),
}

/// The maximum number of arguments of a probe.
pub const MAX_VALUES: usize = 6;

/// The most bios of a request that are looked at. The others count as one.
const MAX_BIOS: u32 = 1 << 14;

/// `SIGILL` and so on, as on x86.
mod sig {
    pub(super) const ILL: i32 = 4;
    pub(super) const TRAP: i32 = 5;
    pub(super) const BUS: i32 = 7;
    pub(super) const FPE: i32 = 8;
    pub(super) const SEGV: i32 = 11;
}

/// `FLT*` of `procfs.d`.
fn fault_code(signo: i32, code: i32) -> u64 {
    match (signo, code) {
        (sig::ILL, 5 | 6) => 2,
        (sig::ILL, _) => 1,
        (sig::TRAP, 2) => 4,
        (sig::TRAP, 4) => 12,
        (sig::TRAP, _) => 3,
        (sig::BUS, _) => 5,
        (sig::SEGV, _) => 6,
        (sig::FPE, 1) => 8,
        (sig::FPE, 2) => 7,
        (sig::FPE, _) => 9,
        _ => 0,
    }
}

/// `REQ_OP_DRV_IN` and `_OUT`: commands to a device. They do not begin as bios.
const PASSED_THROUGH: [u64; 2] = [34, 35];
/// The bits of `cmd_flags` that hold the operation.
const OP: u64 = 0xff;
const PAGE_SHIFT: u32 = 12;
const PAGE: u64 = 1 << PAGE_SHIFT;
/// The kernel's priorities for niceness 0 and for the lowest real-time priority.
const DEFAULT_PRIO: u64 = 120;
const MAX_RT_PRIO: u64 = 100;
/// The state of a task that has ended.
const TASK_DEAD: i32 = 0x80;

/// The number of the highest addresses that are error numbers (`MAX_ERRNO`).
const ERRORS: u64 = 4095;

/// An event on its machine, and the thing that ends with it.
struct Event<'a, M: Machine>(&'a M, Taken);

impl<M: Machine> Event<'_, M> {
    fn int(&self, n: u32) -> i32 {
        // CAST: an `int` is in the lower half.
        self.0.arg(n) as i32
    }

    /// A `bool` is in the lowest byte.
    fn is(&self, n: u32) -> bool {
        self.0.arg(n) & 0xff != 0
    }

    fn leads(&self, task: u64) -> bool {
        self.0.field(Field::TaskPid, task) == self.0.field(Field::TaskTgid, task)
    }

    fn fault(&self, signo: u32, info: u32) -> u64 {
        // A signal that a program sends has no positive code, or no address.
        let code = self.0.field(Field::SiginfoCode, self.0.arg(info)) as i32;
        if code > 0 {
            fault_code(self.int(signo), code)
        } else {
            0
        }
    }

    fn holds(&self, when: When) -> bool {
        let m = self.0;
        match when {
            When::Is(n) => self.is(n),
            When::IsNot(n) => !self.is(n),
            When::Equals(n, to) => self.int(n) == to,
            When::NoneOf(n, these) => !these.contains(&self.int(n)),
            When::Positive(n) => self.int(n) > 0,
            When::Negative(n) => self.int(n) < 0,
            When::NotNegative(n) => self.int(n) >= 0,
            When::Bits(n, of, are) => m.arg(n) & of == are,
            When::BitsOf(field, n, of, are) => m.field(field, m.arg(n)) & of == are,
            When::There(n) => m.arg(n) != 0,
            When::Leader(n) => self.leads(m.arg(n)),
            When::CurrentLeads => self.leads(m.current()),
            When::FirstRun => {
                let switches = [Field::TaskNvcsw, Field::TaskNivcsw];
                switches.iter().all(|f| m.field(*f, m.current()) == 0)
            }
            When::Sleeps(preempt, state) => {
                !self.is(preempt) && self.int(state) != 0 && self.int(state) & TASK_DEAD == 0
            }
            When::Preempted(preempt, state) => {
                let could = self.is(preempt) || self.int(state) == 0;
                // Task 0 is idle.
                could && m.field(Field::TaskPid, m.current()) != 0
            }
            When::OtherCpu(n) => self.int(n) as u32 != m.cpu(),
            When::Fault(task, signo, info) => {
                m.arg(task) == m.current() && self.fault(signo, info) != 0
            }
            When::Handled(n) => m.field(Field::SigactionHandler, m.arg(n)) != 1,
            When::OtherNice(task, nice) => {
                m.field(Field::TaskStaticPrio, m.arg(task)) != self.value(Value::NicePri(nice))
            }
            When::Submitted(n) => {
                let device = m.field(Field::BioBdev, m.arg(n));
                m.field(Field::BdevFlags, device) & m.submits_bios() != 0
            }
            When::Null(n) => m.arg(n) == 0,
            When::Has(field, n, is) => m.field(field, m.arg(n)) == is,
            When::Carries(n, protocol) => {
                let (header, version) = self.ip(m.arg(n));
                let field = if version == 6 { Field::Ip6NextHeader } else { Field::IpProtocol };
                m.field(field, header) == protocol
            }
            When::Tcp(field, n, mask, is) => m.field(field, self.transport(m.arg(n))) & mask == is,
            When::NotError(n) => m.arg(n) < ERRORS.wrapping_neg(),
            When::Mark(of, are) => self.1.mark & of == are,
            When::NotWithin(n, offset) => !m.has_begun(m.arg(n).wrapping_sub(offset)),
        }
    }

    fn value(&self, value: Value) -> u64 {
        let m = self.0;
        // CAST: it extends the sign.
        let signed = |i: i32| i64::from(i) as u64;
        match value {
            Value::Number(n) => n,
            Value::Raw(n) => m.arg(n),
            Value::Int(n) => signed(self.int(n)),
            Value::Errno(n) => signed(self.int(n).wrapping_neg()),
            Value::Bit(n, bit) => m.arg(n).wrapping_shr(bit) & 1,
            Value::Current => m.current(),
            // CAST: CPUs have small numbers.
            Value::CpuOf(n) => m.cpu_info(m.field(Field::TaskCpu, m.arg(n)) as u32),
            Value::Of(field, n) => m.field(field, m.arg(n)),
            Value::PagesOf(field, n) => {
                m.field(field, m.arg(n)).wrapping_add(PAGE - 1) >> PAGE_SHIFT
            }
            Value::FolioPages(n) => match m.field(Field::FolioFlags, m.arg(n)) & m.large_folio() {
                0 => 1,
                _ => m.field(Field::FolioPages, m.arg(n)),
            },
            Value::ExitReason(n) => match m.field(Field::TaskExitCode, m.arg(n)) {
                code if code & 0x7f == 0 => 1,
                code if code & 0x80 != 0 => 3,
                _ => 2,
            },
            Value::FaultCode(signo, info) => self.fault(signo, info),
            Value::NicePri(n) => DEFAULT_PRIO.wrapping_add(signed(self.int(n))),
            Value::AttrPri(n) => {
                let of = |field| m.field(field, m.arg(n));
                match of(Field::SchedAttrPolicy) {
                    1 | 2 => (MAX_RT_PRIO - 1).wrapping_sub(of(Field::SchedAttrPriority)),
                    6 => u64::MAX,
                    // CAST: a niceness has a sign.
                    _ => DEFAULT_PRIO.wrapping_add(signed(of(Field::SchedAttrNice) as i32)),
                }
            }
            Value::Dentry(n) => self.dentry(m.arg(n)),
            Value::Null => 0,
            Value::Ip(n, version) => match self.ip(m.arg(n)) {
                (header, is) if is == version => header,
                _ => 0,
            },
            Value::Transport(n) => self.transport(m.arg(n)),
            Value::Kept => self.1.what,
            Value::Elapsed => self.1.elapsed,
            Value::Marked(shift, mask) => self.1.mark.wrapping_shr(shift) & mask,
            Value::KeptDentry => self.dentry(self.1.what),
        }
    }

    /// Returns the address of a packet's IP header, and its version.
    fn ip(&self, skb: u64) -> (u64, u64) {
        let of = |field| self.0.field(field, skb);
        let header = of(Field::SkbHead).wrapping_add(of(Field::SkbNetworkHeader));
        (header, self.0.field(Field::IpVersion, header) >> 4)
    }

    fn transport(&self, skb: u64) -> u64 {
        let of = |field| self.0.field(field, skb);
        of(Field::SkbHead).wrapping_add(of(Field::SkbTransportHeader))
    }

    /// Returns the dentry of the file whose pages a bio has, or 0.
    fn dentry(&self, bio: u64) -> u64 {
        let way = [Field::BioIoVec, Field::BioVecPage, Field::PageMapping];
        let mapping = way.iter().fold(bio, |at, field| self.0.field(*field, at));
        // The lowest bits mark pages that belong to no file.
        if mapping & 3 != 0 {
            return 0;
        }
        let inode = self.0.field(Field::MappingHost, mapping);
        match self.0.field(Field::InodeAlias, inode) {
            0 => 0,
            alias => self.0.dentry_of(alias),
        }
    }

    /// Returns the bios of a request, before the kernel marks them as done.
    fn bios(&self, request: u64, mut bytes: u64, fire: &mut dyn FnMut(&[u64])) {
        let m = self.0;
        if PASSED_THROUGH.contains(&(m.field(Field::RequestCmdFlags, request) & OP)) {
            return;
        }
        // No bio has the status yet.
        let status = m.arg(1) & 0xff;
        let mut bio = m.field(Field::RequestBio, request);
        let mut lost = 0u64;
        for n in 0..=MAX_BIOS {
            if bio == 0 {
                break;
            }
            if n == MAX_BIOS {
                lost = lost.wrapping_add(1);
                break;
            }
            let size = m.field(Field::BioSize, bio);
            // A request whose data are done was reported before its flush.
            let was_told = size == 0 && m.field(Field::BioIoVec, bio) != 0;
            if !was_told {
                let Some(left) = bytes.checked_sub(size) else { break };
                bytes = left;
                match m.has_time() {
                    true => fire(&[bio, self.dentry(bio), status]),
                    false => lost = lost.wrapping_add(1),
                }
            }
            bio = m.field(Field::BioNext, bio);
        }
        if lost != 0 {
            m.lose(lost);
        }
    }
}

/// Evaluates a row for an event: calls `fire` with the probe's arguments, as often as the probe
/// fires.
pub fn run(
    when: &[When],
    each: Each,
    values: &[Value],
    machine: &impl Machine,
    fire: &mut dyn FnMut(&[u64]),
) {
    let mut event = Event(machine, Taken::default());
    if let Each::Ends(by) = each {
        // The thing ends even if the row's conditions do not hold.
        match machine.taken(by.map(|n| machine.arg(n))) {
            Some(taken) => event.1 = taken,
            None => return,
        }
    }
    if !when.iter().all(|w| event.holds(*w)) {
        return;
    }
    match each {
        // CAST: an `unsigned int`.
        Each::Bio(request, bytes) => {
            return event.bios(machine.arg(request), u64::from(machine.arg(bytes) as u32), fire);
        }
        Each::Begins(what, mark) => return machine.keep(machine.arg(what), event.value(mark)),
        Each::One | Each::Ends(_) => {}
    }
    let mut made = [0; MAX_VALUES];
    for (to, value) in made.iter_mut().zip(values) {
        *to = event.value(*value);
    }
    fire(made.get(..values.len()).unwrap_or(&made));
}
