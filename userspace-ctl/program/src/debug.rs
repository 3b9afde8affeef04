// SPDX-License-Identifier: GPL-2.0
//! Where the symbols and the DWARF of a stripped file are: in a file of its build id, in one that it names, or
//! (symbols alone) within it, compressed.

use object::{Object, ObjectSection};
use std::fs::File;
use std::io::{self, Read};

/// Most bytes of a compressed symbol table.
const MOST: usize = 64 << 20;
/// Where distributions put what they strip.
const ROOT: &str = "/usr/lib/debug";

/// A file as the process or, if it has ended, as we see files.
fn open(pid: u32, path: &str) -> Option<File> {
    File::open(format!("/proc/{pid}/root{path}")).or_else(|_| File::open(path)).ok()
}

fn path_of(id: &[u8]) -> Option<String> {
    let (first, rest) = id.split_first()?;
    let mut path = format!("{ROOT}/.build-id/{first:02x}/");
    rest.iter().for_each(|b| path.push_str(&format!("{b:02x}")));
    Some(path + ".debug")
}

/// The file with what was stripped of the one at `path`.
pub(crate) fn separate<'d>(elf: &impl Object<'d>, path: &str, pid: u32) -> Option<File> {
    let by_id = || open(pid, &path_of(elf.build_id().ok()??)?);
    let by_link = || {
        let (name, sum) = elf.gnu_debuglink().ok()??;
        let name = std::str::from_utf8(name).ok()?;
        let (folder, _) = path.rsplit_once('/')?;
        let places = [folder.to_string(), format!("{folder}/.debug"), format!("{ROOT}{folder}")];
        places.iter().find_map(|place| {
            let path = format!("{place}/{name}");
            // The name alone may be another version's.
            open(pid, &path).filter(|f| checksum(f).is_ok_and(|s| s == sum))?;
            open(pid, &path)
        })
    };
    by_id().or_else(by_link)
}

/// The file with what several files' DWARF has in common.
pub(crate) fn common<'d>(elf: &impl Object<'d>, pid: u32) -> Option<File> {
    let (name, id) = elf.gnu_debugaltlink().ok()??;
    let name = std::str::from_utf8(name).ok()?;
    // From where the file of a build id is.
    let named = || match name.starts_with('/') {
        true => open(pid, name),
        false => open(pid, &format!("{ROOT}/.build-id/00/{name}")),
    };
    path_of(id).and_then(|path| open(pid, &path)).or_else(named)
}

/// CRC-32, as `.gnu_debuglink` has it.
fn checksum(mut file: &File) -> io::Result<u32> {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut n = 0;
        while n < 256 {
            let (mut word, mut bit) = (n as u32, 0);
            while bit < 8 {
                word = if word & 1 == 1 { word >> 1 ^ 0xedb8_8320 } else { word >> 1 };
                bit += 1;
            }
            table[n] = word;
            n += 1;
        }
        table
    };
    let (mut sum, mut piece) = (!0u32, vec![0; 1 << 16]);
    loop {
        let n = file.read(&mut piece)?;
        if n == 0 {
            return Ok(!sum);
        }
        let add = |sum: u32, b: &u8| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ b)];
        sum = piece.iter().take(n).fold(sum, add);
    }
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
