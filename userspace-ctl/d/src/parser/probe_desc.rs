// SPDX-License-Identifier: GPL-2.0
//! Splits the text of a probe description into its four parts. The source says which field the last
//! part is.

use crate::diag::{Diagnostic, Region, Tag};
use crate::lexer::QUOTED_COLON;
use crate::source::{Source, SourceName, Span, SpecKind};
use crate::world::ProbePattern;
use abi::probe::{is_glob_too_deep, GLOB_DEPTH, PART_LENS};

const FIELDS: [&str; 4] = ["provider", "module", "function", "name"];

/// Returns the pattern for the text of a description.
pub fn pattern(text: &str, span: Span, source: &Source) -> Result<ProbePattern, Diagnostic> {
    let invalid = |message: String| {
        let mut d = Diagnostic::new(Tag::PdescInval, span, message);
        d.region = Some(Region::ProbeDescription);
        d
    };
    let kind = match source.name {
        SourceName::CommandLine(kind) => kind,
        SourceName::Script(_) => SpecKind::Name,
    };
    if kind == SpecKind::Id {
        return match text.parse::<u32>() {
            Ok(id) if id != 0 => Ok(ProbePattern { id, ..ProbePattern::default() }),
            _ => Err(invalid(format!("invalid probe id {text}"))
                .label("expected a number from 1, as `dtrace -l` lists it")),
        };
    }
    let given: Vec<&str> = text.split(':').collect();
    let room = kind.fields();
    if given.len() > room {
        let most = FIELDS.get(..room).unwrap_or(&FIELDS).join(":");
        return Err(invalid(format!(
            "probe description {text} has {} fields, expected {room} at most",
            given.len()
        ))
        .label(format!("expected {most}")));
    }
    let mut parts: [&str; 4] = [""; 4];
    for (slot, part) in parts.iter_mut().take(room).rev().zip(given.iter().rev()) {
        *slot = part;
    }
    let parts = parts.map(|part| part.replace(QUOTED_COLON, ":"));
    for ((part, field), len) in parts.iter().zip(FIELDS).zip(PART_LENS) {
        if part.len() >= len {
            return Err(invalid(format!("{field} of probe description is too long"))
                .label(format!("{} bytes, {} at most", part.len(), len - 1)));
        }
        if is_glob_too_deep(part.as_bytes()) {
            return Err(invalid(format!(
                "probe description {text} has too many globbing characters"
            ))
            .label(format!("{GLOB_DEPTH} `*` at most in the {field}")));
        }
    }
    let [provider, module, function, name] = &parts;
    Ok(ProbePattern::new(provider, module, function, name))
}
