// SPDX-License-Identifier: GPL-2.0
//! Asks the linker for packed relocations. The command reads thousands of them at each start;
//! packed, they take one page instead of sixty.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    println!("cargo:rerun-if-changed=build.rs");
}
