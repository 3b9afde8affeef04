// SPDX-License-Identifier: GPL-2.0
//! Looks for a function in a module's file, which may be compressed (xz, zstd).

use liblzma::read::XzDecoder;
use liblzma::stream::Stream;
use object::{Object, ObjectSymbol, SymbolKind};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

/// The largest module that is searched, in bytes.
const MOST: usize = 256 << 20;
/// The most memory of xz's decoder, in bytes. The highest level of compression needs 65 MiB.
const XZ_MEMORY: u64 = 80 << 20;

/// The search was given up.
#[derive(Debug, PartialEq, Eq)]
pub struct TimeIsOver;

/// Tells whether the file defines the function. A file that is damaged, or compressed in another
/// way, defines nothing.
pub fn defines(path: &Path, function: &str, end: Instant) -> Result<bool, TimeIsOver> {
    if Instant::now() >= end {
        return Err(TimeIsOver);
    }
    match read(path, end) {
        Ok(image) => Ok(is_defined(&image, function)),
        Err(_) if Instant::now() >= end => Err(TimeIsOver),
        Err(_) => Ok(false),
    }
}

/// Returns the decompressed content of a module's file.
fn read(path: &Path, end: Instant) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut from: Box<dyn Read> = match path.extension().and_then(|e| e.to_str()) {
        Some("xz") => {
            let stream = Stream::new_stream_decoder(XZ_MEMORY, 0)?;
            Box::new(XzDecoder::new_stream(file, stream))
        }
        Some("zst") => Box::new(zstd::Decoder::new(file)?),
        Some("ko") => Box::new(file),
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let (mut image, mut piece) = (Vec::new(), vec![0; 128 << 10]);
    loop {
        let n = from.read(&mut piece)?;
        if n == 0 {
            return Ok(image);
        }
        if image.len() + n > MOST || Instant::now() >= end {
            return Err(io::ErrorKind::TimedOut.into());
        }
        image.extend_from_slice(piece.get(..n).unwrap_or(&[]));
    }
}

/// Tells whether this ELF file defines a function of this name.
fn is_defined(elf: &[u8], function: &str) -> bool {
    let Ok(file) = object::File::parse(elf) else {
        return false;
    };
    let found = file
        .symbols()
        .any(|s| s.kind() == SymbolKind::Text && s.is_definition() && s.name() == Ok(function));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// An ELF file that defines one function and uses another.
    fn module(defined: &str, used: &str) -> Vec<u8> {
        let strings = [b"\0", defined.as_bytes(), b"\0", used.as_bytes(), b"\0"].concat();
        let symbol = |name: usize, info: u8, section: u16| {
            let head = [&(name as u32).to_le_bytes()[..], &[info, 0], &section.to_le_bytes()];
            [head.concat(), vec![0; 16]].concat()
        };
        // Global functions: one in section 1, one in none.
        let symbols =
            [vec![0; 24], symbol(1, 0x12, 1), symbol(defined.len() + 2, 0x10, 0)].concat();
        let (text_at, symbols_at) = (64usize, 80usize);
        let strings_at = symbols_at + symbols.len();
        let section = |kind: u32, flags: u64, at: usize, size: usize, link: u32, info: u32| {
            let words = [flags, 0, at as u64, size as u64].map(u64::to_le_bytes).concat();
            let entry = if kind == 2 { 24u64 } else { 0 };
            let tail = [link, info].map(u32::to_le_bytes).concat();
            [[0, kind].map(u32::to_le_bytes).concat(), words, tail]
                .concat()
                .into_iter()
                .chain([1u64, entry].map(u64::to_le_bytes).concat())
        };
        let sections = std::iter::repeat_n(0, 64)
            .chain(section(1, 6, text_at, 16, 0, 0))
            .chain(section(2, 0, symbols_at, symbols.len(), 3, 1))
            .chain(section(3, 0, strings_at, strings.len(), 0, 0));
        let sections_at = (strings_at + strings.len()).next_multiple_of(8);
        let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0\x01\0\0\0".to_vec();
        elf.extend([0, 0, sections_at as u64].map(u64::to_le_bytes).concat());
        elf.extend([0u32].map(u32::to_le_bytes).concat());
        elf.extend([64u16, 0, 0, 64, 4, 3].map(u16::to_le_bytes).concat());
        elf.extend([0xc3; 16]);
        elf.extend(symbols);
        elf.extend(strings);
        elf.resize(sections_at, 0);
        elf.extend(sections);
        elf
    }

    #[test]
    fn plain_and_compressed() {
        let elf = module("xfs_file_read", "kfree");
        let xz = liblzma::encode_all(&*elf, 6).unwrap();
        let zst = zstd::encode_all(&*elf, 0).unwrap();
        let folder = std::env::temp_dir().join(format!("dtrace-ko-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        for (name, bytes) in [("a.ko", elf.clone()), ("a.ko.xz", xz), ("a.ko.zst", zst)] {
            let path = folder.join(name);
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(defines(&path, "xfs_file_read", soon), Ok(true), "{name}");
            assert_eq!(defines(&path, "kfree", soon), Ok(false), "{name}: only used");
            assert_eq!(defines(&path, "file_read", soon), Ok(false), "{name}: a part of a name");
            assert_eq!(defines(&path, "xfs_file_read", Instant::now()), Err(TimeIsOver), "{name}");
            for cut in [1, bytes.len() / 2, bytes.len() - 1] {
                std::fs::write(&path, &bytes[..cut]).unwrap();
                assert!(defines(&path, "kfree", soon) == Ok(false), "{name}: damaged");
            }
        }
        assert_eq!(defines(&folder.join("none.ko"), "kfree", soon), Ok(false));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
