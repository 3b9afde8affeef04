// SPDX-License-Identifier: GPL-2.0
//! Sets run-time options from the command line; `d::option` knows their names.

use abi::option::{OptionId, Options};
pub use d::option::{by_name, text};

/// Sets `name` from text; `None` means the bare option. The error is a sentence.
pub fn set(options: &mut Options, name: &str, value: Option<&str>) -> Result<OptionId, String> {
    let failed = |why: &str| format!("failed to set -x {name}: {why}");
    let id = by_name(name).ok_or_else(|| match d::option::nearest(name) {
        Some(near) => failed(&format!("no such option; did you mean {near}?")),
        None => failed("no such option"),
    })?;
    let number = d::option::value(id, value).map_err(|why| failed(&why))?;
    options.set(id, number);
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let mut o = Options::default();
        for (name, text, want) in [
            ("bufsize", "16k", 16 << 10),
            ("bufsize", "2M", 2 << 20),
            ("switchrate", "10hz", 100_000_000),
            ("switchrate", "10", 100_000_000),
            ("aggrate", "250ms", 250_000_000),
            ("bufpolicy", "ring", 2),
            ("quiet", "on", 1),
            ("quiet", "disable", 0),
            ("stackframes", "0x10", 16),
        ] {
            let id = set(&mut o, name, Some(text)).unwrap();
            assert_eq!(o.get(id), want, "{name}={text}");
        }
        let id = set(&mut o, "flowindent", None).unwrap();
        assert_eq!(o.get(id), 1);
    }

    #[test]
    fn refusals_say_what_was_expected() {
        let mut o = Options::default();
        assert_eq!(
            set(&mut o, "bufsiz", Some("1m")).unwrap_err(),
            "failed to set -x bufsiz: no such option; did you mean bufsize?"
        );
        assert_eq!(
            set(&mut o, "bufsize", Some("1x")).unwrap_err(),
            "failed to set -x bufsize: '1x' is not a size like 4m or 16k"
        );
        assert_eq!(
            set(&mut o, "bufsize", Some("0")).unwrap_err(),
            "failed to set -x bufsize: 0 is out of range, it must be 1 to 16g"
        );
        assert_eq!(
            set(&mut o, "switchrate", Some("1ns")).unwrap_err(),
            "failed to set -x switchrate: 1ns is out of range, it must be 1ms to 1h"
        );
        assert_eq!(
            set(&mut o, "bufsize", None).unwrap_err(),
            "failed to set -x bufsize: it needs a value, a size like 4m or 16k"
        );
        assert!(set(&mut o, "switchrate", Some("0hz")).is_err());
    }
}
