// SPDX-License-Identifier: GPL-2.0
//! An event as it comes from the kernel, to what its probe passes: small words that the table is written
//! in, and what they mean. Pure: what must be asked of the machine is asked through [`Machine`].

macro_rules! fields {
    ($($name:ident),* $(,)?) => {
        /// A member of a structure of the kernel, by its place in `rust/kapi/helpers/field.c`, whose rows have
        /// the same names in the same order (`tests/fields.rs`).
        #[allow(missing_docs, reason = "they are the kernel's own names")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Field { $($name),* }
        impl Field {
            /// All of them.
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

/// Whom an event happens to.
pub trait Machine {
    /// What the event passes; of a function that returns the value alone.
    fn arg(&self, n: u32) -> u64;
    /// What a structure has; 0 if it cannot be read.
    fn field(&self, field: Field, base: u64) -> u64;
    /// The `task_struct` of who runs.
    fn current(&self) -> u64;
    /// The number of this CPU.
    fn cpu(&self) -> u32;
    /// The `cpuinfo_x86` of a CPU.
    fn cpu_info(&self, cpu: u32) -> u64;
    /// The dentry that has its inode's link there.
    fn dentry_of(&self, alias: u64) -> u64;
    /// The flag of block devices that take bios by a function of their own.
    fn submits_bios(&self) -> u64;
    /// The flag of folios that have several pages.
    fn large_folio(&self) -> u64;
    /// Keeps that who runs has begun this; a second time it keeps the mark only, with the first one's.
    fn keep(&self, what: u64, mark: u64);
    /// Takes what who runs has begun: this, or what came last. `None`: nothing; else it and how long ago it was, in ns.
    fn taken(&self, what: Option<u64>) -> Option<Taken>;
}

/// What was begun where an event begins, as it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// What.
    pub what: u64,
    /// For how long, in ns.
    pub elapsed: u64,
    /// What was said of it.
    pub mark: u64,
}

/// When an event counts. All of a row's conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// This argument, a `bool`, is set; or is not.
    Is(u32),
    /// It is not.
    IsNot(u32),
    /// This argument, an `int`, is this number.
    Equals(u32, i32),
    /// It is none of these.
    NoneOf(u32, &'static [i32]),
    /// It is above 0.
    Positive(u32),
    /// It is below 0.
    Negative(u32),
    /// It is 0 or above.
    NotNegative(u32),
    /// Of this argument, these bits are so.
    Bits(u32, u64, u64),
    /// Of a member of a structure, these bits are so.
    BitsOf(Field, u32, u64, u64),
    /// This argument is no null pointer.
    There(u32),
    /// The task of this argument is the first thread of its process.
    Leader(u32),
    /// Who runs is the first thread of its process.
    CurrentLeads,
    /// Who runs has got a CPU for the first time.
    FirstRun,
    /// Who runs gives the CPU away to wait for something: `preempt` in this argument, what it waits in in
    /// the other.
    Sleeps(u32, u32),
    /// Who runs must give the CPU away, and could go on; the same arguments.
    Preempted(u32, u32),
    /// The CPU of this argument is another one.
    OtherCpu(u32),
    /// The task of this argument runs, and the signal of the others (number, `siginfo`) says that the
    /// processor stopped it.
    Fault(u32, u32, u32),
    /// The handler of this argument's `k_sigaction` is not to ignore the signal.
    Handled(u32),
    /// The niceness of this argument's task is not this number.
    OtherNice(u32, u32),
    /// The bio of this argument goes to a function of its device's, not into a request.
    Submitted(u32),
    /// This argument is a null pointer.
    Null(u32),
    /// The member of this argument's structure is this.
    Has(Field, u32, u64),
    /// The IP header of this argument's packet is followed by this protocol's.
    Carries(u32, u64),
    /// In the TCP header of this argument's packet, the bits of the member under the mask are these.
    Tcp(Field, u32, u64, u64),
    /// This argument is a pointer, not an error in its place.
    NotError(u32),
    /// Of what was said as it began, these bits are so.
    Mark(u64, u64),
}

/// What an argument of a probe is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// This number.
    Number(u64),
    /// This argument, 64 bits.
    Raw(u32),
    /// An `int`.
    Int(u32),
    /// Its negative.
    Errno(u32),
    /// This bit of an argument.
    Bit(u32, u32),
    /// Who runs.
    Current,
    /// The CPU of this argument's task.
    CpuOf(u32),
    /// A member of a structure.
    Of(Field, u32),
    /// Pages that as many bytes need as a member of a structure says.
    PagesOf(Field, u32),
    /// The number of pages of this argument's folio.
    FolioPages(u32),
    /// Why this argument's task ends: as a parent is told.
    ExitReason(u32),
    /// What the processor stopped for: of a signal's number and `siginfo`.
    FaultCode(u32, u32),
    /// The priority that a niceness is.
    NicePri(u32),
    /// The priority that a `sched_attr` asks for.
    AttrPri(u32),
    /// The dentry of the file that this argument's bio reads or writes, or 0.
    Dentry(u32),
    /// A null pointer.
    Null,
    /// The IP header of this argument's packet, if it is of this version; else 0.
    Ip(u32, u64),
    /// What follows the IP header of this argument's packet.
    Transport(u32),
    /// What it began with.
    Kept,
    /// How long ago that was, in ns.
    Elapsed,
    /// Of what was said then, what is left of a shift, under a mask.
    Marked(u32, u64),
    /// As [`Value::Dentry`], of the bio that it began with.
    KeptDentry,
}

/// How often an event fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Once.
    One,
    /// For each bio of this argument's request that these many bytes complete: the bio is the first
    /// argument, its file's dentry the second, the status the third, which is the event's second.
    Bio(u32, u32),
    /// Not at all: it begins. This argument is kept for who runs, and what is said of it.
    Begins(u32, Value),
    /// Once, if it had begun: with this argument, or who runs with anything.
    Ends(Option<u32>),
}

/// Arguments of a probe.
pub const MAX_VALUES: usize = 6;

/// Bios of a request; what is behind them is not told of.
const MAX_BIOS: u32 = 1 << 12;

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

/// `REQ_OP_DRV_IN` and `_OUT`: what is no data of a device's, and came there as no bio.
const PASSED_THROUGH: [u64; 2] = [34, 35];
/// The operation in `cmd_flags`.
const OP: u64 = 0xff;
const PAGE_SHIFT: u32 = 12;
const PAGE: u64 = 1 << PAGE_SHIFT;
/// Priorities of the kernel: of niceness 0, and of the lowest real-time priority.
const DEFAULT_PRIO: u64 = 120;
const MAX_RT_PRIO: u64 = 100;
/// The state of who has ended.
const TASK_DEAD: i32 = 0x80;

/// What pointers are that are errors.
const ERRORS: u64 = 4095;

/// An event, asked; and what it had begun with.
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
        // What a program sends has no positive code, or no memory of its own.
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
                // Who is 0 has nothing to do.
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
        }
    }

    fn value(&self, value: Value) -> u64 {
        let m = self.0;
        // CAST: with its sign.
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

    /// A packet's IP header, and its version.
    fn ip(&self, skb: u64) -> (u64, u64) {
        let of = |field| self.0.field(field, skb);
        let header = of(Field::SkbHead).wrapping_add(of(Field::SkbNetworkHeader));
        (header, self.0.field(Field::IpVersion, header) >> 4)
    }

    fn transport(&self, skb: u64) -> u64 {
        let of = |field| self.0.field(field, skb);
        of(Field::SkbHead).wrapping_add(of(Field::SkbTransportHeader))
    }

    /// The dentry of the file whose pages a bio has, or 0.
    fn dentry(&self, bio: u64) -> u64 {
        let way = [Field::BioIoVec, Field::BioVecPage, Field::PageMapping];
        let mapping = way.iter().fold(bio, |at, field| self.0.field(*field, at));
        // What a process or the kernel has for itself is marked so.
        if mapping & 3 != 0 {
            return 0;
        }
        let inode = self.0.field(Field::MappingHost, mapping);
        match self.0.field(Field::InodeAlias, inode) {
            0 => 0,
            alias => self.0.dentry_of(alias),
        }
    }

    /// The bios of a request, before they are marked as done.
    fn bios(&self, request: u64, mut bytes: u64, fire: &mut dyn FnMut(&[u64])) {
        let m = self.0;
        if PASSED_THROUGH.contains(&(m.field(Field::RequestCmdFlags, request) & OP)) {
            return;
        }
        // It is in none of them yet.
        let status = m.arg(1) & 0xff;
        let mut bio = m.field(Field::RequestBio, request);
        for _ in 0..MAX_BIOS {
            if bio == 0 {
                return;
            }
            let size = m.field(Field::BioSize, bio);
            // Of one that had data and has none left it was told before its flush.
            let was_told = size == 0 && m.field(Field::BioIoVec, bio) != 0;
            if !was_told {
                let Some(left) = bytes.checked_sub(size) else { return };
                bytes = left;
                fire(&[bio, self.dentry(bio), status]);
            }
            bio = m.field(Field::BioNext, bio);
        }
    }
}

/// What an event comes to: `fire` is called with the probe's arguments, as often as it fires.
pub fn run(
    when: &[When],
    each: Each,
    values: &[Value],
    machine: &impl Machine,
    fire: &mut dyn FnMut(&[u64]),
) {
    let mut event = Event(machine, Taken::default());
    if let Each::Ends(by) = each {
        // It is over, whether that counts or not.
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
