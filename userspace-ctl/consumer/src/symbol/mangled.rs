// SPDX-License-Identifier: GPL-2.0
//! Demangles C++ and Rust symbols into the names in their sources.
//!
//! A mangled name can refer to its own parts, so a few hundred bytes can stand for more text than
//! there is memory. Such a symbol stays as it is.

use std::fmt::{Error, Result, Write};

/// The most bytes of a demangled name.
const MOST: usize = 64 << 10;
/// The most bytes of a mangled name.
const MOST_MANGLED: usize = 16 << 10;

/// Returns the demangled name; `None`: the symbol is not mangled, or its name is too long, and it
/// stays as it is.
pub(super) fn plain(symbol: &str) -> Option<String> {
    if symbol.len() > MOST_MANGLED {
        return None;
    }
    let mut text = Limited::default();
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        // The alternate form leaves out the hash of the crate.
        write!(text, "{name:#}").ok()?;
    } else {
        symbol.strip_prefix("_Z")?;
        let name = cpp_demangle::Symbol::new(symbol).ok()?;
        name.structured_demangle(&mut text, &cpp_demangle::DemangleOptions::default()).ok()?;
    }
    Some(text.0)
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

    /// Each level names the level before it forty times.
    #[test]
    fn names_that_would_fill_the_memory() {
        let began = std::time::Instant::now();
        let mut levels = String::from("PFvvE");
        for before in ["S0_", "S2_", "S4_", "S6_", "S8_", "SA_"] {
            levels += &format!("PFv{}E", before.repeat(40));
        }
        for symbol in [
            format!("_Z1f{levels}"),
            // The same with packs of arguments, which may print nothing.
            format!(
                "_Z1fIJEJ{0}EJ{1}EJ{2}EJ{3}EEvv",
                "T_".repeat(40),
                "T0_".repeat(40),
                "T1_".repeat(40),
                "T2_".repeat(40)
            ),
            format!("_RNvC1a1fINvB2_{}E", "TB5_B5_E".repeat(40)),
            "_Z".to_string() + &"N".repeat(MOST_MANGLED),
        ] {
            assert!(plain(&symbol).is_none_or(|name| name.len() <= MOST), "{symbol}");
        }
        assert_eq!(plain(&format!("_Z1f{levels}")), None);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }
}
