// SPDX-License-Identifier: GPL-2.0
//! Statically defined probes for kernel drivers in Rust:
//! `dtrace_probe!(provider, module, function, name, args...)`.
//!
//! ```ignore
//! #[path = ".../dtrace_sdt.rs"]
//! #[macro_use]
//! mod dtrace_sdt;
//!
//! dtrace_probe!(hworld, open_module, open1, entry, num_opens);
//! ```
//!
//! It makes the same point as `DTRACE_PROBE1` of `dtrace/sdt.h` in its nop form: five bytes that do
//! nothing and a record. That header describes the record, the registers of the arguments and the
//! rules for names. An argument can be any expression that `as u64` accepts: integers, `bool`,
//! `char`, raw pointers. There are up to eight; they are evaluated once, in the order written.

/// A point of interest that DTrace lists as provider:module:function:name.
#[macro_export]
macro_rules! dtrace_probe {
    ($p:ident, $m:ident, $f:ident, $n:ident $(, $arg:expr)* $(,)?) => {
        $crate::__dtrace_point!(($p $m $f $n) ("0") (
            ("1" "rdi" a) ("2" "rsi" b) ("3" "rdx" c) ("4" "rcx" d) ("5" "r8" e) ("6" "r9" f) ("7" "r10" g) ("8" "r11" h)
        ) $($arg),*)
    };
}

/// Gives each argument a name and a register, then makes the point. Do not use it directly.
///
/// `asm!` has no `%=`, so the assembler must number the records: a symbol counts up, and a macro in
/// altmacro mode, where `%` gives its value, makes a label of it. The label is set rather than
/// written with a colon because rustc cannot see that it is unique.
#[doc(hidden)]
#[macro_export]
macro_rules! __dtrace_point {
    ($names:tt ($_n:literal $($done:tt)*) (($nargs:literal $reg:tt $name:ident) $($pool:tt)*)
        $arg:expr $(, $more:expr)*) => {{
        // Only `as` accepts all types.
        #[allow(clippy::cast_lossless, clippy::unnecessary_cast, trivial_numeric_casts)]
        let $name = $arg as u64;
        $crate::__dtrace_point!($names ($nargs $($done)* $reg $name) ($($pool)*) $($more),*)
    }};
    ($names:tt $done:tt () $arg:expr $(, $more:expr)*) => {
        compile_error!("a probe takes at most eight arguments")
    };
    (($p:ident $m:ident $f:ident $n:ident) ($nargs:literal $($reg:tt $name:ident)*) $pool:tt) => {
        // SAFETY: The text is a five-byte nop and data in other sections. While the probe is
        // enabled, the nop is a call, which returns with all registers and flags unchanged. It
        // pushes to memory below the stack pointer, where kernel code keeps nothing.
        unsafe {
            ::core::arch::asm!(
                ".pushsection .discard.annotate_insn, \"M\", @progbits, 8",
                ".long 771f - ., 1", // ANNOTYPE_NOENDBR: nobody jumps here
                ".popsection",
                "771:",
                ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00",
                ".ifndef .Ldtrace_points",
                ".set .Ldtrace_points, 0",
                ".endif",
                ".set .Ldtrace_points, .Ldtrace_points + 1",
                ".pushsection .dtrace_sdt, \"a\", @progbits",
                ".balign 4",
                ".altmacro",
                ".macro __dtrace_record point",
                concat!(".set __dtrace_sdt.", stringify!($p), "___", stringify!($m), "___", stringify!($f), "___",
                    stringify!($n), ".\\point, ."),
                ".endm",
                "__dtrace_record %.Ldtrace_points",
                ".purgem __dtrace_record",
                ".noaltmacro",
                ".long 771b - .",
                ".long 772f - .",
                concat!(".short 0, ", $nargs),
                ".long 0x31544453",
                ".popsection",
                ".pushsection .dtrace_sdt_names, \"a\", @progbits",
                "772:",
                concat!(".asciz \"", stringify!($p), "\", \"", stringify!($m), "\", \"", stringify!($f), "\", \"",
                    stringify!($n), "\""),
                ".popsection",
                $(in($reg) $name,)*
                options(att_syntax, nostack, preserves_flags)
            )
        }
    };
}
