// SPDX-License-Identifier: GPL-2.0
//! The members of structures that events read are the same in C and in Rust.

use stable::event::Field;

#[test]
fn the_rows_in_c_are_those_in_rust() {
    let c = include_str!("../../rust/kapi/helpers/field.c");
    let row = |line: &str| {
        let rest = ["\tAT(", "\tBYTE(", "\tSKB_CB("].iter().find_map(|m| line.strip_prefix(m))?;
        Some(rest.split_once(',')?.0.to_string())
    };
    let mut rows: Vec<_> = c.lines().filter_map(row).collect();
    // Some are listed for both kinds of kernels.
    let mut seen = std::collections::HashSet::new();
    rows.retain(|r| seen.insert(r.clone()));
    let fields: Vec<_> = Field::ALL.iter().map(|f| format!("{f:?}")).collect();
    assert_eq!(rows, fields);
}
