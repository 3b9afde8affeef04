// SPDX-License-Identifier: GPL-2.0
//! Demangles C++ and Rust symbols into the names in their sources.
//!
//! A mangled name can refer to its own parts, so a few hundred bytes can stand for more text than
//! there is memory. And the parser reads some parts twice, one way and then another, if the first
//! way fails: a name that is wrong at the end of many such parts, one within the other, takes twice
//! as long with each. Such symbols stay as they are.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};
use std::collections::HashMap;
use std::fmt::{Error, Result, Write};
use std::rc::Rc;

/// The most bytes of a demangled name.
const MOST: usize = 64 << 10;
/// The most bytes of a mangled name.
const MOST_MANGLED: usize = 16 << 10;
/// The most bytes of names that are remembered.
const MOST_KNOWN: usize = 16 << 20;
/// The most bytes that the parser of C++ may read, again and again, as a power of two: seconds.
/// Of 37,000 names in Clang's library, 23 would need more.
const MOST_READ_BITS: u32 = 21;
/// The parser's own limit of parts within each other; one that is read twice takes about five.
const DEEPEST: u32 = 96;
const DEPTH_OF_ONE: u32 = 5;

/// The names that were looked for.
#[derive(Debug, Default)]
pub(super) struct Known {
    names: HashMap<Box<str>, Option<Rc<str>>>,
    bytes: usize,
}

impl Known {
    /// Returns the demangled name; `None`: the symbol stays as it is.
    pub(super) fn plain(&mut self, symbol: &str) -> Option<Rc<str>> {
        if let Some(known) = self.names.get(symbol) {
            return known.clone();
        }
        let name: Option<Rc<str>> = plain(symbol).map(Rc::from);
        let entry = size_of::<(Box<str>, Option<Rc<str>>)>();
        let weight = entry + symbol.len() + name.as_ref().map_or(0, |name| name.len());
        if self.bytes + weight > MOST_KNOWN {
            *self = Self::default();
        }
        self.bytes += weight;
        self.names.insert(symbol.into(), name.clone());
        name
    }
}

/// Returns the demangled name; `None`: the symbol is not mangled, or its name is too long or takes
/// too long, and it stays as it is.
fn plain(symbol: &str) -> Option<String> {
    if symbol.len() > MOST_MANGLED {
        return None;
    }
    let mut text = Limited::default();
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        // The alternate form leaves out the hash of the crate.
        write!(text, "{name:#}").ok()?;
    } else {
        symbol.strip_prefix("_Z")?;
        let options = ParseOptions::default().recursion_limit(depth(symbol)?);
        let name = Symbol::new_with_options(symbol, &options).ok()?;
        name.structured_demangle(&mut text, &DemangleOptions::default()).ok()?;
    }
    Some(text.0)
}

/// Returns how deep a C++ name may be, so that the parser does not read too much; `None`: it must
/// not be parsed. This counts what may be read twice wherever it stands, because only the parser
/// knows what is a name: a symbol can feign the length of one to hide a part.
fn depth(symbol: &str) -> Option<u32> {
    let count = |is_meant: fn([u8; 2]) -> bool| {
        let pairs = symbol.as_bytes().windows(2).filter(|w| is_meant([w[0], w[1]]));
        u32::try_from(pairs.count()).unwrap_or(u32::MAX)
    };
    // Each of these may take one level: `delete`, `new`, a name of a dependent type, `decltype`.
    let steep = count(|pair| matches!(&pair, b"dl" | b"da" | b"nw" | b"na" | b"sr" | b"LD"));
    // The arguments of a template that is a substitution or a parameter.
    let arguments = count(|[a, b]| b == b'I' && (a == b'_' || a.is_ascii_lowercase()));
    // A literal of a named type; and what is the target of a conversion is read a third time.
    let literals = count(|[a, b]| a == b'L' && (b.is_ascii_uppercase() || b.is_ascii_digit()));
    let others = literals + if symbol.contains("cv") { arguments } else { 0 };
    let bits = usize::BITS - symbol.len().leading_zeros();
    let left = MOST_READ_BITS.checked_sub(bits)?.checked_sub(steep)?;
    if arguments + others <= left {
        return Some(DEEPEST);
    }
    let deep = left.saturating_sub(others).max(left / 2);
    Some((DEPTH_OF_ONE * deep).min(DEEPEST)).filter(|depth| *depth > 0)
}

/// A text that refuses to grow beyond [`MOST`] bytes.
#[derive(Default)]
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, s: &str) -> Result {
        if self.0.len() + s.len() > MOST {
            return Err(Error);
        }
        self.0.push_str(s);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols() {
        for (symbol, wanted) in [
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
            ),
            (
                "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
                "core::fmt::Formatter::write_str",
            ),
            ("_RNvMs_NtCs1234_6kernel4taskNtB4_4Task3pid", "<kernel::task::Task>::pid"),
        ] {
            assert_eq!(plain(symbol).as_deref(), Some(wanted), "{symbol}");
        }
        for symbol in ["main", "_Z", "_start", "_Zeta", "_R", "", "_ZN"] {
            assert_eq!(plain(symbol), None, "{symbol}");
        }
    }

    /// Each level names the level before it forty times. All of these are names, of gigabytes.
    #[test]
    fn names_that_would_fill_the_memory() {
        let began = std::time::Instant::now();
        let mut levels = String::from("PFvvE");
        for before in ["S0_", "S2_", "S4_", "S6_", "S8_", "SA_"] {
            levels += &format!("PFv{}E", before.repeat(40));
        }
        // The same with packs of arguments.
        let packs = |last: usize| {
            let of = |n: usize| if n == 0 { "T_".into() } else { format!("T{}_", n - 1) };
            let packs: String = (0..last).map(|n| format!("J{}E", of(n).repeat(40))).collect();
            format!("_Z1fIJE{packs}Evv")
        };
        for symbol in [format!("_Z1f{levels}"), packs(5)] {
            assert!(Symbol::new(&symbol).is_ok(), "{symbol}");
            assert_eq!(plain(&symbol), None, "{symbol}");
        }
        assert!(packs(2).len() < 1000 && plain(&packs(2)).is_some());
        assert_eq!(plain(&("_Z".to_string() + &"N".repeat(MOST_MANGLED))), None);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }

    /// None of these is a name, which the parser finds out after it has read the end many times.
    #[test]
    fn names_that_would_take_for_ever() {
        let began = std::time::Instant::now();
        for (part, times) in [
            ("SaI", 17),
            ("S_I", 30),
            ("Xdl", 1),
            ("XdlSaI", 20),
            ("fLS_I", 20),
            ("LDT", 30),
            ("Xsr1aI", 30),
            ("XcvT_I", 30),
        ] {
            for end in ["!".into(), "i".repeat(4000) + "!"] {
                let symbol = format!("_Z1fI{}{end}", part.repeat(times));
                assert_eq!(plain(&symbol), None, "{symbol}");
            }
        }
        for operator in ["dl", "da", "nw", "na"] {
            assert_eq!(plain(&format!("_Z1fIX{}!", operator.repeat(60))), None);
        }
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    #[test]
    fn a_name_is_looked_for_once() {
        let mut known = Known::default();
        for symbol in ["_ZN1a1bEv", "_ZN1a1bEv", "main", "main"] {
            assert_eq!(known.plain(symbol).as_deref(), plain(symbol).as_deref());
        }
        assert_eq!(known.names.len(), 2);
        known.names.insert("main".into(), Some("kept".into()));
        assert_eq!(known.plain("main").as_deref(), Some("kept"));
        (0..1000).for_each(|n| drop(known.plain(&format!("{n}{}", "n".repeat(MOST)))));
        assert!(known.bytes <= MOST_KNOWN && known.names.len() < 300);
    }
}
