// SPDX-License-Identifier: GPL-2.0
//! A sentence for the user, kept until the REPORT ioctl fetches it.

use core::fmt;
use mem::KVVec;

/// The most bytes of a report. The verifier lists all its errors, but nobody reads more than this.
const MAX: usize = 16 << 10;

/// Text that grows up to [`MAX`] or until there is no memory; the rest is left out.
#[derive(Default)]
pub struct Text(KVVec<u8>);

impl Text {
    /// Creates an empty report.
    pub const fn new() -> Self {
        Self(KVVec::new())
    }
    /// Creates a report from something that can be displayed.
    pub fn of(what: &dyn fmt::Display) -> Self {
        let mut t = Self::new();
        t.add(what);
        t
    }
    /// Appends.
    pub fn add(&mut self, what: &dyn fmt::Display) {
        // A text that is cut off is still useful.
        let _ = fmt::write(self, core::format_args!("{what}"));
    }
    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
    /// Tells whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let room = MAX.saturating_sub(self.0.len());
        let part = s.as_bytes().get(..s.len().min(room)).unwrap_or_default();
        mem::extend(&mut self.0, part).map_err(|_| fmt::Error)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
        }
        Ok(())
    }
}
