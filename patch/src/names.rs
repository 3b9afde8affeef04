// SPDX-License-Identifier: GPL-2.0
//! What the name of a symbol says about it.

use abi::reason::Reason;

/// The prefix of the names of padding in front of functions. There are as many such names as
/// functions, so we keep only the prefix.
pub(crate) const PADDING: &[u8] = b"__pfx_";
/// The prefix on a kernel with CFI, where the padding has the type that callers check.
pub(crate) const TYPED: &[u8] = b"__cfi_";

/// Returns the function behind the padding of this name.
pub(crate) fn behind_padding(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(PADDING).or_else(|| name.strip_prefix(TYPED))
}

/// Returns why a name does not stand for a function.
pub(crate) fn not_by_name(name: &[u8]) -> Option<Reason> {
    if behind_padding(name).is_some() {
        return Some(Reason::Padding);
    }
    not_by_prefix(name).or_else(|| is_cold(name).then_some(Reason::NotFunction))
}

/// Works like [`not_by_name`], for a name that is neither padding nor an unlikely half.
pub(crate) fn not_by_prefix(name: &[u8]) -> Option<Reason> {
    if is_static_call(name) {
        return Some(Reason::StaticCall);
    }
    // Few other names have the second and third letter of one of these.
    let [_, a, b, ..] = *name else { return None };
    let row = SECOND_AND_THIRD.get(usize::from(a & 31))?;
    let may_be = (row >> (b & 31)) & 1 == 1;
    (may_be && CODE.iter().any(|prefix| name.starts_with(prefix))).then_some(Reason::EntryCode)
}

/// Tells whether this is the trampoline of a static call: a jump that the kernel rewrites, and whose
/// first byte it checks by `BUG()`. Its alignment is not that of a function.
pub(crate) fn is_static_call(name: &[u8]) -> bool {
    name.starts_with(b"__SCT__")
}

/// Prefixes of names of code that is jumped to rather than called: thunks in place of returns and
/// indirect jumps, the switch between stacks, ftrace's own trampolines. None of it obeys the rules
/// for functions, and not all of it is in the kernel's sections for such code.
const CODE: &[&[u8]] = &[
    b"__x86_",
    b"__pi___x86_",
    b"__fentry__",
    b"__switch_to",
    b"__split_text_",
    b"asm_",
    b"call_depth_return_thunk",
    b"entry_",
    b"ftrace_caller",
    b"ftrace_call",
    b"ftrace_graph_call",
    b"ftrace_graph_ret_",
    b"ftrace_regs_call",
    b"ftrace_stub",
    b"its_return_thunk",
    b"ret_from_fork",
    b"retbleed_",
    b"return_to_handler",
    b"rewind_stack_and_make_dead",
    b"srso_",
    b"xen_entry_",
    b"xen_asm_",
    b"xen_error_entry",
    b"xen_iret",
    b"xen_sysret",
    b"xenpv_",
];

/// The pairs of second and third letters in [`CODE`], as bits. Each letter counts by its low five
/// bits.
static SECOND_AND_THIRD: [u32; 32] = {
    let mut rows = [0; 32];
    let mut left = CODE;
    while let [[_, a, b, ..], rest @ ..] = left {
        if let Some((_, [row, ..])) = rows.split_at_mut_checked((*a & 31) as usize) {
            *row |= 1 << (*b & 31);
        }
        left = rest;
    }
    // Stops early only if a prefix is too short.
    assert!(left.is_empty());
    rows
};

/// Tells whether this is the unlikely half of a function.
pub(crate) fn is_cold(name: &[u8]) -> bool {
    let mut rest = name;
    while let Some(dot) = position(rest, b'.') {
        rest = rest.get(dot.wrapping_add(1)..).unwrap_or_default();
        if matches!(rest.strip_prefix(b"cold"), Some([] | [b'.', ..])) {
            return true;
        }
    }
    false
}

/// Returns the index of the first such byte. `core` has a function that is faster for long texts,
/// but names are short.
fn position(text: &[u8], byte: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let words = text.chunks_exact(8);
    let rest = words.remainder();
    let mut at = 0usize;
    for word in words.filter_map(<[u8]>::first_chunk) {
        let v = u64::from_le_bytes(*word) ^ ONES.wrapping_mul(byte.into());
        // Only the lowest set bit is reliable.
        let zeroes = v.wrapping_sub(ONES) & !v & (ONES << 7);
        if zeroes != 0 {
            return Some(at.wrapping_add((zeroes.trailing_zeros() >> 3) as usize));
        }
        at = at.wrapping_add(8);
    }
    rest.iter().position(|b| *b == byte).map(|n| at.wrapping_add(n))
}
