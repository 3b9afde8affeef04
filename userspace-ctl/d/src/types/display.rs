// SPDX-License-Identifier: GPL-2.0
//! Types as C writes them, without a name: `struct file *`, `char [16]`, `int (*)(void *)`.

use std::fmt::{self, Write};

use super::{Struct, Type};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&declare(self, String::new(), 0))
    }
}

/// Nobody reads deeper chains of pointers.
const MAX_DEPTH: u8 = 24;

/// Returns a declaration of `inner` with the type. C declarations read inside out.
fn declare(ty: &Type, inner: String, depth: u8) -> String {
    if depth > MAX_DEPTH {
        return "..".into();
    }
    let base = match ty {
        Type::Pointer(to) => {
            let inner = match **to {
                Type::Array(..) | Type::Function(_) => format!("(*{inner})"),
                _ => format!("*{inner}"),
            };
            return declare(to, inner, depth + 1);
        }
        Type::Array(of, count) => {
            let count = if *count == 0 { String::new() } else { count.to_string() };
            return declare(of, format!("{inner}[{count}]"), depth + 1);
        }
        Type::Function(function) => {
            let mut list = String::new();
            for param in &function.params {
                let comma = if list.is_empty() { "" } else { ", " };
                let _ = write!(list, "{comma}{}", declare(param, String::new(), depth + 1));
            }
            if function.is_variadic {
                list.push_str(if list.is_empty() { "..." } else { ", ..." });
            } else if list.is_empty() {
                list.push_str("void");
            }
            return declare(&function.result, format!("{inner}({list})"), depth + 1);
        }
        Type::Void => "void".into(),
        Type::Int(i) => i.name.into(),
        Type::String => "string".into(),
        Type::Struct(s) => s.to_string(),
        Type::Float(4) => "float".into(),
        Type::Float(8) => "double".into(),
        Type::Float(_) => "long double".into(),
        Type::Action(kind) => format!("{}()", kind.name()),
        Type::Error => "<error>".to_string(),
    };
    if inner.is_empty() {
        return base;
    }
    format!("{base} {inner}")
}

impl fmt::Display for Struct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.tag.as_str(), self.alias.as_str()) {
            ("", "") => write!(f, "{} {{..}}", self.kind.text()),
            ("", alias) => f.write_str(alias),
            (tag, _) => write!(f, "{} {tag}", self.kind.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Function, Int};
    use std::sync::Arc;

    #[test]
    fn as_c_writes_them() {
        let int = || Type::Int(Int::INT);
        let char16 = || Type::Array(Arc::new(Type::Int(Int::CHAR)), 16);
        let compare = Type::Function(Arc::new(Function {
            result: int(),
            params: vec![Type::Void.pointer_to(), char16().pointer_to()],
            is_variadic: true,
        }));
        for (ty, want) in [
            (int().pointer_to().pointer_to(), "int **"),
            (char16(), "char [16]"),
            (char16().pointer_to(), "char (*)[16]"),
            (Type::Array(Arc::new(char16()), 2), "char [2][16]"),
            (Type::Array(Arc::new(int().pointer_to()), 0), "int *[]"),
            (compare.clone().pointer_to(), "int (*)(void *, char (*)[16], ...)"),
            (
                Type::Array(Arc::new(compare.pointer_to()), 3),
                "int (*[3])(void *, char (*)[16], ...)",
            ),
        ] {
            assert_eq!(ty.to_string(), want);
        }
    }
}
