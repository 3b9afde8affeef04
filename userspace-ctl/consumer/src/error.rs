// SPDX-License-Identifier: GPL-2.0
//! What went wrong on the consumer's side, as one sentence: what we were doing, with what, why it
//! failed, and the way out if there is one.

use std::fmt;

/// A failure that ends the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What we were doing: `failed to initialize dtrace`.
    pub doing: String,
    /// What the cause says: the kernel's own reason when there is one.
    pub cause: String,
    /// What the reader can do about it, or "".
    pub hint: String,
}

impl Error {
    /// From what we did and what stopped it.
    pub fn new(doing: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { doing: doing.into(), cause: cause.into(), hint: String::new() }
    }

    /// With a way out.
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

/// What the system says, without the number that std adds.
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
    /// Wraps it with what we wanted.
    pub fn doing(self, doing: impl Into<String>) -> Error {
        Error::new(doing, self.reason)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// The end of a session before its natural end.
#[derive(Debug)]
pub enum Failure {
    /// Something to tell.
    Error(Error),
    /// Nobody reads our output any more (closed pipe): end quietly.
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
