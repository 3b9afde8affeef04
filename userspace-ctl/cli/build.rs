// SPDX-License-Identifier: GPL-2.0
//! Asks for packed relocations: thousands of them are read each time the command starts, and packed they
//! take a page in place of sixty.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    println!("cargo:rerun-if-changed=build.rs");
}
