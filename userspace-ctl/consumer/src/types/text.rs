// SPDX-License-Identifier: GPL-2.0
//! Parses types as C declarations spell them: `const struct iovec *`, `unsigned long[3]`.

use super::KernelTypes;
use d::types::Type;
use d::world::TypeSpace;

/// Returns the type that a text names.
pub fn parse(types: &KernelTypes, text: &str) -> Option<Type> {
    if let Some((of, count)) = text.strip_suffix(']').and_then(|t| t.split_once('[')) {
        return Some(parse(types, of)?.array_of(count.parse().ok()?));
    }
    let stars = text.matches('*').count();
    let words: Vec<&str> = text
        .split([' ', '*'])
        .filter(|w| !matches!(*w, "" | "const" | "volatile" | "restrict" | "__user"))
        .collect();
    let found = match *words.as_slice() {
        ["struct", tag] => types.find(TypeSpace::Struct, tag),
        ["union", tag] => types.find(TypeSpace::Union, tag),
        ["enum", tag] => types.find(TypeSpace::Enum, tag),
        ["unsigned"] => Type::named("unsigned int"),
        [name] => Type::named(name).or_else(|| types.find(TypeSpace::Typedef, name)),
        _ => Type::named(&words.join(" ")),
    };
    // A pointer to an unknown type becomes a pointer to void.
    let base = found.or((stars > 0).then_some(Type::Void))?;
    Some((0..stars).fold(base, |ty, _| ty.pointer_to()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_every_form() {
        let none = KernelTypes::at("/nonexistent");
        let name = |text| parse(&none, text).map(|ty| ty.to_string());
        assert_eq!(name("const char *const *").as_deref(), Some("char **"));
        assert_eq!(name("unsigned").as_deref(), Some("unsigned int"));
        assert_eq!(name("unsigned long").as_deref(), Some("unsigned long"));
        assert_eq!(name("struct nothing *").as_deref(), Some("void *"));
        assert_eq!(name("nothing_t"), None);
        assert_eq!(name("unsigned long[3]").as_deref(), Some("unsigned long [3]"));
    }
}
