// SPDX-License-Identifier: GPL-2.0
//! Errors on the consumer's side. Each is one sentence: what we were doing, with what, why it
//! failed, and the way out if there is one.

use std::fmt;

/// A failure that ends the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What we were doing: `failed to initialize dtrace`.
    pub doing: String,
    /// The cause: the kernel's own reason when there is one.
    pub cause: String,
    /// What the reader can do about it, or "".
    pub hint: String,
}

impl Error {
    /// Makes an error from the attempt and its cause.
    pub fn new(doing: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { doing: doing.into(), cause: cause.into(), hint: String::new() }
    }

    /// Adds a way out.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.doing.is_empty() {
            true => write!(f, "{}", self.cause)?,
            false => write!(f, "{}: {}", self.doing, self.cause)?,
        }
        if !self.hint.is_empty() {
            write!(f, "\n  {}", self.hint.replace('\n', "\n  "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Returns the system's text, without the number that std adds.
pub fn reason(e: &std::io::Error) -> String {
    let text = e.to_string();
    match text.find(" (os error") {
        Some(end) => text.get(..end).unwrap_or(&text).to_string(),
        None => text,
    }
}

/// Why an ioctl failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The errno.
    pub errno: i32,
    /// The kernel's sentence (REPORT), or the errno's text.
    pub reason: String,
}

impl Refusal {
    /// Makes an error that names the attempt.
    pub fn doing(self, doing: impl Into<String>) -> Error {
        Error::new(doing, self.reason)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// A reason to end a session early.
#[derive(Debug)]
pub enum Failure {
    /// An error to report.
    Error(Error),
    /// Nobody reads our output any more (closed pipe), so the session ends quietly.
    OutputClosed,
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        match e.kind() {
            std::io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Error(Error::new("failed to write output", reason(&e))),
        }
    }
}
