// SPDX-License-Identifier: GPL-2.0
//! Values: data of records and keys of aggregations.

use serde::{Deserialize, Deserializer};
use std::fmt;

/// A value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub enum Datum {
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating-point number; `None` is not a number.
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

/// A frame in its parts.
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
    /// Of a text such as ``vmlinux`vfs_read+0x1c``: the offset goes.
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

impl Datum {
    /// The frames of a stack, the innermost first.
    pub fn frames(&self) -> Option<impl DoubleEndedIterator<Item = Frame<'_>>> {
        match self {
            Self::Stack(frames) | Self::Ustack(frames) => {
                Some(frames.iter().map(|f| Frame::new(f)))
            }
            _ => None,
        }
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

/// The datum among the members of an action, if there is one. The value of `print` has no `type`.
pub(crate) fn maybe<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Datum>, D::Error> {
    let members = serde_json::Value::deserialize(from)?;
    Ok(match members.get("type") {
        Some(_) => Some(Datum::deserialize(members).map_err(serde::de::Error::custom)?),
        None => None,
    })
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
