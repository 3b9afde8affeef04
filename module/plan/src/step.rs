// SPDX-License-Identifier: GPL-2.0
//! The steps of a clause, and where each puts its value.

use crate::code::Code;
use abi::aggregation::AggFunc;
use abi::dif::Builtin;
use abi::ids::AggId;
use abi::probe::PART_LENS;
use buffers::speculation::End;

/// The most bytes of one record, and of one aggregation's key.
pub const MAX_RECORD: usize = 256 << 10;

/// The bytes of a thread's name, with its NUL.
pub const COMM_LEN: usize = 16;

/// A value at an offset of a record or key.
#[derive(Clone, Copy)]
pub struct Datum {
    /// The offset in bytes.
    pub offset: usize,
    /// The bytes of its room.
    pub size: usize,
    /// How it is stored.
    pub form: Form,
}

/// The way to store the value of an expression.
#[derive(Clone, Copy)]
pub enum Form {
    /// The value itself.
    Value,
    /// The bytes that it points to.
    Bytes,
    /// The string that it points to.
    String,
    /// The process, then the value, which is an address in it.
    OfProcess,
}

/// The owner of a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The stack of the kernel.
    Kernel,
    /// The stack of the process: its id, then the frames.
    Process,
}

/// The most frames of a stack.
pub const MAX_FRAMES: u32 = 512;

/// A string that needs no evaluation of an expression.
#[derive(Clone, Copy)]
pub enum Name {
    /// The name of the thread.
    Execname,
    /// A part of the probe's name.
    Probe(usize),
}

impl Name {
    /// Returns the string and its cost, if an object only loads a builtin string.
    pub(crate) fn of(code: &Code) -> Option<(Self, u32)> {
        let (builtin, cost) = code.quick().builtin()?;
        let name = match builtin {
            Builtin::Execname => Self::Execname,
            Builtin::Probeprov => Self::Probe(0),
            Builtin::Probemod => Self::Probe(1),
            Builtin::Probefunc => Self::Probe(2),
            Builtin::Probename => Self::Probe(3),
            _ => return None,
        };
        Some((name, cost))
    }

    /// Returns the most bytes that it takes, with its NUL.
    pub(crate) fn most(self) -> usize {
        match self {
            Self::Execname => COMM_LEN,
            Self::Probe(n) => PART_LENS.get(n).copied().unwrap_or(0),
        }
    }
}

/// One step of a clause.
#[allow(clippy::large_enum_variant, reason = "a clause has few steps, which are read in order")]
pub enum Step {
    /// Store a value.
    Record(Code, Datum),
    /// Store a string that needs no evaluation; its cost is that of the expression.
    RecordName(Name, Datum, u32),
    /// Store the status and end the tracing.
    Exit(Code, Datum),
    /// Evaluate for the effects: an assignment.
    Evaluate(Code),
    /// Do nothing at probe time; the consumer acts when it reads the record.
    Note,
    /// Store a stack.
    Stack(Whose, Datum),
    /// Send a signal to the process; `None`: stop it.
    Signal(Option<Code>),
    /// Spend this many nanoseconds.
    Chill(Code),
    /// Stop the machine.
    Panic,
    /// Record the following steps in the speculation with this id.
    Speculate(Code),
    /// End the speculation with this id.
    EndSpeculation(Code, End),
    /// Add a value to the key of the next aggregation.
    Key(Code, Datum),
    /// Add a stack to that key.
    KeyStack(Whose, Datum),
    /// Add a string that needs no evaluation to that key; its cost is that of the expression.
    KeyName(Name, Datum, u32),
    /// Add a value to an aggregation.
    Aggregate {
        /// The aggregating function.
        func: AggFunc,
        /// The aggregation.
        id: AggId,
        /// The words of the key; 0 without one.
        key_words: usize,
        /// The words of the value.
        words: usize,
        /// The value to add; none for `count()`.
        value: Option<Code>,
        /// The weight of the value; 1 without it.
        weight: Option<Code>,
    },
}

/// Returns the price of finding the value for a key of this many words, and of adding to it.
#[inline]
pub fn price_of_aggregating(func: AggFunc, words: usize) -> u32 {
    let fold = match func {
        // There are up to 64 magnitudes, with a division each.
        AggFunc::Llquantize(_) => 96,
        _ => 2,
    };
    // A chain has up to 64 entries. The key is hashed, compared, and copied if it is new.
    let find = if words == 0 { 0 } else { 24 };
    // CAST: a key has at most MAX_RECORD bytes.
    (words as u32).saturating_add(fold).saturating_add(find)
}
