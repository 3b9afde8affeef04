// SPDX-License-Identifier: GPL-2.0
//! A stream that arrives in pieces, as a session writes it.

use std::mem;

/// Keeps the last line until its end arrives.
#[derive(Debug, Clone, Default)]
pub struct Pieces(Vec<u8>);

impl Pieces {
    /// Adds a piece and returns the lines that are now complete, with their newlines.
    pub fn add(&mut self, piece: &[u8]) -> Vec<u8> {
        self.0.extend_from_slice(piece);
        let end = self.0.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let rest = self.0.split_off(end);
        mem::replace(&mut self.0, rest)
    }
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
}
