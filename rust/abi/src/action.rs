// SPDX-License-Identifier: GPL-2.0
//! Actions, the parts of a clause: kinds, classes, numbers.

/// Calls a macro with every action: `(number, Variant, "D name")`.
#[macro_export]
macro_rules! for_each_action {
    ($m:ident) => {
        $m! {
            (0, None, ""),
            (1, DifExpr, "trace"),
            (2, Exit, "exit"),
            (3, Printf, "printf"),
            (4, Printa, "printa"),
            (5, LibAct, ""),
            (6, Tracemem, "tracemem"),
            (7, TracememDynsize, "tracemem"),
            (0x101, Ustack, "ustack"), (0x102, Jstack, "jstack"),
            (0x103, Usym, "usym"), (0x104, Umod, "umod"), (0x105, Uaddr, "uaddr"),
            (0x201, Stop, "stop"), (0x202, Raise, "raise"),
            (0x203, System, "system"), (0x204, Freopen, "freopen"),
            (0x401, Stack, "stack"), (0x402, Sym, "sym"), (0x403, Mod, "mod"),
            (0x501, Breakpoint, "breakpoint"), (0x502, Panic, "panic"), (0x503, Chill, "chill"),
            (0x601, Speculate, "speculate"), (0x602, Commit, "commit"), (0x603, Discard, "discard"),
            (0x701, Count, "count"), (0x702, Min, "min"), (0x703, Max, "max"),
            (0x704, Avg, "avg"), (0x705, Sum, "sum"), (0x706, Stddev, "stddev"),
            (0x707, Quantize, "quantize"), (0x708, Lquantize, "lquantize"),
            (0x709, Llquantize, "llquantize"),
        }
    };
}

macro_rules! define_actions {
    ($(($num:literal, $variant:ident, $name:literal)),* $(,)?) => {
        /// Kind of an action; the number crosses the ioctl boundary.
        #[allow(missing_docs, reason = "the D name is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum ActionKind { $($variant = $num),* }
        impl ActionKind {
            /// Returns the kind with this number.
            pub const fn from_number(n: u32) -> Option<ActionKind> {
                match n { $($num => Some(ActionKind::$variant),)* _ => None }
            }
            /// Returns the name of the D function, "" for kinds that have none.
            pub const fn name(self) -> &'static str {
                match self { $(ActionKind::$variant => $name),* }
            }
            /// Returns the number.
            pub const fn number(self) -> u32 {
                self as u32
            }
        }
    };
}
for_each_action!(define_actions);

impl ActionKind {
    /// Tells whether the action changes the system or a process, and so needs `-w`.
    pub const fn is_destructive(self) -> bool {
        matches!(self.number() & 0xff00, 0x200 | 0x500)
    }
    /// Tells whether it is an aggregating function.
    pub const fn is_aggregating(self) -> bool {
        self.number() & 0xff00 == 0x700
    }
}

/// The request of a [`ActionKind::LibAct`] to the consumer, which carries it out when it reads the
/// record. It is the action's `arg`; the datum is the number of the aggregation (u32, from 1).
/// `Normalize`, and `Trunc` with a count, are two actions of one statement: the second one carries
/// the operand (8 bytes).
#[allow(missing_docs, reason = "the D name is the documentation")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum LibAct {
    Clear = 1,
    Normalize = 2,
    Denormalize = 3,
    Trunc = 4,
    /// Concerns no aggregation, so it has no datum.
    Ftruncate = 5,
    /// Concerns no aggregation: the data are the name of an option and, if it has one, its value.
    Setopt = 6,
}
