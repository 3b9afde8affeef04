// SPDX-License-Identifier: GPL-2.0
//! One datum of a record or a key: where its bytes are and what they stand for.

use abi::action::ActionKind;
use abi::record::RecDesc;
use d::ValueType;

/// Returns the bytes that a record description names, if the record is long enough.
pub fn bytes<'a>(record: &'a [u8], rec: &RecDesc) -> Option<&'a [u8]> {
    let start = usize::try_from(rec.offset).ok()?;
    record.get(start..start.checked_add(usize::try_from(rec.size).ok()?)?)
}

/// Returns the bytes as a signed integer, if they have the size of one.
#[inline]
pub fn signed(bytes: &[u8]) -> Option<i64> {
    Some(match *bytes {
        [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        [a] => i64::from(a as i8),
        [a, b] => i64::from(i16::from_le_bytes([a, b])),
        _ => return None,
    })
}

/// Returns the bytes as a zero-extended integer, if they have the size of one.
#[inline]
pub fn unsigned(bytes: &[u8]) -> Option<u64> {
    Some(match *bytes {
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        _ => return None,
    })
}

/// Tells whether a type is an unsigned integer.
pub fn is_unsigned(ty: ValueType) -> bool {
    matches!(ty, ValueType::Int { signed: false, .. } | ValueType::Pointer)
}

/// Tells whether the action records a stack.
pub fn is_stack(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Stack | ActionKind::Ustack | ActionKind::Jstack)
}

/// Tells whether the action records an address that is printed as a symbol.
pub fn is_symbol(kind: ActionKind) -> bool {
    matches!(
        kind,
        ActionKind::Sym | ActionKind::Mod | ActionKind::Usym | ActionKind::Umod | ActionKind::Uaddr
    )
}
