// SPDX-License-Identifier: GPL-2.0
//! Compiles what `dtrace -G` puts into programs, so that it needs no compiler itself.

use std::path::Path;
use std::process::Command;

const SOURCE: &str = "src/usdt/register.c";

fn main() {
    println!("cargo:rerun-if-changed={SOURCE}");
    println!("cargo:rerun-if-env-changed=CC");
    let cc = std::env::var("CC").unwrap_or("cc".into());
    let to = std::env::var_os("OUT_DIR").map(|dir| Path::new(&dir).join("register.o"));
    let mut command = Command::new(&cc);
    // It goes into programs of all kinds, also those that are marked for shadow stacks.
    command.args([
        "-c",
        "-O2",
        "-g0",
        "-fPIC",
        "-fno-lto",
        "-fno-stack-protector",
        "-fcf-protection",
    ]);
    command.args(["-Wall", "-Werror", "-U_FORTIFY_SOURCE", "-o"]).args(to).arg(SOURCE);
    match command.status() {
        Ok(status) if status.success() => {}
        other => panic!("{cc} could not compile {SOURCE}: {other:?}"),
    }
}
