// SPDX-License-Identifier: GPL-2.0
//! What a run of the command does: trace (or only compile), list.

pub mod disassemble;
pub mod list;
pub mod run;

use consumer::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::AsFd;

/// The file that [`output`] writes to.
pub fn file(name: Option<&str>) -> Option<File> {
    match name {
        None => std::io::stdout().as_fd().try_clone_to_owned().ok().map(File::from),
        Some(name) => File::options().write(true).open(name).ok(),
    }
}

/// Standard output, or the file of `-o`.
pub fn output(file: Option<&str>) -> Result<Box<dyn Write>, Failure> {
    match file {
        None => Ok(Box::new(BufWriter::with_capacity(64 << 10, std::io::stdout()))),
        Some(name) => match File::options().append(true).create(true).open(name) {
            Ok(file) => Ok(Box::new(BufWriter::with_capacity(64 << 10, file))),
            Err(e) => {
                let doing = format!("failed to open output file '{name}'");
                Err(consumer::Error::new(doing, consumer::error::reason(&e)).into())
            }
        },
    }
}
