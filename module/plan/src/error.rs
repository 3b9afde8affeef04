// SPDX-License-Identifier: GPL-2.0
//! The reasons for refusals, each with a type, an errno and a sentence.

use crate::code::BUDGET;
use crate::report::Text;
use abi::action::ActionKind;
use abi::option::OptionId;
use core::fmt;
use mem::{code, AllocError, Errno};

/// The reason why a probe could not be enabled; the words reach the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnableError {
    /// The place has other bytes than the provider left there, or another tracer uses it.
    Busy(&'static str),
    /// This kernel does not have the required functions.
    Unsupported(&'static str),
    /// No memory.
    Memory,
    /// The code of the probe is going away.
    Gone,
}

impl EnableError {
    /// Returns the words for the user.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Busy(why) | Self::Unsupported(why) => why,
            Self::Memory => "no memory",
            Self::Gone => "its module is being unloaded, or its process ends",
        }
    }
}

impl fmt::Display for EnableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// A refusal. Nothing has changed.
pub enum Error {
    /// No memory.
    Memory,
    /// There is no memory for the size of an option, in bytes.
    Short(OptionId, u64),
    /// The records of END have no room in a buffer.
    End,
    /// A clause's record does not fit in a buffer, even alone.
    Large,
    /// The task may not trace.
    Privileges,
    /// The kernel may not be traced.
    LockedDown,
    /// The kernel may be traced, but tracing may change nothing.
    LockedForWrites,
    /// The task may trace, but not change anything.
    MayNotDestroy,
    /// The task may not change the memory of this process.
    NotDebuggable,
    /// The module's parameter forbids all changes.
    Forbidden,
    /// There is no CPU with this number, or it is offline.
    Cpu(u64),
    /// The bytes are not a DOF that we understand.
    Dof(dof::DofError),
    /// The verifier rejects an object; the text has its errors.
    Verify(Text),
    /// An expression could take this many steps.
    Steps(u32),
    /// An option does not exist, or its value is out of bounds.
    Option(u32, u64),
    /// This version does not have the action.
    Action(ActionKind),
    /// An action that needs an expression has none, or one that needs none has one.
    ActionShape(ActionKind),
    /// The action is destructive, and `-x destructive` is not set.
    Destructive(ActionKind),
    /// A variable is declared differently in two objects.
    Variable(u32),
    /// There is more of something than the kernel keeps for one consumer.
    TooMany(&'static str),
    /// Other files have the places where the rows of this file could be.
    Taken,
    /// The unwinding rows of a file are malformed; this was expected.
    Rows(&'static str),
    /// The consumer is in another phase.
    Phase(&'static str),
    /// A provider could not enable a probe.
    Enable(Text, EnableError),
    /// A probe's name is too long or has a NUL.
    ProbeName,
    /// Nothing has this number.
    NoSuch(&'static str),
    /// The user's buffer is too small.
    NoRoom(usize),
    /// The user's memory is not accessible, or another errno of the kernel.
    Kernel(Errno),
}

impl Error {
    /// Returns the errno of the ioctl. This is the only such table.
    pub fn errno(&self) -> Errno {
        match self {
            Self::Memory | Self::Short(..) | Self::Enable(_, EnableError::Memory) => code::ENOMEM,
            Self::Dof(_) | Self::Verify(_) | Self::Variable(_) | Self::ProbeName => code::EINVAL,
            Self::Option(..) | Self::ActionShape(_) | Self::Cpu(_) | Self::Rows(_) => code::EINVAL,
            Self::Action(_) | Self::Enable(_, EnableError::Unsupported(_)) => code::ENOTSUPP,
            Self::Privileges | Self::LockedDown | Self::LockedForWrites => code::EPERM,
            Self::MayNotDestroy | Self::NotDebuggable | Self::Forbidden => code::EPERM,
            Self::Destructive(_) => code::EACCES,
            Self::TooMany(_) | Self::Steps(_) => code::E2BIG,
            Self::Phase(_) | Self::Enable(_, EnableError::Busy(_)) => code::EBUSY,
            Self::Enable(_, EnableError::Gone) => code::ENODEV,
            Self::NoSuch(_) => code::ENOENT,
            Self::NoRoom(_) | Self::End | Self::Large | Self::Taken => code::ENOSPC,
            Self::Kernel(e) => *e,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("the kernel has no memory for this"),
            Self::Short(id, size) => write!(
                f,
                "the kernel has no memory for {} of {size} bytes; a smaller one, or bufresize=auto, helps",
                id.name()
            ),
            Self::Privileges => f.write_str(
                "DTrace requires additional privileges: CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF",
            ),
            Self::LockedDown => f.write_str(
                "the kernel is locked down: nobody may read its memory until it is booted without lockdown",
            ),
            Self::LockedForWrites => f.write_str(
                "the kernel is locked down (by Secure Boot or lockdown=): it forbids destructive actions (-w) and probes in programs (pid, USDT)",
            ),
            Self::MayNotDestroy => f.write_str(
                "destructive actions (-w) need CAP_SYS_ADMIN; CAP_PERFMON and CAP_BPF allow tracing only",
            ),
            Self::NotDebuggable => f.write_str(
                "a probe changes the text of its process, so the caller must have the right to debug that process: as its owner, or by CAP_SYS_PTRACE",
            ),
            Self::Forbidden => f.write_str(
                "destructive actions (-w) are forbidden here: the module parameter \"destructive\" is 0",
            ),
            Self::End => f.write_str("END enablings exceed size of principal buffer"),
            Self::Large => f.write_str("Enabling exceeds size of buffer"),
            Self::Cpu(n) => write!(f, "option cpu: there is no CPU {n}, or it is off"),
            Self::Dof(e) => write!(f, "malformed enabling: {e}"),
            Self::Verify(t) => write!(f, "the DIF verifier rejects the program:\n{t}"),
            Self::Steps(n) => write!(
                f,
                "an expression may take up to {n} steps, but a firing may take at most {}: divide the expression, or lower strsize",
                BUDGET
            ),
            Self::Option(id, value) => match OptionId::from_number(*id) {
                Some(o) => {
                    let (least, most) = o.bounds();
                    write!(f, "option {}: {value} is not in {least}..={most}", o.name())
                }
                None => write!(f, "unknown option {id}"),
            },
            Self::Action(ActionKind::Breakpoint) => f.write_str(
                "breakpoint() is not supported: there is no kernel debugger, and without one the \
                 machine would stop for good",
            ),
            Self::Action(k) => {
                write!(f, "action {}() ({:#x}) is not supported yet", k.name(), k.number())
            }
            Self::ActionShape(k) => {
                write!(f, "action {}() ({:#x}) has malformed arguments", k.name(), k.number())
            }
            Self::Destructive(k) => {
                write!(f, "destructive actions not allowed: {}() needs -w", k.name())
            }
            Self::Variable(id) => {
                write!(f, "variable {id:#x} is declared differently in two DIF objects")
            }
            Self::TooMany(what) => write!(f, "too many {what}"),
            Self::Taken => f.write_str("other files have the places for the rows of this file"),
            Self::Rows(want) => write!(f, "malformed description of frames: expected {want}"),
            Self::Phase(what) => f.write_str(what),
            Self::Enable(probe, e) => write!(f, "cannot enable {probe}: {e}"),
            Self::ProbeName => f.write_str("a part of a probe's name is too long"),
            Self::NoSuch(what) => write!(f, "no such {what}"),
            Self::NoRoom(need) => write!(f, "the buffer given is too small: {need} bytes needed"),
            Self::Kernel(e) => write!(f, "errno {}", e.to_errno()),
        }
    }
}

impl From<AllocError> for Error {
    fn from(_: AllocError) -> Self {
        Self::Memory
    }
}

impl From<Errno> for Error {
    fn from(e: Errno) -> Self {
        if e == code::ENOMEM {
            Self::Memory
        } else {
            Self::Kernel(e)
        }
    }
}

impl From<dof::DofError> for Error {
    fn from(e: dof::DofError) -> Self {
        Self::Dof(e)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
