// SPDX-License-Identifier: GPL-2.0
//! Lines of a stream: those that arrive in pieces, as a session writes it, and those of a file.
//! Whoever writes the stream may be hostile, and so may the programs whose names a session writes,
//! so a line has a limit.

use serde_json::json;
use std::io::{BufRead, Error, ErrorKind, Read};
use std::mem;

/// The most bytes of a line of a file. A snapshot of a million keys has some 100 MB.
const LONGEST: usize = 1 << 30;
/// The most bytes of a line of a running session, unless a 64th of the memory is less.
const LONGEST_NOW: usize = 512 << 20;
/// A session must not run out of memory. What it makes of a line takes several times as much: some
/// four times if the keys are long, and some twenty times if they are small numbers.
const PART: u64 = 64;

/// Keeps the last line until its end arrives.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// It has no newline.
    rest: Vec<u8>,
    /// The last line was too long, and was forgotten.
    is_skipping: bool,
    longest: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        let machine = rustix::system::sysinfo();
        let memory = machine.totalram.saturating_mul(machine.mem_unit.into());
        Self { rest: Vec::new(), is_skipping: false, longest: longest_now(memory) }
    }
}

/// Returns the most bytes of a line of a running session on a machine with this much memory.
fn longest_now(memory: u64) -> usize {
    usize::try_from(memory / PART).map_or(LONGEST_NOW, |most| most.min(LONGEST_NOW))
}

impl Pieces {
    /// Adds a piece and returns the lines that are now complete, with their newlines. Instead of a
    /// line that is too long comes a note that says so.
    pub fn add(&mut self, piece: &[u8]) -> Vec<u8> {
        let Some(at) = piece.iter().position(|b| *b == b'\n') else {
            self.keep(piece);
            return Vec::new();
        };
        let (end, after) = piece.split_at(at + 1);
        self.keep(end);
        let mut whole = mem::take(&mut self.rest);
        if mem::take(&mut self.is_skipping) {
            let text = too_long(self.longest).to_string() + " and is left out";
            whole = json!({ "type": "note", "text": text }).to_string().into_bytes();
            whole.push(b'\n');
        }
        let lines = after.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let (lines, rest) = after.split_at(lines);
        whole.extend_from_slice(lines);
        self.keep(rest);
        whole
    }

    /// Adds a part of the last line.
    fn keep(&mut self, part: &[u8]) {
        let text = part.strip_suffix(b"\n").unwrap_or(part);
        self.is_skipping |= self.rest.len() + text.len() > self.longest;
        match self.is_skipping {
            true => self.rest = Vec::new(),
            false => self.rest.extend_from_slice(part),
        }
    }
}

/// Reads the next line; returns false if there is none.
pub fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool, Error> {
    next_line_of(LONGEST, from, line)
}

fn next_line_of(
    longest: usize,
    from: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> Result<bool, Error> {
    line.clear();
    let most = u64::try_from(longest).unwrap_or(u64::MAX);
    let n = from.take(most.saturating_add(1)).read_until(b'\n', line)?;
    match n > longest && line.last() != Some(&b'\n') {
        true => Err(too_long(longest)),
        false => Ok(n > 0),
    }
}

fn too_long(longest: usize) -> Error {
    Error::new(ErrorKind::InvalidData, format!("a line of the stream has over {longest} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole() {
        let mut pieces = Pieces::default();
        assert_eq!(pieces.add(b"a"), b"");
        assert_eq!(pieces.add(b"b\ncd\ne"), b"ab\ncd\n");
        assert_eq!(pieces.add(b"\n"), b"e\n");
        assert_eq!(pieces.add(b""), b"");
    }

    /// If each piece searched all earlier ones, this test would take an hour.
    #[test]
    fn a_long_line_costs_its_length() {
        let mut pieces = Pieces { longest: usize::MAX, ..Pieces::default() };
        for _ in 0..1 << 20 {
            assert!(pieces.add(&[b'x'; 16]).is_empty());
        }
        assert_eq!(pieces.add(b"\n").len(), (16 << 20) + 1);
    }

    #[test]
    fn a_running_session_has_lines_that_fit_into_memory() {
        let most = [1 << 30, 4 << 30, 1 << 40].map(longest_now);
        assert_eq!(most, [16 << 20, 64 << 20, 512 << 20]);
        let longest = Pieces::default().longest;
        assert!((1..=LONGEST_NOW).contains(&longest), "{longest}");
    }

    #[test]
    fn a_line_has_a_limit() {
        let mut pieces = Pieces { longest: 4, ..Pieces::default() };
        let mut add = |piece: &[u8]| String::from_utf8(pieces.add(piece)).unwrap();
        let note =
            r#"{"text":"a line of the stream has over 4 bytes and is left out","type":"note"}"#;
        assert_eq!(add(b"123"), "");
        assert_eq!(add(b"4\n1234"), "1234\n");
        assert_eq!(add(b"5"), "");
        assert_eq!(add(b"67"), "");
        assert_eq!(add(b"8\n12\n3"), format!("{note}\n12\n"));
        assert_eq!(add(b"\n"), "3\n");
        assert!(crate::read_line(note.as_bytes()).is_ok());
        let mut line = Vec::new();
        let mut read = |mut from: &[u8]| {
            let found = next_line_of(4, &mut from, &mut line).map_err(|e| e.to_string())?;
            Ok::<_, String>((found, line.clone()))
        };
        assert_eq!(read(b"1234\n5"), Ok((true, b"1234\n".to_vec())));
        assert_eq!(read(b"1234"), Ok((true, b"1234".to_vec())));
        assert_eq!(read(b""), Ok((false, Vec::new())));
        assert!(read(b"12345\n").unwrap_err().contains("over 4 bytes"));
    }
}
