// SPDX-License-Identifier: GPL-2.0
//! Faults: what can go wrong while a DIF object runs. The ERROR probe reports them.

/// Calls a macro with every fault: `(number, Variant, "text")`.
#[macro_export]
macro_rules! for_each_fault {
    ($m:ident) => {
        $m! {
            (1, BadAddr, "invalid address"),
            (2, BadAlign, "invalid alignment"),
            (3, IllOp, "illegal operation"),
            (4, DivZero, "divide-by-zero"),
            (5, NoScratch, "out of scratch space"),
            (6, KPriv, "invalid kernel access"),
            (7, UPriv, "invalid user access"),
            (8, TupOflow, "tuple stack overflow"),
            (9, BadStack, "bad stack"),
        }
    };
}

macro_rules! define_faults {
    ($(($num:literal, $variant:ident, $text:literal)),* $(,)?) => {
        /// The kind of a fault; the number is arg4 of `dtrace:::ERROR`.
        #[allow(missing_docs, reason = "the text is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum FaultKind { $($variant = $num),* }
        impl FaultKind {
            /// Returns the fault with this number.
            pub const fn from_number(n: u32) -> Option<FaultKind> {
                match n { $($num => Some(FaultKind::$variant),)* _ => None }
            }
            /// Returns the text that the consumer prints.
            pub const fn text(self) -> &'static str {
                match self { $(FaultKind::$variant => $text),* }
            }
        }
    };
}
for_each_fault!(define_faults);
