// SPDX-License-Identifier: GPL-2.0
//! The rules that an object must obey before it can run.
//!
//! An object that obeys them halts within its length, and uses no nonexistent register, no table
//! entry out of range and no undeclared variable. Anything that depends on values (addresses,
//! sizes, divisors) is checked at run time and is a fault.
//!
//! | number | rule | meaning |
//! |---|---|---|
//! | 1 | [`Rule::Text`] | there are 1 to 65,536 instructions |
//! | 2 | [`Rule::Tables`] | the integer, string and variable tables are within their limits |
//! | 3 | [`Rule::Opcode`] | the opcode exists |
//! | 4 | [`Rule::Translator`] | `xlate` and `xlarg` do not occur; only compiler and linker use them |
//! | 5 | [`Rule::Register`] | a register's number is below 8 |
//! | 6 | [`Rule::RegisterZero`] | `%r0` is never written |
//! | 7 | [`Rule::Reserved`] | bits without a meaning are zero |
//! | 8 | [`Rule::Branch`] | a branch goes forward, to an instruction of the object |
//! | 9 | [`Rule::Integer`] | `setx` names an entry of the integer table |
//! | 10 | [`Rule::String`] | `sets` names an offset in the string table |
//! | 11 | [`Rule::StringEnd`] | the string table ends with a NUL |
//! | 12 | [`Rule::Subroutine`] | `call` names a subroutine that exists |
//! | 13 | [`Rule::Builtin`] | an undeclared variable is a builtin of the kind that the instruction loads |
//! | 14 | [`Rule::Undeclared`] | a variable of the program is in the variable table, in the instruction's scope |
//! | 15 | [`Rule::Kind`] | tuple instructions use associative arrays, the others scalars |
//! | 16 | [`Rule::Store`] | stores go to variables of the program; `stga` to `uregs[]` |
//! | 17 | [`Rule::Push`] | the type of a push is D type or string |
//! | 18 | [`Rule::LastRet`] | the last instruction is `ret` |
//! | 19 | [`Rule::Destructive`] | only a destructive enabling changes the system |
//! | 20 | [`Rule::ReturnType`] | the return type is well formed; by value it has 0, 1, 2, 4 or 8 bytes |
//! | 21 | [`Rule::VarRow`] | kind, scope and flags of a variable are known values |
//! | 22 | [`Rule::VarName`] | a variable's name is in the string table |
//! | 23 | [`Rule::VarTwice`] | a variable is declared once |
//! | 24 | [`Rule::VarId`] | a variable's id is one of the program's, or a builtin's of the same kind and scope |
//! | 25 | [`Rule::VarType`] | a type is well formed: by value 1, 2, 4 or 8 bytes, by reference 1 to the limit |

use core::fmt;
use core::ops::Deref;

use abi::dif::{
    Builtin, Format, Op, Subr, VarKind, MAX_INTTAB, MAX_STRTAB, MAX_TEXT, NREGS,
    VAR_ARRAY_USER_BASE, VAR_USER_BASE,
};
use abi::difo::{
    DifType, DifVar, BY_REF, BY_UREF, KIND_CTF, KIND_STRING, MAX_BY_REF, SCOPE_GLOBAL, SCOPE_LOCAL,
    SCOPE_THREAD, VAR_ARRAY, VAR_MOD, VAR_REF, VAR_SCALAR,
};

use crate::bound::{self, Prices};
use crate::difo::Difo;
use crate::env::Space;
use crate::op::{scope_of, Insn};
use crate::subr;

/// The maximum number of errors that are reported for one object.
pub const MAX_ERRORS: usize = 64;
/// The maximum number of rows in a variable table. It limits the search for a variable at run time.
pub const MAX_VARS: usize = 256;

/// The rights of a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Objects may change the traced system (`copyout`, `uregs[] =`).
    pub allow_destructive: bool,
    /// Objects may read any kernel memory; otherwise `ld*` and subroutines load
    /// [`crate::Space::Restricted`], as `rld*` does.
    pub allow_kernel_loads: bool,
    /// The size of the largest variable by reference, in bytes.
    pub max_by_ref: u32,
}

impl Rules {
    /// The rights of a privileged consumer without `-w`.
    pub const DEFAULT: Rules =
        Rules { allow_destructive: false, allow_kernel_loads: true, max_by_ref: MAX_BY_REF };
}

/// An object that obeys all rules. Once it is decoded, it can be [run](crate::Program).
#[derive(Debug)]
pub struct Verified<D: Difo> {
    difo: D,
    instructions: u32,
    destructive: bool,
    restricted: bool,
}

impl<D: Difo> Verified<D> {
    /// Returns the maximum number of instructions that a run executes.
    pub fn max_instructions(&self) -> u32 {
        self.instructions
    }
    /// Returns the maximum number of steps that a run takes, in the units of
    /// [`Env::spend`](crate::Env::spend). Charges that a host adds itself are not included.
    pub fn max_steps(&self, prices: &Prices) -> u32 {
        bound::steps(&self.difo, prices)
    }
    /// Tells whether the object may change the traced system.
    pub fn is_destructive(&self) -> bool {
        self.destructive
    }
    /// Tells whether the object loads this builtin scalar.
    pub fn asks_for(&self, builtin: Builtin) -> bool {
        let loads = |word: &u32| {
            let insn = Insn(*word);
            insn.op() == Some(Op::Ldgs) && insn.index() == builtin.id()
        };
        self.difo.text().iter().any(loads)
    }
    /// Tells whether kernel loads are restricted.
    pub fn is_restricted(&self) -> bool {
        self.restricted
    }
    /// Returns the memory that `ld*` accesses.
    pub(crate) fn kernel_loads(&self) -> Space {
        match self.restricted {
            true => Space::Restricted,
            false => Space::Kernel,
        }
    }
    /// Returns the object, which must be verified again before it can run.
    pub fn into_inner(self) -> D {
        self.difo
    }
}

impl<D: Difo> Deref for Verified<D> {
    type Target = D;
    fn deref(&self) -> &D {
        &self.difo
    }
}

macro_rules! rules {
    ($(($num:literal, $variant:ident, $text:literal)),* $(,)?) => {
        /// A rule. Errors and tests cite its number.
        #[allow(missing_docs, reason = "the first page of this file is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Rule { $($variant = $num),* }
        impl Rule {
            /// All rules, in order of number.
            pub const ALL: &[Rule] = &[$(Rule::$variant),*];
            /// Returns the message for a violation.
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$variant => $text),* }
            }
        }
    };
}
rules! {
    (1, Text, "wrong number of instructions"),
    (2, Tables, "table too large"),
    (3, Opcode, "unknown opcode"),
    (4, Translator, "translator reference left by the linker"),
    (5, Register, "no such register"),
    (6, RegisterZero, "write to %r0"),
    (7, Reserved, "reserved bits are not zero"),
    (8, Branch, "branch does not go forward inside the object"),
    (9, Integer, "integer table index out of range"),
    (10, String, "string table offset out of range"),
    (11, StringEnd, "string table does not end with a NUL"),
    (12, Subroutine, "unknown subroutine"),
    (13, Builtin, "no such builtin variable for this instruction"),
    (14, Undeclared, "variable is not declared in this scope"),
    (15, Kind, "scalar used as array, or array as scalar"),
    (16, Store, "store to a variable that is not the program's"),
    (17, Push, "unknown type of a tuple element"),
    (18, LastRet, "the last instruction is not ret"),
    (19, Destructive, "destructive object in an enabling that must not be"),
    (20, ReturnType, "malformed return type"),
    (21, VarRow, "malformed variable"),
    (22, VarName, "name of a variable lies outside the string table"),
    (23, VarTwice, "variable declared twice"),
    (24, VarId, "id of a variable does not fit its kind and scope"),
    (25, VarType, "malformed type of a variable"),
}

impl Rule {
    /// Returns the number of the rule.
    pub const fn number(self) -> u32 {
        self as u32
    }
}

/// A violation of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifyError {
    /// The index of the instruction, or [`VerifyError::NO_PC`].
    pub pc: u32,
    /// The rule.
    pub rule: Rule,
    /// The offending value: a register, an index, an id, a row of the variable table.
    pub found: u64,
    /// The limit for it; 0 if there is none.
    pub bound: u64,
}

impl VerifyError {
    /// The `pc` of an error that is not in an instruction.
    pub const NO_PC: u32 = u32::MAX;
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pc != Self::NO_PC {
            write!(f, "pc {}: ", self.pc)?;
        }
        write!(f, "{} (rule {}): {:#x}", self.rule.text(), self.rule.number(), self.found)?;
        if self.bound != 0 {
            write!(f, ", bound {:#x}", self.bound)?;
        }
        Ok(())
    }
}

/// Checks an object. It reports all errors (up to [`MAX_ERRORS`]), not only the first.
///
/// # Context
///
/// Process: time is proportional to instructions times variables.
pub fn verify<D: Difo>(
    difo: D,
    rules: &Rules,
    report: &mut dyn FnMut(VerifyError),
) -> Option<Verified<D>> {
    let mut check = Check {
        text: difo.text(),
        inttab: difo.inttab(),
        strtab: difo.strtab(),
        vars: difo.vars(),
        rules,
        report,
        pc: VerifyError::NO_PC,
        errors: 0,
        destructive: false,
    };
    check.sizes();
    check.return_type(difo.rtype());
    check.variables();
    check.instructions();
    let (errors, destructive) = (check.errors, check.destructive);
    let restricted = !rules.allow_kernel_loads;
    (errors == 0).then(|| {
        let instructions = bound::instructions(&difo);
        Verified { instructions, difo, destructive, restricted }
    })
}

/// Tells whether all fields of a type have known values.
fn well_formed(ty: DifType) -> bool {
    let by_ref = ty.is_by_ref();
    ty.pad == 0
        && ty.flags & !(BY_REF | BY_UREF) == 0
        && match ty.kind {
            KIND_CTF => true,
            KIND_STRING => by_ref,
            _ => false,
        }
}

struct Check<'a> {
    text: &'a [u32],
    inttab: &'a [u64],
    strtab: &'a [u8],
    vars: &'a [DifVar],
    rules: &'a Rules,
    report: &'a mut dyn FnMut(VerifyError),
    pc: u32,
    errors: usize,
    destructive: bool,
}

// CAST in this block: lengths and sizes to u64, for the report; an index of the text to u32, which
// the first rule bounds.
impl Check<'_> {
    fn error(&mut self, rule: Rule, found: u64, bound: u64) {
        self.errors = self.errors.saturating_add(1);
        if self.errors <= MAX_ERRORS {
            (self.report)(VerifyError { pc: self.pc, rule, found, bound });
        }
    }

    fn demand(&mut self, holds: bool, rule: Rule, found: u64, bound: u64) {
        if !holds {
            self.error(rule, found, bound);
        }
    }

    fn sizes(&mut self) {
        let text = self.text.len();
        self.demand((1..=MAX_TEXT).contains(&text), Rule::Text, text as u64, MAX_TEXT as u64);
        let tables = [
            (self.inttab.len(), MAX_INTTAB),
            (self.strtab.len(), MAX_STRTAB),
            (self.vars.len(), MAX_VARS),
        ];
        for (len, most) in tables {
            self.demand(len <= most, Rule::Tables, len as u64, most as u64);
        }
        let ends = self.strtab.last().is_none_or(|&b| b == 0);
        self.demand(ends, Rule::StringEnd, self.strtab.len() as u64, 0);
    }

    fn return_type(&mut self, ty: DifType) {
        let size = ty.is_by_ref() || matches!(ty.size, 0 | 1 | 2 | 4 | 8);
        self.demand(well_formed(ty) && size, Rule::ReturnType, u64::from(ty.size), 0);
    }

    fn variables(&mut self) {
        let vars = self.vars.get(..MAX_VARS).unwrap_or(self.vars);
        for (n, row) in vars.iter().enumerate() {
            let found = n as u64;
            let kind = matches!(row.kind, VAR_ARRAY | VAR_SCALAR);
            let scope = matches!(row.scope, SCOPE_GLOBAL | SCOPE_THREAD | SCOPE_LOCAL);
            let flags = row.flags & !(VAR_REF | VAR_MOD) == 0;
            self.demand(kind && scope && flags, Rule::VarRow, found, 0);
            let named = (row.name as usize) < self.strtab.len();
            self.demand(named, Rule::VarName, found, self.strtab.len() as u64);
            let earlier = vars.get(..n).unwrap_or_default();
            let twice = earlier.iter().any(|e| e.id == row.id && e.scope == row.scope);
            self.demand(!twice, Rule::VarTwice, found, 0);
            let declared = match u16::try_from(row.id) {
                Err(_) => false,
                Ok(id) if id >= VAR_USER_BASE => {
                    // D has no clause-local associative arrays.
                    row.kind == VAR_SCALAR || row.scope != SCOPE_LOCAL
                }
                Ok(id) => Builtin::from_id(id).is_some_and(|b| {
                    row.scope == SCOPE_GLOBAL
                        && (b.kind() == VarKind::Array) == (row.kind == VAR_ARRAY)
                }),
            };
            self.demand(declared, Rule::VarId, found, u64::from(row.id));
            // The type in a builtin's row is used only in listings.
            if row.id >= u32::from(VAR_USER_BASE) {
                let most = self.rules.max_by_ref.min(MAX_BY_REF);
                let size = match row.ty.is_by_ref() {
                    true => (1..=most).contains(&row.ty.size),
                    false => matches!(row.ty.size, 1 | 2 | 4 | 8),
                };
                // User memory is copied when it is read, so no variable holds a reference to it.
                let ok = well_formed(row.ty) && row.ty.flags & BY_UREF == 0 && size;
                self.demand(ok, Rule::VarType, found, u64::from(row.ty.size));
            }
        }
    }

    fn instructions(&mut self) {
        let text = self.text.get(..MAX_TEXT).unwrap_or(self.text);
        for (n, word) in text.iter().enumerate() {
            self.pc = n as u32;
            self.instruction(Insn(*word));
        }
        if let Some(last) = text.last() {
            let ret = Insn(*last).op() == Some(Op::Ret);
            self.demand(ret, Rule::LastRet, u64::from(*last), 0);
        }
        self.pc = VerifyError::NO_PC;
    }

    fn instruction(&mut self, insn: Insn) {
        let Some(op) = insn.op() else {
            return self.error(Rule::Opcode, u64::from(insn.number()), 0);
        };
        match op.format() {
            Format::Log3 => {
                self.read(insn.r1());
                self.read(insn.r2());
                // The third register of `copys` is an address, which it only reads.
                match op {
                    Op::Copys => self.read(insn.rd()),
                    _ => self.write(insn.rd()),
                }
            }
            Format::R1Rd | Format::Load => {
                self.read(insn.r1());
                self.reserved(insn.r2());
                self.write(insn.rd());
            }
            Format::Store => {
                self.read(insn.r1());
                self.reserved(insn.r2());
                self.read(insn.rd());
            }
            Format::Cmp => {
                self.read(insn.r1());
                self.read(insn.r2());
                self.reserved(insn.rd());
            }
            Format::Tst => {
                self.read(insn.r1());
                self.reserved(insn.r2());
                self.reserved(insn.rd());
            }
            Format::Branch => {
                let (label, len) = (insn.label(), self.text.len() as u64);
                let ok = label > self.pc && u64::from(label) < len;
                self.demand(ok, Rule::Branch, u64::from(label), len);
            }
            Format::SetInt => {
                let (index, len) = (insn.index(), self.inttab.len());
                let ok = usize::from(index) < len;
                self.demand(ok, Rule::Integer, u64::from(index), len as u64);
                self.write(insn.rd());
            }
            Format::SetStr => {
                let (index, len) = (insn.index(), self.strtab.len());
                let ok = usize::from(index) < len;
                self.demand(ok, Rule::String, u64::from(index), len as u64);
                self.write(insn.rd());
            }
            Format::Call => {
                match Subr::from_id(insn.index()) {
                    None => self.error(Rule::Subroutine, u64::from(insn.index()), 0),
                    Some(s) if subr::is_destructive(s) => self.destroys(u64::from(insn.index())),
                    Some(_) => {}
                }
                self.write(insn.rd());
            }
            Format::Xlate => self.error(Rule::Translator, u64::from(insn.index()), 0),
            Format::LoadVar => {
                self.variable(op, insn.index(), false);
                self.write(insn.rd());
            }
            Format::StoreVar => {
                self.variable(op, insn.index(), true);
                self.read(insn.rd());
            }
            Format::LoadArray => {
                let id = u64::from(insn.r1());
                // Thread-local arrays do not exist; `ldta` may pass and then faults at run time.
                let array = Builtin::from_id(u16::from(insn.r1()))
                    .is_some_and(|b| b.kind() == VarKind::Array && b.is_had());
                let ok = op == Op::Ldta || array;
                self.demand(ok, Rule::Builtin, id, u64::from(VAR_ARRAY_USER_BASE));
                self.read(insn.r2());
                self.write(insn.rd());
            }
            Format::StoreArray => {
                let id = u16::from(insn.r1());
                self.demand(id == Builtin::Uregs.id(), Rule::Store, u64::from(id), 0);
                self.read(insn.r2());
                self.read(insn.rd());
                self.destroys(u64::from(id));
            }
            Format::Push => {
                let ty = insn.r1();
                let ok = matches!(ty, KIND_CTF | KIND_STRING);
                self.demand(ok, Rule::Push, u64::from(ty), 2);
                self.read(insn.r2());
                self.read(insn.rd());
            }
            Format::None => {
                self.reserved(insn.r1());
                self.reserved(insn.r2());
                self.reserved(insn.rd());
            }
            Format::Ret => {
                self.reserved(insn.r1());
                self.reserved(insn.r2());
                self.read(insn.rd());
            }
        }
    }

    fn read(&mut self, register: u8) {
        let ok = usize::from(register) < NREGS;
        self.demand(ok, Rule::Register, u64::from(register), NREGS as u64);
    }

    fn write(&mut self, register: u8) {
        self.read(register);
        self.demand(register != 0, Rule::RegisterZero, 0, 0);
    }

    fn reserved(&mut self, bits: u8) {
        self.demand(bits == 0, Rule::Reserved, u64::from(bits), 0);
    }

    fn destroys(&mut self, what: u64) {
        self.destructive = true;
        self.demand(self.rules.allow_destructive, Rule::Destructive, what, 0);
    }

    fn variable(&mut self, op: Op, id: u16, store: bool) {
        let found = u64::from(id);
        let scope = scope_of(op);
        let kind = match op {
            Op::Ldgaa | Op::Stgaa | Op::Ldtaa | Op::Sttaa => VAR_ARRAY,
            _ => VAR_SCALAR,
        };
        if id < VAR_USER_BASE {
            if store {
                return self.error(Rule::Store, found, u64::from(VAR_USER_BASE));
            }
            let scalar = Builtin::from_id(id).is_some_and(|b| b.kind() != VarKind::Array);
            return self.demand(op == Op::Ldgs && scalar, Rule::Builtin, found, 0);
        }
        let vars = self.vars.get(..MAX_VARS).unwrap_or(self.vars);
        match vars.iter().find(|v| v.id == u32::from(id) && v.scope == scope) {
            None => self.error(Rule::Undeclared, found, u64::from(scope)),
            Some(row) => self.demand(row.kind == kind, Rule::Kind, found, u64::from(row.kind)),
        }
    }
}
