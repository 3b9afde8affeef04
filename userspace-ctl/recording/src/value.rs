// SPDX-License-Identifier: GPL-2.0
//! Values: data of records and keys of aggregations.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::size_of;

/// A value.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub enum Datum {
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating-point number; `None` is NaN.
    Float(Option<f64>),
    /// Text.
    String(String),
    /// Memory, two hexadecimal digits for each byte.
    Bytes(String),
    /// The text of an address.
    Symbol(String),
    /// Frames of the kernel, the innermost first.
    Stack(Vec<String>),
    /// Frames of a process, the innermost first.
    Ustack(Vec<String>),
}

/// The parts of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame<'a> {
    /// The module, program or library; "" if it is unknown.
    pub object: &'a str,
    /// The function, or an address in hexadecimal digits.
    pub function: &'a str,
    /// The frame is inlined in the next one.
    pub is_inlined: bool,
}

impl<'a> Frame<'a> {
    /// Reads a text such as ``vmlinux`vfs_read+0x1c`` and drops the offset.
    pub fn new(text: &'a str) -> Self {
        let (text, is_inlined) = match text.strip_suffix(" [inlined]") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (object, function) = text.split_once('`').unwrap_or(("", text));
        let end = function.rfind("+0x").unwrap_or(function.len());
        Self { object, function: &function[..end], is_inlined }
    }
}

/// A stream contains null instead of NaN, so each value equals itself.
impl Eq for Datum {}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self).hash(to);
        match self {
            Self::Int(n) => n.hash(to),
            Self::Uint(n) => n.hash(to),
            // 0.0 and -0.0 are equal.
            Self::Float(n) => n.map(|n| (n + 0.0).to_bits()).hash(to),
            Self::String(s) | Self::Bytes(s) | Self::Symbol(s) => s.hash(to),
            Self::Stack(frames) | Self::Ustack(frames) => frames.hash(to),
        }
    }
}

impl Datum {
    /// Returns the frames of a stack, the innermost first.
    pub fn frames(&self) -> Option<impl DoubleEndedIterator<Item = Frame<'_>>> {
        match self {
            Self::Stack(frames) | Self::Ustack(frames) => {
                Some(frames.iter().map(|f| Frame::new(f)))
            }
            _ => None,
        }
    }
}

impl Datum {
    /// Returns about how many bytes of memory the value takes.
    pub fn size(&self) -> usize {
        let text = match self {
            Self::Int(_) | Self::Uint(_) | Self::Float(_) => 0,
            Self::String(text) | Self::Bytes(text) | Self::Symbol(text) => text.len(),
            Self::Stack(frames) | Self::Ustack(frames) => {
                frames.iter().map(|f| size_of::<String>() + f.len()).sum()
            }
        };
        size_of::<Self>() + text
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Uint(n) => write!(f, "{n}"),
            Self::Float(Some(n)) => write!(f, "{n}"),
            Self::Float(None) => f.write_str("NaN"),
            Self::String(s) | Self::Symbol(s) => f.write_str(s),
            Self::Bytes(digits) => write!(f, "0x{digits}"),
            Self::Stack(frames) | Self::Ustack(frames) => f.write_str(&frames.join("\n")),
        }
    }
}

impl Datum {
    /// Makes a datum from the two members of a value.
    pub(crate) fn from_members(
        ty: String,
        value: serde_json::Value,
    ) -> Result<Self, serde_json::Error> {
        serde_json::from_value(serde_json::json!({ "type": ty, "value": value }))
    }

    /// Returns the two members, type and value.
    pub(crate) fn into_members(self) -> (String, serde_json::Value) {
        let (ty, value) = match self {
            Self::Int(n) => ("int", n.into()),
            Self::Uint(n) => ("uint", n.into()),
            Self::Float(n) => ("float", n.into()),
            Self::String(s) => ("string", s.into()),
            Self::Bytes(s) => ("bytes", s.into()),
            Self::Symbol(s) => ("symbol", s.into()),
            Self::Stack(frames) => ("stack", frames.into()),
            Self::Ustack(frames) => ("ustack", frames.into()),
        };
        (ty.into(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_parts() {
        let frame = |object, function, is_inlined| Frame { object, function, is_inlined };
        assert_eq!(Frame::new("vmlinux`vfs_read+0x1c"), frame("vmlinux", "vfs_read", false));
        assert_eq!(Frame::new("shop`price [inlined]"), frame("shop", "price", true));
        assert_eq!(Frame::new("0x7f0012"), frame("", "0x7f0012", false));
    }
}
