// SPDX-License-Identifier: GPL-2.0
//! Where the symbols of a stripped file are: in a file of its build id, or within it, compressed.

use object::{Object, ObjectSection};
use std::fs::File;
use std::io;

/// Most bytes of a compressed symbol table.
const MOST: usize = 64 << 20;

/// The file with what was stripped, as the process and as we see files.
pub(crate) fn separate<'d>(elf: &impl Object<'d>, pid: u32) -> Option<File> {
    let id = elf.build_id().ok()??;
    let (first, rest) = id.split_first()?;
    let mut path = format!("/usr/lib/debug/.build-id/{first:02x}/");
    rest.iter().for_each(|b| path.push_str(&format!("{b:02x}")));
    path.push_str(".debug");
    File::open(format!("/proc/{pid}/root{path}")).or_else(|_| File::open(&path)).ok()
}

/// The ELF file in `.gnu_debugdata`: the functions that `.dynsym` has not.
pub(crate) fn packed<'d>(elf: &impl Object<'d>) -> Option<Vec<u8>> {
    let section = elf.section_by_name(".gnu_debugdata")?;
    let mut out = Limited(Vec::new());
    lzma_rs::xz_decompress(&mut section.data().ok()?, &mut out).ok()?;
    Some(out.0)
}

/// Refuses to grow beyond all bounds.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(data.len()) > MOST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
