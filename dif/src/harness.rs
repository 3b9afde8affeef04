// SPDX-License-Identifier: GPL-2.0
//! A scripted host, and the promises that fuzzing checks.
//!
//! [`Script`] answers from maps that a test fills. It also records in [`Script::violations`] every
//! request that the machine has promised not to make (see [`Env`]).
//!
//! [`keeps_promise`] makes an object of any bytes and runs it if it is accepted. It must halt
//! within its length, make only permitted requests, and never panic. [`reads_back`] lists any words
//! and assembles the listing. `cargo test` runs both with a seeded generator, and cargo-fuzz runs
//! both.
#![cfg_attr(
    not(test),
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        reason = "host only: a panic is a finding"
    )
)]

use std::collections::HashMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use abi::dif::{Builtin, Format, Op, Subr, VarKind, NREGS, NTUPLE, VAR_USER_BASE};
use abi::difo::{
    DifType, DifVar, BY_REF, KIND_CTF, KIND_STRING, SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD,
    VAR_ARRAY, VAR_SCALAR,
};

use crate::addr;
use crate::asm::{assemble, Object};
use crate::bound::Prices;
use crate::decode::{Decoded, Program};
use crate::difo::Difo;
use crate::disasm;
use crate::env::{Env, Key, Scope, Space, Var};
use crate::fault::{FaultKind, Raised};
use crate::interp::{fetch_bytes, fetch_str, run};
use crate::op::Insn;
use crate::scratch::Clause;
use crate::subr;
use crate::verify::{Rules, Verified};

/// The region of variables by reference.
const VARS: u8 = addr::ENV_FIRST;
/// The region of strings that builtins return; it is read-only.
const STRINGS: u8 = addr::ENV_LAST;

/// A key that outlives the request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "as Key")]
pub enum OwnedKey {
    Value(u64),
    Bytes(Vec<u8>),
}

impl From<&Key<'_>> for OwnedKey {
    fn from(key: &Key<'_>) -> Self {
        match key {
            Key::Value(v) => OwnedKey::Value(*v),
            Key::Bytes(b) => OwnedKey::Bytes(b.to_vec()),
        }
    }
}

/// The place of a variable: scope, id, keys (none for a scalar).
pub type Place = (Scope, u16, Vec<OwnedKey>);

/// A host that answers from values that a test has set.
#[derive(Default, Clone)]
pub struct Script {
    /// Builtins by id and index; missing ones are 0.
    pub builtins: HashMap<(u16, u64), u64>,
    /// Kernel memory: address and bytes.
    pub kernel: Vec<(u64, Vec<u8>)>,
    /// Kernel memory that restricted loads may read.
    pub restricted: Vec<(u64, Vec<u8>)>,
    /// Memory of the process.
    pub user: Vec<(u64, Vec<u8>)>,
    /// Values of variables, or their addresses.
    pub vars: HashMap<Place, u64>,
    /// The bytes of variables by reference.
    pub storage: Vec<u8>,
    /// The most bytes that variables by reference may take.
    pub room: usize,
    /// The number of stores that found no room.
    pub drops: usize,
    /// The bytes that were copied out, with their addresses.
    pub copied_out: Vec<(u64, Vec<u8>)>,
    /// Elements of builtin arrays that were set.
    pub stored: Vec<(Builtin, u64, u64)>,
    /// Addresses without a script are readable, too, with bytes derived from the address.
    pub wild: bool,
    /// Promises that the machine broke.
    pub violations: Vec<String>,
    /// The number of instructions executed.
    pub steps: usize,
    /// Their cost in steps.
    pub spent: u64,
    /// The limit of their cost.
    pub limit: Option<u64>,
    /// Builtins that fault.
    pub faulty: Vec<Builtin>,
    strings: Vec<u8>,
    random: u64,
    last_pc: Option<u32>,
    /// The variables that the object declares and its rights; empty before [`Script::watch`].
    declared: Vec<DifVar>,
    destructive: bool,
    is_restricted: bool,
    length: usize,
    most: usize,
}

impl Script {
    /// Creates an empty script with room for variables.
    pub fn new() -> Self {
        Script { room: 1 << 20, ..Script::default() }
    }

    /// Starts watching a run of this object.
    pub fn watch<D: Difo>(&mut self, difo: &Verified<D>) {
        self.declared = difo.vars().to_vec();
        self.destructive = difo.is_destructive();
        self.is_restricted = difo.is_restricted();
        self.length = difo.text().len();
        self.most = difo.max_instructions() as usize;
        self.steps = 0;
        self.last_pc = None;
    }

    /// Gives a builtin a string and returns its address.
    pub fn set_string(&mut self, builtin: Builtin, text: &[u8]) -> u64 {
        let at = addr::make(STRINGS, self.strings.len() as u64);
        self.strings.extend_from_slice(text);
        self.strings.push(0);
        self.builtins.insert((builtin.id(), 0), at);
        at
    }

    fn demand(&mut self, holds: bool, what: &str) {
        self.demand_that(holds, format_args!("{what}"));
    }

    /// Works like [`Self::demand`], but formats the text only when it is needed.
    fn demand_that(&mut self, holds: bool, what: std::fmt::Arguments<'_>) {
        if !holds {
            self.violations.push(what.to_string());
        }
    }

    fn check_var(&mut self, var: &Var, kind: u8) {
        let declared =
            self.declared.iter().any(|row| Var::from_row(row) == *var && row.kind == kind);
        self.demand_that(declared, format_args!("variable not declared: {var:?}"));
    }

    fn place(&mut self, var: &Var, keys: &[Key<'_>]) -> Place {
        self.demand(keys.len() <= NTUPLE, "more keys than the tuple stack has");
        (var.scope, var.id, keys.iter().map(OwnedKey::from).collect())
    }

    fn set(&mut self, place: Place, var: &Var, value: u64) {
        self.demand(!var.ty.is_by_ref() || value == 0, "by reference, but stored by value");
        self.vars.insert(place, value);
    }

    fn room_for(&mut self, place: Place, var: &Var) -> Option<u64> {
        self.demand(var.ty.is_by_ref(), "by value, but stored by reference");
        if let Some(&at) = self.vars.get(&place).filter(|at| **at != 0) {
            return Some(at);
        }
        let start = self.storage.len();
        let size = var.ty.size as usize;
        if start + size > self.room {
            self.drops += 1;
            return None;
        }
        Some(self.zeros(place, size))
    }

    fn zeros(&mut self, place: Place, size: usize) -> u64 {
        let start = self.storage.len();
        self.storage.resize(start + size, 0);
        let at = addr::make(VARS, start as u64);
        self.vars.insert(place, at);
        at
    }

    fn byte(&self, space: Space, at: u64) -> Option<u8> {
        let within = |memory: &[(u64, Vec<u8>)]| {
            memory.iter().find_map(|(start, bytes)| {
                bytes.get(usize::try_from(at.checked_sub(*start)?).ok()?).copied()
            })
        };
        match addr::split(at) {
            Some((VARS, off)) => return self.storage.get(off as usize).copied(),
            Some((STRINGS, off)) => return self.strings.get(off as usize).copied(),
            Some(_) => return None,
            None => {}
        }
        let scripted = match space {
            Space::Kernel => within(&self.kernel).or_else(|| within(&self.restricted)),
            Space::Restricted => within(&self.restricted),
            Space::User => within(&self.user),
        };
        // The lowest page is never mapped; elsewhere one byte in 31 ends a string.
        let made = || (self.wild && at >= 4096).then(|| (at.wrapping_mul(0x9e37_79b9) % 31) as u8);
        scripted.or_else(made)
    }
}

impl Env for Script {
    const WATCHES: bool = true;

    fn spend(&mut self, cost: u32) -> Result<(), Raised> {
        self.spent += u64::from(cost);
        match self.limit {
            Some(limit) if self.spent > limit => Err(Raised::plain(FaultKind::IllOp)),
            _ => Ok(()),
        }
    }

    fn step(&mut self, pc: u32) {
        self.steps += 1;
        if self.length == 0 {
            // Not watched.
            return;
        }
        assert!(self.steps <= self.most, "step {} of {} at pc {pc}", self.steps, self.most);
        let forward = self.last_pc.is_none_or(|last| pc > last) && (pc as usize) < self.length;
        self.demand(forward, "a step that does not go forward inside the object");
        self.last_pc = Some(pc);
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> Result<u64, Raised> {
        let array = builtin.kind() == VarKind::Array;
        self.demand(array || index == 0, "an index for a scalar");
        if self.faulty.contains(&builtin) {
            return Err(Raised::bad_addr(builtin.id().into()));
        }
        Ok(self.builtins.get(&(builtin.id(), index)).copied().unwrap_or(0))
    }

    fn load_var(&mut self, var: &Var) -> Result<u64, Raised> {
        self.check_var(var, VAR_SCALAR);
        let place = self.place(var, &[]);
        Ok(match self.vars.get(&place).copied().unwrap_or(0) {
            0 if var.ty.is_by_ref() && !var.ty.is_string() => {
                self.zeros(place, var.ty.size as usize)
            }
            value => value,
        })
    }

    fn store_var(&mut self, var: &Var, value: u64) -> Result<(), Raised> {
        self.check_var(var, VAR_SCALAR);
        let place = self.place(var, &[]);
        self.set(place, var, value);
        Ok(())
    }

    fn ref_var_for_store(&mut self, var: &Var) -> Result<Option<u64>, Raised> {
        self.check_var(var, VAR_SCALAR);
        let place = self.place(var, &[]);
        Ok(self.room_for(place, var))
    }

    fn load_tuple(&mut self, var: &Var, keys: &[Key<'_>]) -> Result<u64, Raised> {
        self.check_var(var, VAR_ARRAY);
        let place = self.place(var, keys);
        Ok(self.vars.get(&place).copied().unwrap_or(0))
    }

    fn store_tuple(&mut self, var: &Var, keys: &[Key<'_>], value: u64) -> Result<(), Raised> {
        self.check_var(var, VAR_ARRAY);
        let place = self.place(var, keys);
        self.set(place, var, value);
        Ok(())
    }

    fn store_ref(&mut self, var: &Var, keys: &[Key<'_>], bytes: &[u8]) -> Result<(), Raised> {
        let is_row = |row: &&DifVar| Var::from_row(row) == *var;
        let kind = self.declared.iter().find(is_row).map_or(VAR_ARRAY, |row| row.kind);
        self.check_var(var, kind);
        let thread = var.scope == Scope::Thread && keys.is_empty();
        self.demand(thread || kind == VAR_ARRAY, "a global or local variable that is freed");
        let most = if var.ty.is_string() { var.ty.size.saturating_sub(1) } else { var.ty.size };
        self.demand(bytes.len() <= most as usize, "more bytes than the variable has");
        let place = self.place(var, keys);
        if let Some(at) = self.room_for(place, var) {
            let mut all = bytes.to_vec();
            all.resize(var.ty.size as usize, 0);
            self.store(at, &all)?;
        }
        Ok(())
    }

    fn load(&mut self, space: Space, at: u64, into: &mut [u8]) -> Result<(), Raised> {
        let ours = addr::split(at).is_none_or(|(r, _)| addr::is_env(r) && space != Space::User);
        self.demand_that(ours, format_args!("{space:?} load of {at:#x}"));
        self.demand(at.checked_add(into.len() as u64).is_some(), "a load that wraps");
        let restricted = self.is_restricted && space == Space::Kernel;
        self.demand(!restricted, "kernel load by a restricted object");
        for (n, byte) in into.iter_mut().enumerate() {
            let at_byte = at.wrapping_add(n as u64);
            *byte = self.byte(space, at_byte).ok_or(Raised::bad_addr(at_byte))?;
        }
        Ok(())
    }

    fn store(&mut self, at: u64, bytes: &[u8]) -> Result<(), Raised> {
        let ours = addr::split(at).is_some_and(|(r, _)| addr::is_env(r));
        self.demand_that(ours, format_args!("store to {at:#x}"));
        let bad = Raised::bad_addr(at);
        match addr::split(at) {
            Some((VARS, off)) => {
                let to =
                    self.storage.get_mut(off as usize..).and_then(|s| s.get_mut(..bytes.len()));
                to.ok_or(bad)?.copy_from_slice(bytes);
                Ok(())
            }
            _ => Err(bad),
        }
    }

    fn store_builtin(&mut self, b: Builtin, index: u64, value: u64) -> Result<(), Raised> {
        self.demand(self.destructive && b == Builtin::Uregs, "store to a builtin array");
        self.stored.push((b, index, value));
        Ok(())
    }

    fn copyout(&mut self, uaddr: u64, bytes: &[u8]) -> Result<(), Raised> {
        let allowed = self.destructive && addr::split(uaddr).is_none();
        self.demand_that(allowed, format_args!("copyout to {uaddr:#x}"));
        self.demand(uaddr.checked_add(bytes.len() as u64).is_some(), "a copyout that wraps");
        self.copied_out.push((uaddr, bytes.to_vec()));
        Ok(())
    }

    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.random
    }

    fn progenyof(&mut self, pid: u64) -> Result<bool, Raised> {
        Ok(pid == 1)
    }

    fn speculation(&mut self) -> Result<u64, Raised> {
        Ok(1)
    }

    fn subr(&mut self, subr: Subr, args: &[u64]) -> Result<u64, Raised> {
        self.demand(args.len() <= NTUPLE, "more arguments than the tuple stack has");
        self.demand(!subr::is_destructive(subr), "a destructive subroutine by the common door");
        Err(Raised::ill_op())
    }
}

/// A script that does not watch, so that objects without need for the loop run without it.
pub struct Unwatched<'s>(pub &'s mut Script);

macro_rules! as_the_script_does {
    ($(fn $f:ident($($arg:ident: $ty:ty),*) $(-> $answer:ty)?;)*) => {
        $(fn $f(&mut self, $($arg: $ty),*) $(-> $answer)? { self.0.$f($($arg),*) })*
    };
}

impl Env for Unwatched<'_> {
    as_the_script_does! {
        fn spend(cost: u32) -> Result<(), Raised>;
        fn builtin(builtin: Builtin, index: u64) -> Result<u64, Raised>;
        fn load_var(var: &Var) -> Result<u64, Raised>;
        fn store_var(var: &Var, value: u64) -> Result<(), Raised>;
        fn ref_var_for_store(var: &Var) -> Result<Option<u64>, Raised>;
        fn load_tuple(var: &Var, keys: &[Key<'_>]) -> Result<u64, Raised>;
        fn store_tuple(var: &Var, keys: &[Key<'_>], value: u64) -> Result<(), Raised>;
        fn store_ref(var: &Var, keys: &[Key<'_>], bytes: &[u8]) -> Result<(), Raised>;
        fn load(space: Space, at: u64, into: &mut [u8]) -> Result<(), Raised>;
        fn load_str(space: Space, at: u64, into: &mut [u8]) -> Result<usize, Raised>;
        fn store(at: u64, bytes: &[u8]) -> Result<(), Raised>;
        fn store_builtin(b: Builtin, index: u64, value: u64) -> Result<(), Raised>;
        fn copyout(uaddr: u64, bytes: &[u8]) -> Result<(), Raised>;
        fn random() -> u64;
        fn progenyof(pid: u64) -> Result<bool, Raised>;
        fn speculation() -> Result<u64, Raised>;
        fn subr(subr: Subr, args: &[u64]) -> Result<u64, Raised>;
    }
}

/// Runs an object of a simple shape with and without the loop, in copies of the script. Result,
/// cost and effects must be the same. `None` if it has no such shape.
pub fn quick_and_loop_agree<D: Difo>(
    difo: &Program<D, Vec<Decoded>>,
    script: &Script,
) -> Option<Result<u64, crate::Fault>> {
    if *difo.quick() == crate::Quick::No {
        return None;
    }
    let (mut one, mut other) = (script.clone(), script.clone());
    let answer = run(difo, &mut Clause::new(&mut [], 64), &mut Unwatched(&mut one));
    let expected = crate::run_loop(difo, &mut Clause::new(&mut [], 64), &mut other);
    let text = || format!("{:?}\n{}", difo.quick(), listing(&***difo));
    if script.limit.is_none() {
        assert_eq!(answer, expected, "{}", text());
        assert_eq!(one.spent, other.spent, "{}", text());
    } else {
        assert_eq!(answer.is_ok(), expected.is_ok(), "{}", text());
    }
    assert_eq!(one.vars, other.vars, "{}", text());
    assert_eq!(one.drops, other.drops, "{}", text());
    Some(answer)
}

/// The outcome for some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The verifier refused.
    Refused,
    /// It ran to `ret`.
    Returned,
    /// It ran into a fault.
    Faulted,
}

/// A source of bytes that continues with zeros.
struct Source<'b>(&'b [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let first = self.0.first().copied().unwrap_or(0);
        self.0 = self.0.get(1..).unwrap_or_default();
        first
    }
    fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }
}

/// Values that programs often mishandle.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    7,
    8,
    10,
    16,
    36,
    63,
    64,
    255,
    4096,
    4097,
    0x7fff_ffff_ffff_fff8,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX,
    u64::MAX - 7,
    addr::make(addr::STRTAB, 1),
    addr::make(addr::SCRATCH, 0),
    addr::make(addr::SCRATCH, 8),
    addr::make(VARS, 0),
    addr::make(STRINGS, 0),
    addr::make(0x33, 0),
];

/// Makes an object from any bytes. With `tame`, most words are changed to what the verifier
/// accepts, so that the run is tested and not only the verifier.
fn object_of(source: &mut Source<'_>, tame: bool) -> Object {
    let counts = source.byte();
    let mut object = Object::default();
    for n in 0..counts & 15 {
        let b = source.byte();
        let value = match b {
            0..=127 => EDGES[usize::from(b) % EDGES.len()],
            _ => u64::from(source.word()) << (b & 31),
        };
        object.inttab.push(value.wrapping_add(u64::from(n) & 1));
    }
    object.strtab.push(0);
    for _ in 0..counts >> 4 {
        let b = source.byte();
        let alphabet = b"\0\0/./..ab{}[]:,\"\\019-x \n";
        object.strtab.push(if b < 200 { alphabet[usize::from(b) % alphabet.len()] } else { b });
    }
    if tame {
        object.strtab.push(0);
    }
    for n in 0..source.byte() & 7 {
        let b = source.byte();
        let size = [1, 2, 4, 8, 1, 5, 16, 300][usize::from(b & 7)];
        let ty = match b >> 3 & 3 {
            0 | 1 if tame => DifType::integer([1, 2, 4, 8][usize::from(b & 3)]),
            2 => DifType { kind: KIND_CTF, ctf_kind: 0, flags: BY_REF, pad: 0, size },
            3 => DifType { kind: KIND_STRING, ctf_kind: 0, flags: BY_REF, pad: 0, size },
            _ => DifType { kind: b >> 6, ctf_kind: 0, flags: b & 7, pad: 0, size },
        };
        let scope = [SCOPE_GLOBAL, SCOPE_THREAD, SCOPE_LOCAL][usize::from(b >> 5) % 3];
        let array = b & 0x80 != 0 && scope != SCOPE_LOCAL;
        let kind = if array { VAR_ARRAY } else { VAR_SCALAR };
        let id = if tame { u32::from(VAR_USER_BASE) + u32::from(n) } else { source.word() & 0x7ff };
        object.vars.push(DifVar { name: 0, id, kind, scope, flags: 0, ty });
    }
    object.rtype = match source.byte() & 3 {
        0 => DifType::string(64),
        1 => DifType { kind: KIND_CTF, ctf_kind: 0, flags: BY_REF, pad: 0, size: 24 },
        _ => DifType::integer(8),
    };
    let length = source.0.len().div_ceil(4).clamp(1, 512);
    for pc in 0..length {
        let word = source.word();
        object.text.push(if tame { tamed(word, pc, length, &object) } else { word });
    }
    if tame {
        object.text[length - 1] = Insn::registers(Op::Ret, 0, 0, length as u8 & 7).0;
    }
    object
}

/// Returns a word like this one that the verifier accepts, as far as the object allows.
fn tamed(word: u32, pc: usize, length: usize, object: &Object) -> u32 {
    let insn = Insn(word);
    let op = Op::ALL[usize::from(insn.number()) % Op::ALL.len()];
    let (r1, r2) = (insn.r1() & 7, insn.r2() & 7);
    let rd = (insn.rd() & 7).max(1);
    let pick = |n: usize| if n == 0 { 0 } else { (usize::from(insn.index()) % n) as u16 };
    match op.format() {
        Format::Log3 => Insn::registers(op, r1, r2, rd),
        Format::R1Rd | Format::Load | Format::Store => Insn::registers(op, r1, 0, rd),
        Format::Cmp => Insn::registers(op, r1, r2, 0),
        Format::Tst => Insn::registers(op, r1, 0, 0),
        Format::Branch => {
            let room = length.saturating_sub(pc + 1).max(1);
            // Usually short branches, so that there is something left to run.
            let step = (insn.label() as usize % 8) % room;
            Insn::branch(op, (pc + 1 + step) as u32)
        }
        Format::SetInt => Insn::indexed(op, pick(object.inttab.len()), rd),
        Format::SetStr => Insn::indexed(op, pick(object.strtab.len()), rd),
        Format::Call => Insn::indexed(op, pick(Subr::ALL.len()), rd),
        Format::Xlate => Insn::registers(Op::Nop, 0, 0, 0),
        Format::LoadVar | Format::StoreVar => {
            let (scope, kind) = match op {
                Op::Ldgs | Op::Stgs => (SCOPE_GLOBAL, VAR_SCALAR),
                Op::Ldts | Op::Stts => (SCOPE_THREAD, VAR_SCALAR),
                Op::Ldls | Op::Stls => (SCOPE_LOCAL, VAR_SCALAR),
                Op::Ldgaa | Op::Stgaa => (SCOPE_GLOBAL, VAR_ARRAY),
                _ => (SCOPE_THREAD, VAR_ARRAY),
            };
            let fits: Vec<_> =
                object.vars.iter().filter(|v| v.scope == scope && v.kind == kind).collect();
            if fits.is_empty() {
                let b = Builtin::ALL[4 + usize::from(insn.index()) % (Builtin::ALL.len() - 4)];
                return Insn::indexed(Op::Ldgs, b.id(), rd).0;
            }
            Insn::indexed(op, fits[usize::from(insn.index()) % fits.len()].id as u16, rd)
        }
        Format::LoadArray => Insn::registers(op, insn.r1() & 2, r2, rd),
        Format::StoreArray => Insn::registers(op, 2, r2, rd),
        Format::Push => Insn::registers(op, insn.r1() & 1, r2, rd),
        Format::None => Insn::registers(op, 0, 0, 0),
        Format::Ret => Insn::registers(if r1 == 0 { op } else { Op::Popts }, 0, 0, 0),
    }
    .0
}

/// Makes an object of any bytes. If it is accepted, runs it twice in one clause and fetches the
/// result. Panics if the machine breaks a promise.
pub fn keeps_promise(bytes: &[u8]) -> Fate {
    let mut source = Source(bytes);
    let mode = source.byte();
    let sizes = source.byte();
    let object = object_of(&mut source, mode & 3 != 0);
    let rules = Rules {
        allow_destructive: mode & 4 != 0,
        allow_kernel_loads: mode & 8 != 0,
        ..Rules::DEFAULT
    };
    let Some(difo) = Program::of(object, &rules, &mut |_| ()) else { return Fate::Refused };
    assert!(rules.allow_destructive || !difo.is_destructive());

    let mut scratch = [0xa5; 1024];
    let size = [1024, 512, 100, 33, 8, 7, 1, 0][usize::from(sizes & 7)];
    let strsize = [256, 64, 33, 32, 17, 8, 2, 1][usize::from(sizes >> 3 & 7)];
    let mut clause = Clause::new(&mut scratch[..size], strsize);
    let mut env = Script::new();
    env.wild = true;
    env.room = if mode & 16 != 0 { 0 } else { 600 };
    env.set_string(Builtin::Execname, b"/usr/bin/sh, {\"a\": [1, 2]}");
    env.builtins.insert((Builtin::Arg0.id(), 0), 0xffff_8880_0000_1000);
    let mut fate = Fate::Returned;
    let most = difo.max_steps(&Prices::new(strsize));
    quick_and_loop_agree(&difo, &env);
    for _ in 0..2 {
        env.watch(&difo);
        env.spent = 0;
        let answer = run(&difo, &mut clause, &mut env);
        assert!(env.spent <= u64::from(most), "{} steps, at most {most}", env.spent);
        assert!(clause.used() <= size);
        match answer {
            Err(fault) => {
                assert!((fault.pc as usize) < difo.text().len(), "{fault:?}");
                fate = Fate::Faulted;
            }
            Ok(at) if difo.rtype().is_string() => {
                let mut out = [0xff; 64];
                if let Ok(len) = fetch_str(&difo, &mut clause, &mut env, at, &mut out) {
                    assert!(len < out.len() && out[len..].iter().all(|b| *b == 0));
                    assert!(!out[..len].contains(&0));
                }
            }
            Ok(at) if difo.rtype().is_by_ref() => {
                let _ = fetch_bytes(&difo, &mut clause, &mut env, at, &mut [0; 24]);
            }
            Ok(_) => {}
        }
    }
    assert!(env.violations.is_empty(), "{:?}\n{}", env.violations, listing(&**difo));
    fate
}

/// Returns the listing as text.
pub fn listing<D: Difo>(difo: &D) -> String {
    let mut text = String::new();
    disasm::write(difo, &mut text).expect("a String takes everything");
    text
}

/// Lists an object made of any bytes and assembles the listing, which must give the same words.
/// Words that the listing does not show completely (unknown opcodes, reserved bits) are left out.
pub fn reads_back(bytes: &[u8]) {
    let mut source = Source(bytes);
    let tame = source.byte() & 1 != 0;
    let mut object = object_of(&mut source, tame);
    let any = listing(&object);
    assert!(any.starts_with("OFF OPCODE      INSTRUCTION\n"));
    object.text.retain(|word| shown_completely(Insn(*word)));
    let text = listing(&object);
    let back = assemble(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(back.text, object.text, "{text}");
}

fn shown_completely(insn: Insn) -> bool {
    let zero = |parts: &[u8]| parts.iter().all(|p| *p == 0);
    let Some(op) = insn.op() else { return false };
    match op.format() {
        Format::R1Rd | Format::Load | Format::Store => zero(&[insn.r2()]),
        Format::Cmp => zero(&[insn.rd()]),
        Format::Tst => zero(&[insn.r2(), insn.rd()]),
        Format::None => zero(&[insn.r1(), insn.r2(), insn.rd()]),
        Format::Ret => zero(&[insn.r1(), insn.r2()]),
        Format::Push => op == Op::Pushtr || zero(&[insn.r2()]),
        _ => true,
    }
}

/// A pseudo-random generator (xorshift) for reproducible cases.
pub struct Seeded(pub u64);

impl Seeded {
    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// Returns `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| (self.number() >> 32) as u8).collect()
    }
}

/// Checks both promises for `cases` generated inputs. Returns how many objects were refused,
/// returned, and faulted.
pub fn many_cases(seed: u64, cases: usize) -> [usize; 3] {
    let mut random = Seeded(seed | 1);
    let mut fates = [0; 3];
    for n in 0..cases {
        let len = 8 + (random.number() % 160) as usize;
        let bytes = random.bytes(len);
        fates[keeps_promise(&bytes) as usize] += 1;
        if n % 16 == 0 {
            reads_back(&bytes);
        }
    }
    fates
}

const _: () = assert!(NREGS == 8);
