// SPDX-License-Identifier: GPL-2.0
//! Lines of a stream: those that arrive in pieces, as a session writes it, and those of a file.
//! Whoever writes the stream may be hostile, so a line has a limit.

use std::io::{BufRead, Error, ErrorKind, Read};
use std::mem;

/// The most bytes of a line. A snapshot of a million keys has some 100 MB.
const LONGEST: usize = 1 << 30;

/// Keeps the last line until its end arrives.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// It has no newline.
    rest: Vec<u8>,
    longest: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        Self { rest: Vec::new(), longest: LONGEST }
    }
}

impl Pieces {
    /// Adds a piece and returns the lines that are now complete, with their newlines.
    pub fn add(&mut self, piece: &[u8]) -> Vec<u8> {
        let Some(at) = piece.iter().rposition(|b| *b == b'\n') else {
            self.rest.extend_from_slice(piece);
            return Vec::new();
        };
        let (end, rest) = piece.split_at(at + 1);
        let mut whole = mem::replace(&mut self.rest, rest.to_vec());
        whole.extend_from_slice(end);
        whole
    }

    /// Returns an error if the last line is too long, although its end has not arrived.
    pub fn check(&self) -> Result<(), Error> {
        match self.rest.len() > self.longest {
            true => Err(too_long(self.longest)),
            false => Ok(()),
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
        let mut pieces = Pieces::default();
        for _ in 0..1 << 20 {
            assert!(pieces.add(&[b'x'; 16]).is_empty());
        }
        assert_eq!(pieces.add(b"\n").len(), (16 << 20) + 1);
    }

    #[test]
    fn a_line_has_a_limit() {
        let mut pieces = Pieces { longest: 4, ..Pieces::default() };
        pieces.add(b"12345\n1234");
        assert!(pieces.check().is_ok());
        pieces.add(b"5");
        assert!(pieces.check().unwrap_err().to_string().contains("over 4 bytes"));
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
