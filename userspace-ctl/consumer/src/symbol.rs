// SPDX-License-Identifier: GPL-2.0
//! Kernel addresses to `module`function+0xOFF`, from /proc/kallsyms, read when first needed.

use std::fs::File;
use std::io::{BufRead, BufReader};

/// Symbols sorted by address.
#[derive(Debug, Default)]
pub struct Symbols {
    rows: Option<Vec<(u64, String)>>,
}

impl Symbols {
    /// A table of given symbols, for tests.
    pub fn fixed(mut rows: Vec<(u64, String)>) -> Self {
        rows.sort();
        Self { rows: Some(rows) }
    }

    /// How an address is printed; bare hex if nothing is known about it.
    pub fn name(&mut self, address: u64) -> String {
        let rows = self.rows.get_or_insert_with(load);
        let at = rows.partition_point(|r| r.0 <= address);
        match at.checked_sub(1).and_then(|i| rows.get(i)) {
            // Past the end of the last symbol lies nothing: 1 MiB is larger than any function.
            Some((start, name)) if address - start < 1 << 20 => match address - start {
                0 => name.clone(),
                offset => format!("{name}+0x{offset:x}"),
            },
            _ => format!("0x{address:x}"),
        }
    }
}

fn load() -> Vec<(u64, String)> {
    let Ok(file) = File::open("/proc/kallsyms") else {
        return Vec::new();
    };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let mut rows: Vec<(u64, String)> = lines.filter_map(|l| parse(&l)).collect();
    rows.sort();
    rows
}

/// `ffffffff81000000 T _text` or `... t hello_open [hworld]`. Readers without privilege see 0.
fn parse(line: &str) -> Option<(u64, String)> {
    let mut words = line.split_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let kind = words.next()?;
    let name = words.next()?;
    let module = words.next().map_or("vmlinux", |m| m.trim_matches(['[', ']']));
    let wanted =
        address != 0 && matches!(kind, "t" | "T" | "w" | "W" | "d" | "D" | "b" | "B" | "r" | "R");
    wanted.then(|| (address, format!("{module}`{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let rows =
            ["ffffffff81000000 T _text", "ffffffffc0000010 t hello_open\t[hworld]", "0 t hidden"];
        let mut s = Symbols::fixed(rows.iter().filter_map(|l| parse(l)).collect());
        assert_eq!(s.name(0xffff_ffff_8100_0000), "vmlinux`_text");
        assert_eq!(s.name(0xffff_ffff_c000_0024), "hworld`hello_open+0x14");
        assert_eq!(s.name(0x10), "0x10");
        assert_eq!(s.name(0xffff_ffff_d000_0000), "0xffffffffd0000000");
    }
}
