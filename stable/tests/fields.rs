// SPDX-License-Identifier: GPL-2.0
//! The members that events are told by are the same in C and in Rust.

use stable::event::Field;

#[test]
fn the_rows_in_c_are_those_in_rust() {
    let c = include_str!("../../rust/kapi/helpers/field.c");
    let row = |line: &str| {
        let rest = line.strip_prefix("\tAT(").or_else(|| line.strip_prefix("\tBYTE("))?;
        Some(rest.split_once(',')?.0.to_string())
    };
    let rows: Vec<_> = c.lines().filter_map(row).collect();
    let fields: Vec<_> = Field::ALL.iter().map(|f| format!("{f:?}")).collect();
    assert_eq!(rows, fields);
}
