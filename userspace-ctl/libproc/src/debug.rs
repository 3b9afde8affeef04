// SPDX-License-Identifier: GPL-2.0
//! Finds the symbols and the DWARF of a stripped file: in a file with its build id, in a file that
//! it names, or (symbols only) compressed within it.
//!
//! The author of a file chooses the name, so [`files`](crate::files) opens the named file, and that
//! file must have the build id or the checksum that the first file asks for.

use crate::files::{Root, Source, View};
use crate::unpack::{self, Timed, Until};
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
    let until = Until::start();
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
            !is_other && checksum(file, until).is_ok_and(|its| its == sum)
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
fn checksum(file: &File, until: Until) -> io::Result<u32> {
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
    let mut rest = Timed::new(file.take(MOST_SUMMED), until);
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
    unpack::xz(section.data().ok()?, MOST, Until::start())
}

#[cfg(test)]
mod tests {
    use super::*;

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
