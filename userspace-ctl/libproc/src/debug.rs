// SPDX-License-Identifier: GPL-2.0
//! Finds the symbols and the DWARF of a stripped file: in a file with its build id, in a file that
//! it names, or (symbols only) compressed within it.
//!
//! The author of a file chooses the name, so [`files`](crate::files) opens the named file, and that
//! file must have the build id or the checksum that the first file asks for.

use crate::files::{Root, Source, View};
use object::{Object, ObjectSection};
use std::fs::File;
use std::io::{self, Read, Seek};

/// The most bytes of a compressed symbol table, once unpacked.
const MOST: usize = 64 << 20;
/// The most bytes of a file whose checksum is computed.
const MOST_SUMMED: u64 = 1 << 30;
/// The folder where distributions put stripped data.
const ROOT: &str = "/usr/lib/debug";

/// Opens a file in our own [`ROOT`]. The process's file has no business with our other files.
fn installed(path: &str) -> Option<File> {
    path.strip_prefix(ROOT).filter(|rest| rest.starts_with('/'))?;
    Root::ours().ok()?.open(path).ok()
}

/// Opens a file that the process sees. The process may have forged it.
fn seen(view: Option<&View>, path: &str) -> Option<File> {
    view?.open(path).ok()
}

fn path_of(id: &[u8]) -> Option<String> {
    let (first, rest) = id.split_first()?;
    let mut path = format!("{ROOT}/.build-id/{first:02x}/");
    rest.iter().for_each(|b| path.push_str(&format!("{b:02x}")));
    Some(path + ".debug")
}

/// Returns the build id of an object; `None`: the file is no object.
fn id_of(file: &File) -> Option<Option<Vec<u8>>> {
    Some(Source::new(file).elf()?.build_id().ok()?.map(<[u8]>::to_vec))
}

fn has_id(file: &File, id: &[u8]) -> bool {
    id_of(file).is_some_and(|its| its.as_deref() == Some(id))
}

/// Tells whether a name is a file name without a path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

/// Returns the file with the data stripped from the file at `path`, and whether the answer holds
/// for every process: the file asks for none, or we have it installed in our own [`ROOT`].
pub(crate) fn separate<'d>(
    elf: &impl Object<'d>,
    path: &str,
    view: Option<&View>,
) -> (Option<File>, bool) {
    let id = elf.build_id().ok().flatten();
    let link = elf.gnu_debuglink().ok().flatten();
    let by_id = |open: &dyn Fn(&str) -> Option<File>| {
        let id = id?;
        open(&path_of(id)?).filter(|file| has_id(file, id))
    };
    let by_link = |open: &dyn Fn(&str) -> Option<File>| {
        let (name, sum) = link?;
        let name = std::str::from_utf8(name).ok().filter(|name| is_plain(name))?;
        let (folder, _) = path.rsplit_once('/')?;
        // The name alone may be that of another version.
        let is_good = |file: &File| {
            let its = id_of(file);
            let is_other =
                its.is_none_or(|its| its.is_some_and(|its| id.is_some_and(|id| its != id)));
            !is_other && checksum(file).is_ok_and(|its| its == sum)
        };
        let places = [folder.to_string(), format!("{folder}/.debug"), format!("{ROOT}{folder}")];
        places.iter().find_map(|place| open(&format!("{place}/{name}")).filter(is_good))
    };
    let find = |open: &dyn Fn(&str) -> Option<File>| by_id(open).or_else(|| by_link(open));
    let ours = find(&installed);
    match ours.is_some() || id.is_none() && link.is_none() {
        true => (ours, true),
        false => (find(&|path| seen(view, path)), false),
    }
}

/// Returns the file with the DWARF that several files share.
pub(crate) fn common<'d>(elf: &impl Object<'d>, view: Option<&View>) -> Option<File> {
    let (name, id) = elf.gnu_debugaltlink().ok()??;
    let name = std::str::from_utf8(name).ok()?;
    // A relative name counts from the folder of build ids.
    let named = match name.starts_with('/') {
        true => name.to_string(),
        false => format!("{ROOT}/.build-id/00/{name}"),
    };
    let paths = || path_of(id).into_iter().chain([named.clone()]);
    let is_good = |file: &File| has_id(file, id);
    let ours = paths().find_map(|path| installed(&path).filter(is_good));
    ours.or_else(|| paths().find_map(|path| seen(view, &path).filter(is_good)))
}

/// Computes the CRC-32 of `.gnu_debuglink`.
fn checksum(file: &File) -> io::Result<u32> {
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
    if file.metadata()?.len() > MOST_SUMMED {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut file = file;
    file.rewind()?;
    // Another process may keep writing to the file.
    let mut rest = file.take(MOST_SUMMED);
    loop {
        let n = rest.read(&mut piece)?;
        if n == 0 {
            return Ok(!sum);
        }
        let add = |sum: u32, b: &u8| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ b)];
        sum = piece.iter().take(n).fold(sum, add);
    }
}

/// Returns the ELF file in `.gnu_debugdata`, with the functions that `.dynsym` lacks.
pub(crate) fn packed<'d>(elf: &impl Object<'d>) -> Option<Vec<u8>> {
    let section = elf.section_by_name(".gnu_debugdata")?;
    let data = section.data().ok()?;
    unpacked_size(data).filter(|size| *size <= MOST as u64)?;
    let mut out = Limited(Vec::new());
    lzma_rs::xz_decompress(&mut &*data, &mut out).ok()?;
    Some(out.0)
}

/// Returns the unpacked size of the blocks of an xz stream, from the heads of their pieces. The
/// decoder keeps a whole block before it gives it to a writer that could refuse it.
fn unpacked_size(data: &[u8]) -> Option<u64> {
    let number =
        |at: usize| Some(u64::from(u16::from_be_bytes(*data.get(at..)?.first_chunk()?)) + 1);
    let check = match data.get(7)? {
        0 => 0,
        1 => 4,
        4 => 8,
        10 => 32,
        _ => return None,
    };
    let (mut at, mut sum) = (12, 0u64);
    // The index, which begins with 0, follows the blocks.
    while let size @ 1.. = *data.get(at)? {
        at += (usize::from(size) + 1) * 4;
        let begin = at;
        loop {
            let head = *data.get(at)?;
            let size = match head {
                0 => break,
                1 | 2 => number(at + 1)?,
                3..=0x7f => return None,
                _ => number(at + 1)? + (u64::from(head & 0x1f) << 16),
            };
            sum += size;
            at += match head {
                1 | 2 => 3 + usize::try_from(size).ok()?,
                _ => 5 + usize::from(head >= 0xc0) + usize::try_from(number(at + 3)?).ok()?,
            };
        }
        at = begin + (at + 1 - begin).next_multiple_of(4) + check;
    }
    Some(sum)
}

/// A buffer that refuses to grow beyond [`MOST`] bytes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn xz(bytes: &[u8], option: &str) -> Option<Vec<u8>> {
        let mut xz = Command::new("xz");
        xz.args(["-c", option]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut xz = xz.spawn().ok()?;
        let mut to = xz.stdin.take()?;
        let bytes = bytes.to_vec();
        let writer = std::thread::spawn(move || to.write_all(&bytes));
        let out = xz.wait_with_output().ok()?;
        writer.join().ok()?.ok()?;
        Some(out.stdout)
    }

    #[test]
    fn sizes_of_what_is_packed() {
        let bytes = std::fs::read("/proc/self/exe").unwrap();
        let bytes = &bytes[..bytes.len().min(3 << 20)];
        let zeroes = vec![0; 5 << 20];
        for option in ["--check=crc64", "--check=crc32", "--check=none", "--block-size=1MiB"] {
            for bytes in [bytes, &zeroes, b"", b"x"] {
                let packed = xz(bytes, option).unwrap();
                assert_eq!(unpacked_size(&packed), Some(bytes.len() as u64), "{option}");
                for cut in 0..packed.len().min(300) {
                    assert!(unpacked_size(&packed[..cut]).is_none_or(|n| n <= bytes.len() as u64));
                }
            }
        }
    }

    #[test]
    fn names() {
        for (name, wanted) in [
            ("libc.debug", true),
            ("", false),
            ("..", false),
            (".", false),
            ("../../dev/zero", false),
            ("/dev/watchdog", false),
        ] {
            assert_eq!(is_plain(name), wanted, "{name}");
        }
    }
}
