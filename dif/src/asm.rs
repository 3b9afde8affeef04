// SPDX-License-Identifier: GPL-2.0
//! Assembles text to objects, for tests and tools. It reads the output of
//! [`disasm`](crate::disasm), and shorter forms that need no table index:
//!
//! ```text
//! .var global a int 4         ; int|ptr|bytes|string SIZE; ids count up from 0x500 in each scope
//! .array self seen int 8      ; an associative array
//! .returns string 256         ; or int, ptr, bytes, void; without it: int 8
//!         ldgs pid, %r1       ; builtins need no declaration
//!         setx 42, %r2        ; goes into the integer table
//!         cmp  %r1, %r2
//!         be   yes
//!         sets "no", %r3      ; goes into the string table
//!         ret  %r3
//! yes:    pushtr string, %r0, %r3
//!         call strlen, %r1
//!         ret  %r1
//! ```
//!
//! It can also write what the verifier must refuse: `.word 0xff000000`, `.int N`, `.ints COUNT`,
//! `.str "bytes"` (without a NUL of its own), `.repeat COUNT INSTRUCTION`, `.row NAME ID KIND SCOPE
//! FLAGS` and `.type KIND CTF FLAGS PAD SIZE` (of the last row), `.rtype KIND CTF FLAGS PAD SIZE`.

use std::collections::HashMap;
use std::fmt;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, vec};

use abi::dif::{Builtin, Format, Op, Subr, VAR_USER_BASE};
use abi::difo::{
    ctf, DifType, DifVar, BY_REF, KIND_CTF, KIND_STRING, SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD,
    VAR_ARRAY, VAR_MOD, VAR_REF, VAR_SCALAR,
};

use crate::difo::Difo;
use crate::op::Insn;

/// An object that owns its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the fields are the methods of the trait")]
pub struct Object {
    pub text: Vec<u32>,
    pub inttab: Vec<u64>,
    pub strtab: Vec<u8>,
    pub vars: Vec<DifVar>,
    pub rtype: DifType,
}

impl Difo for Object {
    fn text(&self) -> &[u32] {
        &self.text
    }
    fn inttab(&self) -> &[u64] {
        &self.inttab
    }
    fn strtab(&self) -> &[u8] {
        &self.strtab
    }
    fn vars(&self) -> &[DifVar] {
        &self.vars
    }
    fn rtype(&self) -> DifType {
        self.rtype
    }
}

/// An error in a program's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmError {
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub what: String,
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

type Outcome<T> = Result<T, String>;

/// Assembles a program.
pub fn assemble(source: &str) -> Result<Object, AsmError> {
    let mut asm = Asm {
        object: Object { rtype: DifType::integer(8), ..Object::default() },
        labels: HashMap::new(),
        branches: Vec::new(),
    };
    for (n, line) in source.lines().enumerate() {
        let line_number = n.saturating_add(1);
        if line.starts_with("NAME ") {
            // The variable table of a listing is not complete enough to be read back.
            break;
        }
        asm.line(line, line_number).map_err(|what| AsmError { line: line_number, what })?;
    }
    asm.patch()?;
    Ok(asm.object)
}

struct Asm {
    object: Object,
    labels: HashMap<String, u32>,
    /// The line, the index of the instruction, and the label.
    branches: Vec<(usize, usize, String)>,
}

/// Returns the part of a line before a comment.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ';' | '!' if !quoted => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

/// Splits at commas outside of quotes.
fn operands(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.retain(|p| !p.trim().is_empty());
    parts.iter().map(|p| p.trim().to_string()).collect()
}

fn number(text: &str) -> Outcome<u64> {
    let wrong = || format!("not a number: {text}");
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    }
    .map_err(|_| wrong())?;
    Ok(if negative { value.wrapping_neg() } else { value })
}

fn narrow<T: TryFrom<u64>>(text: &str) -> Outcome<T> {
    T::try_from(number(text)?).map_err(|_| format!("out of range: {text}"))
}

/// Returns the bytes of a quoted string; `None` if it is not quoted.
fn quoted(text: &str) -> Outcome<Option<Vec<u8>>> {
    let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            let mut buf = [0; 4];
            bytes.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
            continue;
        }
        bytes.push(match rest.next() {
            Some('n') => b'\n',
            Some('t') => b'\t',
            Some('0') => 0,
            Some('\\') => b'\\',
            Some('"') => b'"',
            Some('x') => {
                let hex: String = rest.by_ref().take(2).collect();
                u8::from_str_radix(&hex, 16).map_err(|_| format!("bad escape: \\x{hex}"))?
            }
            other => return Err(format!("bad escape: {other:?}")),
        });
    }
    Ok(Some(bytes))
}

fn register(text: &str) -> Outcome<u8> {
    narrow(text.strip_prefix("%r").ok_or(format!("not a register: {text}"))?)
}

fn pointer(text: &str) -> Outcome<u8> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    register(inner.ok_or(format!("not [%register]: {text}"))?)
}

/// Returns the number in `WORD(n)` or `WORD[n]`.
fn explicit<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word)?.strip_prefix(['(', '['])?.strip_suffix([')', ']'])
}

fn type_of(words: &[&str]) -> Outcome<DifType> {
    match words {
        ["void"] => Ok(DifType::void()),
        ["ptr"] => Ok(DifType::pointer()),
        ["int", size] => Ok(DifType::integer(narrow(size)?)),
        ["string", size] => Ok(DifType::string(narrow(size)?)),
        ["bytes", size] => Ok(DifType {
            kind: KIND_CTF,
            ctf_kind: ctf::STRUCT,
            flags: BY_REF,
            pad: 0,
            size: narrow(size)?,
        }),
        other => Err(format!("not a type: {}", other.join(" "))),
    }
}

fn raw_type(words: &[&str]) -> Outcome<DifType> {
    match words {
        [kind, ctf_kind, flags, pad, size] => Ok(DifType {
            kind: narrow(kind)?,
            ctf_kind: narrow(ctf_kind)?,
            flags: narrow(flags)?,
            pad: narrow(pad)?,
            size: narrow(size)?,
        }),
        other => Err(format!("expected KIND CTF FLAGS PAD SIZE, found {}", other.join(" "))),
    }
}

/// Returns the scope of the variable that an instruction names.
fn scope_of(op: Op) -> u8 {
    match op {
        Op::Ldts | Op::Stts | Op::Ldta | Op::Ldtaa | Op::Sttaa => SCOPE_THREAD,
        Op::Ldls | Op::Stls => SCOPE_LOCAL,
        _ => SCOPE_GLOBAL,
    }
}

impl Asm {
    fn line(&mut self, line: &str, number: usize) -> Outcome<()> {
        let mut line = without_comment(line).trim();
        if line.starts_with("OFF ") {
            return Ok(());
        }
        if let Some((label, rest)) = line.split_once(':') {
            if label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let here = self.object.text.len();
                if label.chars().all(|c| c.is_ascii_digit()) {
                    // The offset and the word of a listing.
                    line = rest.trim().split_once(' ').map_or("", |(_, rest)| rest).trim();
                } else {
                    let here = u32::try_from(here).map_err(|e| e.to_string())?;
                    if self.labels.insert(label.to_string(), here).is_some() {
                        return Err(format!("label {label} stands twice"));
                    }
                    line = rest.trim();
                }
            }
        }
        if line.starts_with('.') {
            return self.directive(line, number);
        }
        if line.is_empty() {
            return Ok(());
        }
        self.instruction(line, number)
    }

    fn directive(&mut self, line: &str, line_number: usize) -> Outcome<()> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (name, words.as_slice()) {
            (".word", [word]) => self.object.text.push(narrow(word)?),
            (".int", [value]) => self.object.inttab.push(number(value)?),
            (".ints", [count]) => self.object.inttab.resize(narrow(count)?, 0),
            (".str", _) => {
                let bytes = quoted(rest.trim())?.ok_or("expected a quoted string")?;
                self.object.strtab.extend(bytes);
            }
            (".strs", [count]) => self.object.strtab.resize(narrow(count)?, 0),
            (".repeat", [count, ..]) => {
                let count: usize = narrow(count)?;
                let what = rest.trim().split_once(char::is_whitespace).map_or("", |(_, w)| w);
                for _ in 0..count {
                    self.line(what, line_number)?;
                }
            }
            (".returns", ty) => self.object.rtype = type_of(ty)?,
            (".rtype", ty) => self.object.rtype = raw_type(ty)?,
            (".var" | ".array", [scope, var, ty @ ..]) => {
                let kind = if name == ".var" { VAR_SCALAR } else { VAR_ARRAY };
                let scope = match *scope {
                    "global" => SCOPE_GLOBAL,
                    "self" => SCOPE_THREAD,
                    "this" => SCOPE_LOCAL,
                    other => return Err(format!("not a scope: {other}")),
                };
                let ty = type_of(ty)?;
                let earlier = self.object.vars.iter().filter(|v| v.scope == scope).count();
                let id = earlier.checked_add(usize::from(VAR_USER_BASE)).ok_or("too many")?;
                let id = u32::try_from(id).map_err(|e| e.to_string())?;
                let name = self.string(var.as_bytes());
                self.object.vars.push(DifVar { name, id, kind, scope, flags: 0, ty });
            }
            (".row", [name, id, kind, scope, flags]) => self.object.vars.push(DifVar {
                name: narrow(name)?,
                id: narrow(id)?,
                kind: narrow(kind)?,
                scope: narrow(scope)?,
                flags: narrow(flags)?,
                ty: DifType::integer(8),
            }),
            (".type", ty) => {
                self.object.vars.last_mut().ok_or(".type without a row")?.ty = raw_type(ty)?;
            }
            _ => return Err(format!("cannot read: {line}")),
        }
        Ok(())
    }

    /// Returns the offset of a string in the table. A new string is added.
    fn string(&mut self, bytes: &[u8]) -> u32 {
        let table = &mut self.object.strtab;
        if table.is_empty() {
            table.push(0);
        }
        let mut wanted = bytes.to_vec();
        wanted.push(0);
        let starts = |n: &usize| {
            let before = n.checked_sub(1).and_then(|b| table.get(b));
            before.is_none_or(|b| *b == 0)
                && table.get(*n..).is_some_and(|t| t.starts_with(&wanted))
        };
        let at = (0..table.len()).find(starts).unwrap_or(table.len());
        if at == table.len() {
            table.extend(wanted);
        }
        // The verifier refuses larger tables.
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn variable(&mut self, op: Op, text: &str, flag: u16) -> Outcome<u16> {
        if let Some(id) = explicit(text, "DT_VAR") {
            return narrow(id);
        }
        let scope = scope_of(op);
        let strtab = std::mem::take(&mut self.object.strtab);
        let named = |v: &DifVar| {
            let rest = strtab.get(v.name as usize..).unwrap_or_default();
            rest.split(|b| *b == 0).next() == Some(text.as_bytes())
        };
        let row = self.object.vars.iter_mut().find(|v| v.scope == scope && named(v));
        let id = row.map(|row| {
            row.flags |= flag;
            row.id
        });
        self.object.strtab = strtab;
        match id {
            Some(id) => u16::try_from(id).map_err(|e| e.to_string()),
            None => Builtin::ALL
                .iter()
                .find(|b| b.name() == text)
                .map(|b| b.id())
                .ok_or(format!("no variable {text} in this scope")),
        }
    }

    fn instruction(&mut self, line: &str, line_number: usize) -> Outcome<()> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let op = Op::ALL.iter().copied().find(|op| op.name() == name);
        let op = op.ok_or(format!("no instruction {name}"))?;
        let parts = operands(rest);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let insn = match (op.format(), parts.as_slice()) {
            (Format::None, []) => Insn::registers(op, 0, 0, 0),
            (Format::Log3, [a, b, d]) => {
                Insn::registers(op, register(a)?, register(b)?, register(d)?)
            }
            (Format::R1Rd, [a, d]) => Insn::registers(op, register(a)?, 0, register(d)?),
            (Format::Load, [a, d]) => Insn::registers(op, pointer(a)?, 0, register(d)?),
            (Format::Store, [a, d]) => Insn::registers(op, register(a)?, 0, pointer(d)?),
            (Format::Cmp, [a, b]) => Insn::registers(op, register(a)?, register(b)?, 0),
            (Format::Tst, [a]) => Insn::registers(op, register(a)?, 0, 0),
            (Format::Ret, [d]) => Insn::registers(op, 0, 0, register(d)?),
            (Format::Branch, [label]) => match narrow::<u32>(label) {
                Ok(label) => Insn::branch(op, label),
                Err(_) => {
                    let here = self.object.text.len();
                    self.branches.push((line_number, here, label.to_string()));
                    Insn::branch(op, 0)
                }
            },
            (Format::SetInt, [value, d]) => {
                let index = match explicit(value, "DT_INTEGER") {
                    Some(index) => narrow(index)?,
                    None => {
                        let value = number(value)?;
                        let known = self.object.inttab.iter().position(|v| *v == value);
                        let index = known.unwrap_or(self.object.inttab.len());
                        if known.is_none() {
                            self.object.inttab.push(value);
                        }
                        u16::try_from(index).map_err(|e| e.to_string())?
                    }
                };
                Insn::indexed(op, index, register(d)?)
            }
            (Format::SetStr, [value, d]) => {
                let offset = match (explicit(value, "DT_STRING"), quoted(value)?) {
                    (Some(offset), _) => narrow(offset)?,
                    (None, Some(bytes)) => {
                        u16::try_from(self.string(&bytes)).map_err(|e| e.to_string())?
                    }
                    _ => return Err(format!("not a string: {value}")),
                };
                Insn::indexed(op, offset, register(d)?)
            }
            (Format::Call, [subr, d]) => {
                let id = match explicit(subr, "DIF_SUBR") {
                    Some(id) => narrow(id)?,
                    None => {
                        let known = Subr::ALL.iter().find(|s| s.name() == *subr);
                        *known.ok_or(format!("no subroutine {subr}"))? as u16
                    }
                };
                Insn::indexed(op, id, register(d)?)
            }
            (Format::Xlate, [reference, d]) => {
                let index = explicit(reference, "DT_XLREF").unwrap_or(reference);
                Insn::indexed(op, narrow(index)?, register(d)?)
            }
            (Format::LoadVar, [var, d]) => {
                Insn::indexed(op, self.variable(op, var, VAR_REF)?, register(d)?)
            }
            (Format::StoreVar, [s, var]) => {
                Insn::indexed(op, self.variable(op, var, VAR_MOD)?, register(s)?)
            }
            (Format::LoadArray | Format::StoreArray, [var, index, d]) => {
                let id = self.variable(op, var, VAR_REF)?;
                let id = u8::try_from(id).map_err(|_| format!("not an array: {var}"))?;
                Insn::registers(op, id, register(index)?, register(d)?)
            }
            (Format::Push, [ty, rest @ ..]) => {
                let ty = match (explicit(ty, "DT_TYPE"), *ty) {
                    (Some(n), _) => narrow(n)?,
                    (None, "string") => KIND_STRING,
                    (None, "dtype") => KIND_CTF,
                    (None, other) => narrow(other)?,
                };
                match (op, rest) {
                    (Op::Pushtr, [size, s]) => {
                        Insn::registers(op, ty, register(size)?, register(s)?)
                    }
                    (Op::Pushtv, [s]) => Insn::registers(op, ty, 0, register(s)?),
                    _ => return Err(format!("wrong operands: {line}")),
                }
            }
            _ => return Err(format!("wrong operands: {line}")),
        };
        self.object.text.push(insn.0);
        Ok(())
    }

    fn patch(&mut self) -> Result<(), AsmError> {
        for (line, at, label) in &self.branches {
            let target = *self
                .labels
                .get(label)
                .ok_or_else(|| AsmError { line: *line, what: format!("no label {label}") })?;
            if let Some(word) = self.object.text.get_mut(*at) {
                *word |= target & 0xff_ffff;
            }
        }
        Ok(())
    }
}
