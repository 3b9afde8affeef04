// SPDX-License-Identifier: GPL-2.0
//! The reasons why a function has no probe. The module answers EXPLAIN with a number and, if the
//! sentence has a place for one, a related name; the consumer makes a sentence of them.
//!
//! In a sentence, `{f}` stands for the function that was asked for, or for the probe if there is no
//! function, and `{s}` for the related name.

use core::fmt;

/// Calls a macro with every reason: `(number, Variant, "sentence")`.
#[macro_export]
macro_rules! for_each_reason {
    ($m:ident) => {
        $m! {
            (1, Unknown, "neither the kernel nor a loaded module has a symbol {f}"),
            (2, Noinstr, "{f} is noinstr: it runs where the kernel allows no instrumentation"),
            (3, EntryCode, "{f} belongs to the kernel's entry code, which no probe may interrupt"),
            (4, KprobeBlacklist, "{f} is on the kernel's list of functions that must not be probed (NOKPROBE_SYMBOL)"),
            (5, FirePath, "{f} may run whenever a probe fires: a probe in it would fire itself"),
            (6, StaticCall, "{f} is a static call's trampoline: the kernel rewrites it while it runs"),
            (7, Padding, "{f} is the padding before {s}, not a function"),
            (8, NotFunction, "{f} is not a function: it is data, or a place inside of {s}"),
            (9, InitText, "{f} runs only at the start or end of its module or of the kernel: its memory has been freed"),
            (10, Undecodable, "the first bytes of {f} are not an instruction that the decoder knows"),
            (11, TrapsAtOnce, "{f} begins with an instruction that traps (ud2 or int3)"),
            (12, LoopHead, "{f} begins with the head of a loop: a probe there would fire in every iteration"),
            (13, MayFault, "{f} begins with an instruction that may fault, and the kernel knows it by its address"),
            (14, NeverReturns, "{f} never returns to its caller"),
            (15, OtherModule, "{f} is in module {s}"),
            (16, Clone, "the compiler removed {f}: its code is in {s}"),
            (17, Reserved, "{f} begins with an instruction that the kernel rewrites: a static call, a jump label, or a livepatch's relocation"),
            (18, TooLarge, "{f} is too large to search for its returns"),
            (19, NameTooLong, "the name {f} is longer than a probe description can hold"),
            (20, Own, "{f} belongs to DTrace itself"),
            (21, Changed, "another tracer had changed the first bytes of {f} when dtrace read its code"),
            (22, Alias, "{f} is another name of {s}, whose probe fires for both"),
            (23, Generated, "{f} was generated while the kernel ran (a BPF program, a trampoline)"),
            (24, UndecodableBody, "the decoder cannot follow the code of {f} to its returns"),
            (25, NoReturnSite, "{f} returns by a jump that the kernel rewrites: a static call, or a livepatch's relocation"),
            (26, NoMemory, "there was no memory for a probe of {f}"),
            (27, Off, "function probes are off: the kernel log says why, at the time when the module was loaded"),
            (28, NoEvent, "{f} needs the event {s}, which does not exist in this kernel, or is in code that cannot be traced"),
            (29, Unready, "{f} runs while a CPU cannot take a breakpoint: when it comes online, goes offline, resumes, or starts another kernel"),
            (30, NoCounter, "{f} needs a counter of the processor ({s}) that this machine does not have; a virtual machine has only those that its host offers"),
            (31, FirstJump, "{f} begins with a jump within itself: a breakpoint would hide it from the kernel, which must see it to optimise a kprobe in {f}"),
        }
    };
}

macro_rules! define_reasons {
    ($(($num:literal, $variant:ident, $text:literal)),* $(,)?) => {
        /// Why there is no probe.
        #[allow(missing_docs, reason = "the sentence is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Reason { $($variant = $num),* }
        impl Reason {
            /// All reasons.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant),*];
            /// Returns the reason with this number.
            pub const fn from_number(n: u32) -> Option<Reason> {
                match n { $($num => Some(Reason::$variant),)* _ => None }
            }
            /// Returns its name in the table.
            pub const fn name(self) -> &'static str {
                match self { $(Reason::$variant => stringify!($variant)),* }
            }
            /// Returns the sentence with its places unfilled.
            pub const fn text(self) -> &'static str {
                match self { $(Reason::$variant => $text),* }
            }
        }
    };
}
for_each_reason!(define_reasons);

impl Reason {
    /// Tells whether its sentence has a place for a related name.
    pub fn has_symbol(self) -> bool {
        self.text().contains("{s}")
    }

    /// Returns the sentence about a function.
    pub fn sentence<'a>(self, function: &'a str, symbol: &'a str) -> Sentence<'a> {
        Sentence { reason: self, function, symbol }
    }
}

/// A reason's sentence with its places filled, without a period.
#[derive(Debug, Clone, Copy)]
pub struct Sentence<'a> {
    reason: Reason,
    function: &'a str,
    symbol: &'a str,
}

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.reason.text();
        while let Some((before, after)) = rest.split_once('{') {
            out.write_str(before)?;
            let (place, after) = after.split_once('}').unwrap_or((after, ""));
            let fill = match place {
                "f" => self.function,
                _ if self.symbol.is_empty() => "another one",
                _ => self.symbol,
            };
            out.write_str(fill)?;
            rest = after;
        }
        out.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn numbers_and_sentences() {
        for (i, &r) in Reason::ALL.iter().enumerate() {
            assert_eq!(r as usize, i + 1, "numbers ascend without a gap");
            assert_eq!(Reason::from_number(r as u32), Some(r));
            let text = r.sentence("vfs_read", "ext4").to_string();
            assert!(!text.contains(['{', '}']) && !text.ends_with('.'), "{text}");
            assert_eq!(text.contains("ext4"), r.has_symbol());
        }
        assert_eq!(Reason::from_number(0), None);
        assert_eq!(
            Reason::Clone.sentence("f", "f.isra.0").to_string(),
            "the compiler removed f: its code is in f.isra.0"
        );
    }
}
