// SPDX-License-Identifier: GPL-2.0
//! C's conversions: promotion, the common type of two operands, assignability.

use super::{Int, Type};

/// Integer promotion: types smaller than int become int.
pub fn promote(i: Int) -> Int {
    if i.size < 4 {
        Int::INT
    } else {
        i
    }
}

/// Returns the common type of two integers by the usual arithmetic conversions.
pub fn common(a: Int, b: Int) -> Int {
    let (a, b) = (promote(a), promote(b));
    match a.size.cmp(&b.size) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal if b.signed => a,
        std::cmp::Ordering::Equal => b,
    }
}

/// Tells whether a value of type `from` can be stored in a `to`, or passed as a `to`. The caller
/// handles the constant 0 for pointers and strings.
pub fn is_assignable(to: &Type, from: &Type) -> bool {
    match (to, from) {
        (Type::Error, _) | (_, Type::Error) => true,
        (Type::Int(_), Type::Int(_)) => true,
        (Type::String, other) => other.is_stringlike(),
        (Type::Pointer(a), Type::Pointer(b)) => {
            a == b
                || matches!((&**a, &**b), (Type::Void, _) | (_, Type::Void))
                || (to.is_stringlike() && from.is_stringlike())
        }
        // A string is the address of its bytes.
        (Type::Pointer(a), Type::String) => to.is_stringlike() || **a == Type::Void,
        (Type::Pointer(a), Type::Array(b, _)) => {
            a == b || **a == Type::Void || (to.is_stringlike() && from.is_stringlike())
        }
        (Type::Struct(_) | Type::Array(..) | Type::Float(_) | Type::Action(_), _) => to == from,
        // An address of the traced process is a number to D and needs no cast.
        (Type::Int(i), Type::Pointer(_)) => *i == Int::UINTPTR,
        _ => false,
    }
}

/// Tells whether the program may write the cast `(to)from`.
pub fn is_castable(to: &Type, from: &Type) -> bool {
    matches!(
        (to, from),
        (Type::Error | Type::Void, _)
            | (_, Type::Error)
            | (Type::Int(_) | Type::Pointer(_), Type::Int(_) | Type::Pointer(_))
            | (Type::Pointer(_), Type::String)
            | (Type::String, Type::String | Type::Pointer(_) | Type::Int(_) | Type::Array(..))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn usual_arithmetic_conversions() {
        for (a, b, want) in [
            ("char", "short", "int"),
            ("unsigned char", "unsigned short", "int"),
            ("int", "unsigned int", "unsigned int"),
            ("int", "long", "long"),
            ("unsigned int", "long", "long"),
            ("long", "unsigned long", "unsigned long"),
            ("uint64_t", "int", "uint64_t"),
        ] {
            let c = common(Int::named(a).unwrap(), Int::named(b).unwrap());
            assert_eq!(c, Int::named(want).unwrap(), "{a} {b}");
        }
    }
}
