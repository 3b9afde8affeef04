// SPDX-License-Identifier: GPL-2.0
//! Unpacks compressed parts of files, within a time and with bounded memory.
//!
//! The sizes of a compressed part bound neither the steps of a decoder nor its time: a block of ten
//! bits without content makes it rebuild its tables. So the decoders read their input through a
//! [`Timed`], which ends when the time is over. The sizes do not bound its memory either, so each
//! decoder unpacks in pieces and has a limit of its own for everything else that it keeps.

use liblzma::bufread::XzDecoder;
use liblzma::stream::Stream;
use std::io::{self, BufRead, Error, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long the compressed parts of a file are read. A look-up reads up to three kinds of them, and
/// the kernel takes a consumer for dead after half a minute.
const MOST: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 4 });
/// The most bytes that are read between two looks at the clock.
const PIECE: usize = 4096;
/// The most memory of xz's decoder, in bytes. The highest level of compression needs 65 MiB.
const XZ_MEMORY: u64 = 80 << 20;
/// The largest window of zstd, as a power of two: that of the highest level.
const WINDOW_LOG: u32 = 27;

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
pub(crate) fn zstd(from: impl BufRead, most: usize) -> Option<Vec<u8>> {
    let mut decoder = zstd::Decoder::with_buffer(from).ok()?;
    decoder.window_log_max(WINDOW_LOG).ok()?;
    let mut plain = Vec::with_capacity(most);
    decoder.take(most as u64).read_to_end(&mut plain).ok()?;
    Some(plain)
}

/// Unpacks xz's format; `None` if the content has more than `most` bytes.
pub(crate) fn xz(data: &[u8], most: usize, until: Until) -> Option<Vec<u8>> {
    let stream = Stream::new_stream_decoder(XZ_MEMORY, 0).ok()?;
    let decoder = XzDecoder::new_stream(Timed::buffered(data, until), stream);
    let mut plain = Vec::new();
    decoder.take(most as u64 + 1).read_to_end(&mut plain).ok()?;
    (plain.len() <= most).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// Leaves time to a busy machine.
    fn late() -> Until {
        Until(Instant::now() + Duration::from_secs(300))
    }

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
    fn contents_of_xz() {
        let bytes = std::fs::read("/proc/self/exe").unwrap();
        let bytes = &bytes[..bytes.len().min(1 << 20)];
        let zeroes = vec![0; 5 << 20];
        let options = ["--check=crc64", "--check=crc32", "--check=none", "--block-size=1MiB", "-9"];
        for option in options {
            for bytes in [bytes, &zeroes, b"", b"x"] {
                let packed = packed(bytes, option).unwrap();
                let unpacked = |packed: &[u8], most| xz(packed, most, late());
                assert!(unpacked(&packed, bytes.len()).is_some_and(|all| all == bytes), "{option}");
                if let Some(most) = bytes.len().checked_sub(1) {
                    assert_eq!(unpacked(&packed, most), None, "{option}");
                }
                for cut in 0..packed.len().min(300) {
                    assert_eq!(unpacked(&packed[..cut], bytes.len()), None, "{option}");
                }
            }
        }
    }

    /// The sizes of blocks and of their pieces may be any.
    #[test]
    fn xz_with_a_wrong_byte() {
        let text = b"One text, then another text. ".repeat(30);
        let packed = packed(&text, "--check=crc32").unwrap();
        for at in 0..packed.len() {
            for bit in 0..8 {
                let mut packed = packed.clone();
                packed[at] ^= 1 << bit;
                let found = xz(&packed, 8 << 20, late());
                assert!(found.is_none_or(|all| all == text), "{at} {bit}");
            }
        }
    }

    fn crc32(bytes: &[u8]) -> [u8; 4] {
        let bit = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        let byte = |sum: u32, b: &u8| (0..8).fold(sum ^ u32::from(*b), bit);
        (!bytes.iter().fold(!0, byte)).to_le_bytes()
    }

    /// Returns a stream of xz with one block, which has these filters.
    fn stream(filters: &[[u8; 3]], data: &[u8], plain: usize) -> Vec<u8> {
        let padded = |parts: &[&[u8]]| {
            let mut all = parts.concat();
            all.resize(all.len().next_multiple_of(4), 0);
            all
        };
        let summed = |part: &[u8]| [part, &crc32(part)].concat();
        let number = |mut n: usize| {
            let mut all = Vec::new();
            while n > 0x7f {
                all.push(n as u8 | 0x80);
                n >>= 7;
            }
            [all, vec![n as u8]].concat()
        };
        let mut head = padded(&[&[0, filters.len() as u8 - 1], filters.as_flattened()]);
        head[0] = (head.len() / 4) as u8;
        let size = number(head.len() + 4 + data.len());
        let index = summed(&padded(&[&[0, 1], &size, &number(plain)]));
        let flags = [0, 0];
        let behind = [&(index.len() as u32 / 4 - 1).to_le_bytes()[..], &flags].concat();
        let begin = [b"\xfd7zXZ\0", &*summed(&flags), &summed(&head)].concat();
        [begin, padded(&[data]), index, crc32(&behind).to_vec(), behind, b"YZ".to_vec()].concat()
    }

    /// A layer of 64 MiB can be the packed form of another one of hundreds of gigabytes.
    #[test]
    fn xz_in_xz() {
        const LZMA2: [u8; 3] = [0x21, 1, 20];
        const SIZE: usize = (1 << 21) - 1;
        let mut filters = liblzma::stream::Filters::new();
        filters.lzma2(&liblzma::stream::LzmaOptions::new_preset(6).unwrap());
        let encoder = Stream::new_raw_encoder(&filters).unwrap();
        let zeroes = vec![0; SIZE];
        let mut layer = Vec::new();
        liblzma::read::XzEncoder::new_stream(&*zeroes, encoder).read_to_end(&mut layer).unwrap();
        let unpacked =
            |filters: &[[u8; 3]], data: &[u8]| xz(&stream(filters, data, SIZE), SIZE, late());
        assert!(unpacked(&[LZMA2], &layer).is_some_and(|all| all == zeroes));
        // A piece that is not compressed.
        let size = (layer.len() as u16 - 1).to_be_bytes();
        let packed = [&[1], &size[..], &layer, &[0]].concat();
        assert_eq!(unpacked(&[LZMA2; 2], &packed), None);
    }

    /// Returns a frame of zstd: its head, and blocks with their kinds and sizes.
    fn frame(head: &[u8], blocks: &[(u32, usize, &[u8])]) -> Vec<u8> {
        let mut all = [&[0x28, 0xb5, 0x2f, 0xfd], head].concat();
        for (at, (kind, size, data)) in blocks.iter().enumerate() {
            let is_last = u32::from(at + 1 == blocks.len());
            let head = is_last | kind << 1 | (*size as u32) << 3;
            all.extend_from_slice(&head.to_le_bytes()[..3]);
            all.extend_from_slice(data);
        }
        all
    }

    const RAW: u32 = 0;
    const REPEATED: u32 = 1;
    const COMPRESSED: u32 = 2;
    /// Frames without the size of their content: a window of 128 KiB, of 128 MiB, and of more.
    const SMALL: &[u8] = &[0, 7 << 3];
    const LARGEST: &[u8] = &[0, 17 << 3];
    const TOO_LARGE: &[u8] = &[0, 17 << 3 | 1];

    fn unzstd(frame: &[u8], most: usize) -> Option<Vec<u8>> {
        zstd(Timed::buffered(frame, late()), most)
    }

    #[test]
    fn zstd_windows() {
        let text = &[(RAW, 4, &b"text"[..])];
        for head in [SMALL, LARGEST] {
            assert_eq!(unzstd(&frame(head, text), 9).as_deref(), Some(&b"text"[..]));
        }
        assert_eq!(unzstd(&frame(TOO_LARGE, text), 9), None);
        // The content is the window.
        let head = [&[0xe0][..], &(1u64 << 60).to_le_bytes()].concat();
        assert_eq!(unzstd(&frame(&head, text), 9), None);
        // A later frame.
        let two = [frame(SMALL, text), frame(&head, text)].concat();
        assert_eq!(unzstd(&two, 9), None);
    }

    #[test]
    fn a_block_of_zstd_that_is_too_large() {
        const MOST: usize = 128 << 10;
        for (size, fits) in [(MOST, true), (MOST + 1, false), ((1 << 21) - 1, false)] {
            let found = unzstd(&frame(SMALL, &[(REPEATED, size, b"x")]), 1 << 21);
            assert_eq!(found, fits.then(|| vec![b'x'; size]));
        }
        // No literals; sequences whose offsets and lengths have the same code: copies of 131,074
        // bytes each.
        let copies = |n: u8| {
            let bits = [0xff, 0xff].repeat(n.into());
            [&[0, n, 0x54, 0, 0, 52][..], &bits, &[1]].concat()
        };
        for n in [1, 100] {
            let block = copies(n);
            let first = (RAW, 8, &b"01234567"[..]);
            let frame = frame(&[0, 10 << 3], &[first, (COMPRESSED, block.len(), &block)]);
            assert_eq!(unzstd(&frame, 64 << 20), None, "{n}");
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
                let input = Timed::new(data, late());
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
        assert_eq!(xz(&text, 7, late()).as_deref(), Some(&b"content"[..]));
        was_late();
        assert_eq!(xz(&text, 7, over()), None);
        assert!(was_late());
        // A frame of empty raw blocks.
        let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0][..], &[0; 3 << 20]].concat();
        assert_eq!(zstd(Timed::buffered(&*frame, over()), 1), None);
        assert!(was_late());
    }
}
