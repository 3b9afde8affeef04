// SPDX-License-Identifier: GPL-2.0
//! Compiles the objects that `dtrace -G` puts into programs, so that `dtrace -G` needs no compiler.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=CC");
    compile("src/usdt/register.c", "register.o", &[]);
    // `dtrace -G` writes these for a program without providers, and for a 32-bit program.
    compile("src/usdt/empty.c", "empty.o", &[]);
    compile("src/usdt/empty.c", "empty32.o", &["-m32"]);
}

fn compile(source: &str, object: &str, more: &[&str]) {
    println!("cargo:rerun-if-changed={source}");
    let cc = std::env::var("CC").unwrap_or("cc".into());
    let to = std::env::var_os("OUT_DIR").map(|dir| Path::new(&dir).join(object));
    let mut command = Command::new(&cc);
    // The object goes into programs of all kinds, also those that are marked for shadow stacks.
    command.args([
        "-c",
        "-O2",
        "-g0",
        "-fPIC",
        "-fno-lto",
        "-fno-stack-protector",
        "-fcf-protection",
    ]);
    command.args(more);
    command.args(["-Wall", "-Werror", "-U_FORTIFY_SOURCE", "-o"]).args(to).arg(source);
    match command.status() {
        Ok(status) if status.success() => {}
        other => panic!("{cc} could not compile {source}: {other:?}"),
    }
}
