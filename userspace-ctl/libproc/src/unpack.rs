// SPDX-License-Identifier: GPL-2.0
//! Unpacks compressed parts of files, within a time.
//!
//! The sizes of a compressed part bound neither the steps of a decoder nor its time: a block of ten
//! bits without content makes it rebuild its tables. So the decoders read their input through a
//! [`Timed`], which ends when the time is over.

use std::io::{self, BufRead, Error, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long the compressed parts of a file are read. A look-up reads up to three kinds of them, and
/// the kernel takes a consumer for dead after half a minute.
const MOST: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 4 });
/// The most bytes that are read between two looks at the clock.
const PIECE: usize = 4096;

static WAS_LATE: AtomicBool = AtomicBool::new(false);

/// Tells whether a part of a file was left out since the last call, because it took too long.
pub fn was_late() -> bool {
    WAS_LATE.swap(false, Relaxed)
}

/// The moment at which the time to read the parts of a file is over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until(Instant);

impl Until {
    pub(crate) fn start() -> Self {
        Self(Instant::now() + MOST)
    }
}

/// Input that fails when its time is over. Decoders may need a while for each piece of it.
#[derive(Debug)]
pub(crate) struct Timed<R> {
    from: R,
    until: Until,
}

impl<R: Read> Timed<R> {
    pub(crate) fn new(from: R, until: Until) -> Self {
        Self { from, until }
    }

    /// Returns the input for a decoder that reads it in small parts.
    pub(crate) fn buffered(from: R, until: Until) -> io::BufReader<Self> {
        io::BufReader::with_capacity(PIECE, Self::new(from, until))
    }
}

impl<R: Read> Read for Timed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if Instant::now() >= self.until.0 {
            WAS_LATE.store(true, Relaxed);
            return Err(Error::new(ErrorKind::TimedOut, "it takes too long to unpack"));
        }
        let size = into.len().min(PIECE);
        self.from.read(&mut into[..size])
    }
}

/// Unpacks zlib's format; `None` if the content has more than `most` bytes.
pub(crate) fn zlib(mut from: impl BufRead, most: usize) -> Option<Vec<u8>> {
    use miniz_oxide::inflate::core::{decompress, inflate_flags, DecompressorOxide};
    const HOW: u32 = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
        | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
        | inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
    use miniz_oxide::inflate::TINFLStatus;
    let mut decoder = Box::<DecompressorOxide>::default();
    // With a full buffer, the decoder would not wait for the rest of its input.
    let (mut plain, mut at) = (vec![0; most.checked_add(1)?], 0);
    loop {
        let piece = from.fill_buf().ok()?;
        let is_last = piece.is_empty();
        let (status, read, made) = decompress(&mut decoder, piece, &mut plain, at, HOW);
        from.consume(read);
        at += made;
        match status {
            TINFLStatus::Done => break,
            TINFLStatus::NeedsMoreInput if !is_last => {}
            _ => return None,
        }
    }
    plain.truncate(at);
    (at <= most).then_some(plain)
}

/// Unpacks the first `most` bytes of zstd's format.
pub(crate) fn zstd(from: impl Read, most: u64) -> Option<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(from).ok()?;
    let mut plain = Vec::new();
    decoder.take(most).read_to_end(&mut plain).ok()?;
    Some(plain)
}

/// Unpacks xz's format; `None` if the content has more than `most` bytes.
pub(crate) fn xz(data: &[u8], most: usize, until: Until) -> Option<Vec<u8>> {
    unpacked_size(data).filter(|size| *size <= most as u64)?;
    let mut out = Limited { plain: Vec::new(), most };
    lzma_rs::xz_decompress(&mut Timed::buffered(data, until), &mut out).ok()?;
    Some(out.plain)
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

/// A buffer that refuses to grow beyond `most` bytes.
struct Limited {
    plain: Vec<u8>,
    most: usize,
}

impl io::Write for Limited {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.plain.len().saturating_add(data.len()) > self.most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        self.plain.extend_from_slice(data);
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

    fn packed(bytes: &[u8], option: &str) -> Option<Vec<u8>> {
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
                let packed = packed(bytes, option).unwrap();
                assert_eq!(unpacked_size(&packed), Some(bytes.len() as u64), "{option}");
                for cut in 0..packed.len().min(300) {
                    assert!(unpacked_size(&packed[..cut]).is_none_or(|n| n <= bytes.len() as u64));
                }
            }
        }
    }

    /// Each piece of the input may be the last one for a while.
    #[test]
    fn pieces_of_any_size() {
        let bytes: Vec<u8> =
            (0..5_000u32).flat_map(|n| (n.wrapping_mul(n) / 7).to_le_bytes()).collect();
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 6);
        for piece in [1, 7, PIECE] {
            let unpacked = |data: &[u8], most| {
                let input = Timed::new(data, Until::start());
                zlib(io::BufReader::with_capacity(piece, input), most)
            };
            assert!(unpacked(&packed, bytes.len()).is_some_and(|all| all == bytes), "{piece}");
            assert!(unpacked(&packed, bytes.len() - 1).is_none(), "{piece}");
            assert!(unpacked(&packed[..packed.len() - 1], bytes.len()).is_none(), "{piece}");
        }
        assert_eq!(zlib(&b""[..], 9), None);
    }

    /// A chunk of one byte makes the decoder reset all its probabilities.
    #[test]
    fn no_decoder_takes_longer_than_it_may() {
        let over = || Until(Instant::now());
        let text = packed(b"content", "--check=crc32").unwrap();
        assert_eq!(xz(&text, 7, Until::start()).as_deref(), Some(&b"content"[..]));
        was_late();
        assert_eq!(xz(&text, 7, over()), None);
        assert!(was_late());
        // A frame of empty raw blocks.
        let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0][..], &[0; 3 << 20]].concat();
        assert_eq!(zstd(Timed::buffered(&*frame, over()), 1), None);
        assert!(was_late());
    }
}
