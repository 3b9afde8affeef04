// SPDX-License-Identifier: GPL-2.0
//! What the exporter has to say, while something else may have the terminal.

use plaintext::clean_lines;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Messages about the exporting. They go to standard error, unless a view has the terminal.
#[derive(Debug, Default)]
pub struct Messages {
    is_quiet: AtomicBool,
    kept: Mutex<Vec<String>>,
}

impl Messages {
    /// Keeps messages from here on.
    pub fn be_quiet(&self) {
        self.is_quiet.store(true, Ordering::Relaxed);
    }

    /// Tells whether messages are kept.
    pub fn is_quiet(&self) -> bool {
        self.is_quiet.load(Ordering::Relaxed)
    }

    /// Returns the kept messages.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Prints a message, or keeps it. Another machine or a collector may have chosen parts of it.
    pub fn say(&self, text: &str) {
        let text = clean_lines(text);
        if !self.is_quiet() {
            // A closed terminal is no reason to fail.
            let _ = writeln!(std::io::stderr(), "dtrace: {text}");
            return;
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(text.into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_leave_the_terminal_alone() {
        let messages = Messages::default();
        messages.be_quiet();
        messages.say("it answers with '\u{1b}]52;c;AAAA\u{7}\r'");
        assert_eq!(messages.take(), ["it answers with '\u{fffd}]52;c;AAAA\u{fffd}\u{fffd}'"]);
    }
}
