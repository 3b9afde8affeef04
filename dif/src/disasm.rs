// SPDX-License-Identifier: GPL-2.0
//! The listing of `dtrace -S`, character for character as manuals show it.
//!
//! ```text
//! OFF OPCODE      INSTRUCTION
//! 00: 25000001    setx DT_INTEGER[0], %r1        ! 0x1
//! 01: 2a050001    stgs %r1, DT_VAR(1280)         ! DT_VAR(1280) = "a"
//! 02: 23000001    ret  %r1
//!
//! NAME             ID   KND SCP FLAG TYPE
//! a                500  scl glb w    D type (integer) (size 4)
//! ```
//!
//! (Tabs separate the comments.) Any word can be listed, verified or not. Words without a meaning
//! are shown as they are.

use core::fmt::{self, Write};

use abi::dif::{Builtin, Format, Op, Subr};
use abi::difo::{
    ctf, DifType, DifVar, BY_REF, BY_UREF, KIND_CTF, KIND_STRING, SCOPE_GLOBAL, SCOPE_LOCAL,
    SCOPE_THREAD, VAR_ARRAY, VAR_MOD, VAR_REF, VAR_SCALAR,
};

use crate::difo::Difo;
use crate::op::Insn;

/// Writes the listing of an object: header, instructions, and the variable table if there is one.
/// The consumer writes the line above it, with the name and return type of the object.
pub fn write<D: Difo + ?Sized>(difo: &D, out: &mut dyn Write) -> fmt::Result {
    out.write_str("OFF OPCODE      INSTRUCTION\n")?;
    for (pc, word) in difo.text().iter().enumerate() {
        write!(out, "{pc:02}: {word:08x}    ")?;
        write_insn(difo, *word, out)?;
        out.write_str("\n")?;
    }
    if difo.vars().is_empty() {
        return Ok(());
    }
    out.write_str("\nNAME             ID   KND SCP FLAG TYPE\n")?;
    difo.vars().iter().try_for_each(|row| write_var(difo, row, out))
}

/// Writes one instruction, without its offset, word and line end.
pub fn write_insn<D: Difo + ?Sized>(difo: &D, word: u32, out: &mut dyn Write) -> fmt::Result {
    let insn = Insn(word);
    let Some(op) = insn.op() else { return out.write_str("(illegal opcode)") };
    let name = op.name();
    let (r1, r2, rd, index) = (insn.r1(), insn.r2(), insn.rd(), insn.index());
    match op.format() {
        Format::None => out.write_str(name),
        Format::Log3 => write!(out, "{name:<4} %r{r1}, %r{r2}, %r{rd}"),
        Format::R1Rd => write!(out, "{name:<4} %r{r1}, %r{rd}"),
        Format::Load => write!(out, "{name:<4} [%r{r1}], %r{rd}"),
        Format::Store => write!(out, "{name:<4} %r{r1}, [%r{rd}]"),
        Format::Cmp => write!(out, "{name:<4} %r{r1}, %r{r2}"),
        Format::Tst => write!(out, "{name:<4} %r{r1}"),
        Format::Ret => write!(out, "{name:<4} %r{rd}"),
        Format::Branch => write!(out, "{name:<4} {}", insn.label()),
        Format::SetInt => {
            write!(out, "{name:<4} DT_INTEGER[{index}], %r{rd}")?;
            match difo.inttab().get(usize::from(index)) {
                Some(value) => write!(out, "\t\t! {value:#x}"),
                None => Ok(()),
            }
        }
        Format::SetStr => {
            write!(out, "{name:<4} DT_STRING[{index}], %r{rd}")?;
            match difo.string(u32::from(index)) {
                Some(text) => write!(out, "\t\t! \"{}\"", Bytes(text)),
                None => Ok(()),
            }
        }
        Format::Call => {
            write!(out, "{name:<4} DIF_SUBR({index}), %r{rd}")?;
            match Subr::from_id(index) {
                Some(subr) => write!(out, "\t\t! {}", subr.name()),
                None => Ok(()),
            }
        }
        Format::Xlate => write!(out, "{name:<4} DT_XLREF[{index}], %r{rd}"),
        Format::LoadVar => {
            write!(out, "{name:<4} DT_VAR({index}), %r{rd}")?;
            write_name(difo, op, index, out)
        }
        Format::StoreVar => {
            write!(out, "{name:<4} %r{rd}, DT_VAR({index})")?;
            write_name(difo, op, index, out)
        }
        Format::LoadArray => {
            write!(out, "{name:<4} DT_VAR({r1}), %r{r2}, %r{rd}")?;
            write_name(difo, op, u16::from(r1), out)
        }
        Format::StoreArray => {
            write!(out, "{name:<4} DT_VAR({r1}), %r{r2}, %r{rd}")?;
            write_name(difo, op, u16::from(r1), out)
        }
        Format::Push => {
            write!(out, "{name:<4} DT_TYPE({r1}), ")?;
            if op == Op::Pushtr {
                write!(out, "%r{r2}, ")?;
            }
            write!(out, "%r{rd}")?;
            match r1 {
                KIND_CTF => write!(out, "\t! DT_TYPE({r1}) = D type"),
                KIND_STRING => write!(out, "\t! DT_TYPE({r1}) = string"),
                _ => Ok(()),
            }
        }
    }
}

/// Writes the comment that names a variable, from the variable table or from the builtins.
fn write_name<D: Difo + ?Sized>(difo: &D, op: Op, id: u16, out: &mut dyn Write) -> fmt::Result {
    let scope = match op {
        Op::Ldts | Op::Stts | Op::Ldta | Op::Ldtaa | Op::Sttaa => SCOPE_THREAD,
        Op::Ldls | Op::Stls => SCOPE_LOCAL,
        _ => SCOPE_GLOBAL,
    };
    let row = difo.vars().iter().find(|v| v.id == u32::from(id) && v.scope == scope);
    let declared = row.and_then(|v| difo.string(v.name));
    let builtin = || Builtin::from_id(id).filter(|_| scope == SCOPE_GLOBAL).map(Builtin::name);
    match declared.or_else(|| builtin().map(str::as_bytes)) {
        Some(name) => write!(out, "\t\t! DT_VAR({id}) = \"{}\"", Bytes(name)),
        None => Ok(()),
    }
}

fn write_var<D: Difo + ?Sized>(difo: &D, row: &DifVar, out: &mut dyn Write) -> fmt::Result {
    let name = difo.string(row.name).unwrap_or(b"?");
    write!(out, "{}", Bytes(name))?;
    for _ in name.len()..16 {
        out.write_str(" ")?;
    }
    write!(out, " {:<4x} ", row.id)?;
    match row.kind {
        VAR_ARRAY => out.write_str("arr ")?,
        VAR_SCALAR => out.write_str("scl ")?,
        other => write!(out, "{other:<3} ")?,
    }
    match row.scope {
        SCOPE_GLOBAL => out.write_str("glb ")?,
        SCOPE_THREAD => out.write_str("tls ")?,
        SCOPE_LOCAL => out.write_str("loc ")?,
        other => write!(out, "{other:<3} ")?,
    }
    const BOTH: u16 = VAR_REF | VAR_MOD;
    match row.flags {
        0 => out.write_str("     ")?,
        VAR_REF => out.write_str("r    ")?,
        VAR_MOD => out.write_str("w    ")?,
        BOTH => out.write_str("r/w  ")?,
        other => write!(out, "{other:<#4x} ")?,
    }
    writeln!(out, "{}", TypeText(row.ty))
}

/// A DIF type in the format of listings: `D type (integer) (size 4)`.
#[derive(Debug, Clone, Copy)]
pub struct TypeText(pub DifType);

impl fmt::Display for TypeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind {
            KIND_CTF => f.write_str("D type")?,
            KIND_STRING => f.write_str("string")?,
            other => write!(f, "{other:#x}")?,
        }
        let ctf = match self.0.ctf_kind {
            ctf::INTEGER => "integer",
            ctf::FLOAT => "float",
            ctf::POINTER => "pointer",
            ctf::ARRAY => "array",
            ctf::FUNCTION => "function",
            ctf::STRUCT => "struct",
            ctf::UNION => "union",
            ctf::ENUM => "enum",
            ctf::FORWARD => "forward",
            ctf::TYPEDEF => "typedef",
            _ => "unknown",
        };
        write!(f, " ({ctf})")?;
        if self.0.flags & BY_UREF != 0 {
            f.write_str(" by user ref")?;
        } else if self.0.flags & BY_REF != 0 {
            f.write_str(" by ref")?;
        }
        write!(f, " (size {})", self.0.size)
    }
}

/// Bytes of unknown encoding, shown on one line. Control characters and quotes are escaped as in C;
/// bytes that are not UTF-8 become U+FFFD.
struct Bytes<'b>(&'b [u8]);

impl fmt::Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' => f.write_str("\\n")?,
                    '\t' => f.write_str("\\t")?,
                    '"' | '\\' => write!(f, "\\{c}")?,
                    c if c.is_control() => write!(f, "\\x{:02x}", u32::from(c))?,
                    c => f.write_char(c)?,
                }
            }
            if !chunk.invalid().is_empty() {
                f.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}
