// SPDX-License-Identifier: GPL-2.0
//! Makes the list of the scripts in `tools-d/`, which become part of the command.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let top = std::env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it");
    let folder = Path::new(&top).join("../../tools-d");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).expect("tools-d is in the checkout").flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "d"));
    files.sort();
    let mut list = String::from("&[\n");
    for path in files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!("cargo:rerun-if-changed={}", path.display());
        let _ = writeln!(list, "    ({stem:?}, include_str!({:?})),", path.display().to_string());
    }
    list.push(']');
    let to = std::env::var_os("OUT_DIR").expect("Cargo sets it");
    std::fs::write(Path::new(&to).join("list.rs"), list).expect("OUT_DIR can be written");
}
