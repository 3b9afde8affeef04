// SPDX-License-Identifier: GPL-2.0
//! Demangles C++ and Rust symbols into the names in their sources.

/// Returns the demangled name; `None`: the symbol is not mangled and stays as it is.
pub(super) fn plain(symbol: &str) -> Option<String> {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        // The alternate form leaves out the hash of the crate.
        return Some(format!("{name:#}"));
    }
    symbol.strip_prefix("_Z")?;
    cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()
}

#[cfg(test)]
mod tests {
    use super::plain;

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
}
