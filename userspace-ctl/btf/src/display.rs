// SPDX-License-Identifier: GPL-2.0
//! A type as C writes it, from the inside out: `int (*)(struct page *)`.

use crate::{Btf, Id, Type, VOID};

/// No type of a kernel needs this many steps, but a damaged type may refer to itself.
const STEPS: u32 = 256;

pub(crate) fn spell(btf: &Btf, id: Id) -> String {
    declare(btf, id, String::new(), &mut STEPS.clone())
}

/// Returns the type of `inner`, which is a declarator without its name: `*`, `(*)`, `[4]`.
fn declare(btf: &Btf, id: Id, inner: String, steps: &mut u32) -> String {
    if *steps == 0 {
        return with("...", inner);
    }
    *steps -= 1;
    let Some(ty) = btf.get(id) else {
        return with("<damaged>", inner);
    };
    let tagged = |word: &str, name: &str| match name {
        "" => format!("{word} {{...}}"),
        name => format!("{word} {name}"),
    };
    match ty {
        Type::Void => with("void", inner),
        Type::Int { name, .. } | Type::Float { name, .. } | Type::Typedef { name, .. } => {
            with(name, inner)
        }
        Type::Struct(c) => with(&tagged("struct", c.name), inner),
        Type::Union(c) => with(&tagged("union", c.name), inner),
        Type::Enum(e) => with(&tagged("enum", e.name), inner),
        Type::Forward { name, is_union } => {
            with(&tagged(if is_union { "union" } else { "struct" }, name), inner)
        }
        Type::Pointer { to } => match btf.get(past_tags(btf, to)) {
            Some(Type::Array { .. } | Type::Prototype(_)) => {
                declare(btf, to, format!("(*{inner})"), steps)
            }
            _ => declare(btf, to, format!("*{inner}"), steps),
        },
        Type::Array { element, count, .. } => {
            declare(btf, element, format!("{inner}[{count}]"), steps)
        }
        Type::Const { of } => qualified(btf, "const", of, inner, steps),
        Type::Volatile { of } => qualified(btf, "volatile", of, inner, steps),
        Type::Restrict { of } => qualified(btf, "restrict", of, inner, steps),
        Type::TypeTag { of, .. } | Type::DeclTag { of, .. } | Type::Variable { of, .. } => {
            declare(btf, of, inner, steps)
        }
        Type::Function { prototype, .. } => declare(btf, prototype, inner, steps),
        Type::Prototype(p) => {
            let mut parameters = Vec::new();
            for parameter in p.parameters() {
                if *steps == 0 {
                    break;
                }
                parameters.push(match parameter {
                    ("", VOID) => "...".into(),
                    (_, of) => declare(btf, of, String::new(), steps),
                });
            }
            let parameters = match parameters.is_empty() {
                true => "void".into(),
                false => parameters.join(", "),
            };
            declare(btf, p.returns, format!("{inner}({parameters})"), steps)
        }
        Type::Section(s) => with(s.name, inner),
        Type::Other { name, .. } => with(name, inner),
    }
}

/// Puts a qualifier to the right of a pointer's star, or to the left of anything else.
fn qualified(btf: &Btf, word: &str, of: Id, inner: String, steps: &mut u32) -> String {
    match btf.get(past_tags(btf, of)) {
        Some(Type::Pointer { .. }) if inner.is_empty() => declare(btf, of, word.into(), steps),
        Some(Type::Pointer { .. }) => declare(btf, of, format!("{word} {inner}"), steps),
        _ => format!("{word} {}", declare(btf, of, inner, steps)),
    }
}

fn past_tags(btf: &Btf, id: Id) -> Id {
    let mut id = id;
    for _ in 0..crate::DEPTH {
        match btf.get(id) {
            Some(Type::TypeTag { of, .. }) => id = of,
            _ => break,
        }
    }
    id
}

fn with(base: &str, inner: String) -> String {
    match inner.is_empty() {
        true => base.into(),
        false => format!("{base} {inner}"),
    }
}
