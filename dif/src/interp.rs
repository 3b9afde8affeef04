// SPDX-License-Identifier: GPL-2.0
//! The loop: one instruction after the other until `ret` or a fault.
//!
//! Runs in probe context. Per instruction: one word, one match. The state is eight registers, the
//! condition codes and the tuple stack, about 250 bytes; whatever needs more (strings, keys) works
//! in the clause's scratch, in functions of their own, so that the loop's frame stays small.
//!
//! Arithmetic wraps. A shift uses the low six bits of its count. Division by zero is a fault;
//! the one quotient that does not fit (the smallest number by -1) wraps.

use abi::dif::{Builtin, Op, Subr, NREGS, VAR_USER_BASE};
use abi::difo::{BY_UREF, KIND_STRING, SCOPE_GLOBAL, SCOPE_LOCAL, SCOPE_THREAD};
use bitflags::bitflags;
use core::cmp::Ordering;

use crate::bound::of_bytes;
use crate::difo::Difo;
use crate::env::{Env, Scope, Space, Var};
use crate::fault::{Fault, FaultKind, Raised};
use crate::mem::{str_len, Mem};
use crate::op::Insn;
use crate::scratch::Clause;
use crate::subr;
use crate::tuple::{Pushed, Tuple};
use crate::verify::Verified;

bitflags! {
    /// Condition codes. Unlike the classic machines we compute V, so that signed branches are
    /// right for operands whose difference overflows; the listing is the same.
    #[derive(Clone, Copy)]
    struct Cc: u8 {
        /// The difference is negative.
        const N = 1;
        /// The difference is zero.
        const Z = 2;
        /// The signed difference overflows.
        const V = 4;
        /// The unsigned difference borrows.
        const C = 8;
    }
}

impl Cc {
    fn of_difference(a: u64, b: u64) -> Cc {
        let (difference, borrow) = a.overflowing_sub(b);
        // CAST: the same bits, signed.
        let overflow = (a as i64).overflowing_sub(b as i64).1;
        let mut cc = Cc::empty();
        cc.set(Cc::N, (difference as i64) < 0);
        cc.set(Cc::Z, difference == 0);
        cc.set(Cc::V, overflow);
        cc.set(Cc::C, borrow);
        cc
    }
    fn of_order(order: Ordering) -> Cc {
        match order {
            Ordering::Less => Cc::N,
            Ordering::Equal => Cc::Z,
            Ordering::Greater => Cc::empty(),
        }
    }
    fn equal(self) -> bool {
        self.contains(Cc::Z)
    }
    /// Signed: N differs from V.
    fn less(self) -> bool {
        self.contains(Cc::N) != self.contains(Cc::V)
    }
    fn below(self) -> bool {
        self.contains(Cc::C)
    }
}

/// The integer registers. A verified number is below [`NREGS`]; the mask says so to the compiler.
struct Registers([u64; NREGS]);

impl Registers {
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "PANIC: masked to the length")]
    fn get(&self, r: u8) -> u64 {
        self.0[usize::from(r) & (NREGS - 1)]
    }
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "PANIC: masked to the length")]
    fn set(&mut self, r: u8, value: u64) {
        self.0[usize::from(r) & (NREGS - 1)] = value;
    }
}

const _: () = assert!(NREGS.is_power_of_two());

/// Runs an object to its `ret` and answers with the value returned: for a type by reference, an
/// address for [`fetch_bytes`] or [`fetch_str`].
///
/// # Context
///
/// Probe: no sleep, no lock, no allocation; the host's functions must keep to it too.
#[inline]
pub fn run<D: Difo, E: Env>(
    difo: &Verified<D>,
    clause: &mut Clause<'_>,
    env: &mut E,
) -> Result<u64, Fault> {
    if !E::WATCHES {
        if let Some(answer) = difo.quick().run(env) {
            return answer;
        }
    }
    run_loop(difo, clause, env)
}

/// As [`run`], by the loop whatever the object looks like.
///
/// # Context
///
/// Probe.
#[inline(never)]
pub fn run_loop<D: Difo, E: Env>(
    difo: &Verified<D>,
    clause: &mut Clause<'_>,
    env: &mut E,
) -> Result<u64, Fault> {
    let mut pc = 0;
    let mut mem = mem_of(difo, clause, env);
    execute(difo, &mut mem, &mut pc).map_err(|raised| raised.at(pc))
}

fn mem_of<'a, 'm, D: Difo, E: Env>(
    difo: &'a Verified<D>,
    clause: &'a mut Clause<'m>,
    env: &'a mut E,
) -> Mem<'a, 'm, E> {
    let kernel = if difo.is_restricted() { Space::Restricted } else { Space::Kernel };
    Mem { strtab: difo.strtab(), clause, env, kernel }
}

/// The loop. `pc` is left at the instruction that ended it.
#[inline(always)]
fn execute<D: Difo, E: Env>(
    difo: &Verified<D>,
    mem: &mut Mem<'_, '_, E>,
    pc: &mut u32,
) -> Result<u64, Raised> {
    let text = difo.text();
    let mut regs = Registers([0; NREGS]);
    let mut cc = Cc::empty();
    let mut tuple = Tuple::new();
    let mut next: u32 = 0;
    loop {
        *pc = next;
        // CAST: 32 bits fit a usize wherever this runs. Neither error can occur in a verified
        // object; they are faults so that nothing can go wrong elsewhere.
        let insn = Insn(*text.get(next as usize).ok_or(Raised::ill_op())?);
        let op = insn.op().ok_or(Raised::ill_op())?;
        mem.env.step(next);
        mem.env.spend(match op {
            Op::Call | Op::Scmp => mem.clause.string_cost(),
            Op::Copys => of_bytes(regs.get(insn.r2()).min(mem.clause.longest_copy())),
            _ => 1,
        })?;
        next = next.wrapping_add(1);

        let (r1, r2, rd) = (insn.r1(), insn.r2(), insn.rd());
        macro_rules! jump {
            ($taken:expr) => {{
                branch($taken, insn, &mut next)?;
                continue;
            }};
        }
        // One slot for every answer, so that the frame stays small.
        // CAST in this match: between u64 and i64, the same bits; to narrower types, the low bits.
        let answer: Result<u64, Raised> = match op {
            Op::Or => Ok(regs.get(r1) | regs.get(r2)),
            Op::Xor => Ok(regs.get(r1) ^ regs.get(r2)),
            Op::And => Ok(regs.get(r1) & regs.get(r2)),
            Op::Sll => Ok(regs.get(r1).wrapping_shl(regs.get(r2) as u32)),
            Op::Srl => Ok(regs.get(r1).wrapping_shr(regs.get(r2) as u32)),
            Op::Sra => Ok((regs.get(r1) as i64).wrapping_shr(regs.get(r2) as u32) as u64),
            Op::Sub => Ok(regs.get(r1).wrapping_sub(regs.get(r2))),
            Op::Add => Ok(regs.get(r1).wrapping_add(regs.get(r2))),
            Op::Mul => Ok(regs.get(r1).wrapping_mul(regs.get(r2))),
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => divide(op, regs.get(r1), regs.get(r2)),
            Op::Not => Ok(!regs.get(r1)),
            Op::Mov => Ok(regs.get(r1)),
            Op::Cmp => {
                cc = Cc::of_difference(regs.get(r1), regs.get(r2));
                continue;
            }
            Op::Tst => {
                cc = if regs.get(r1) == 0 { Cc::Z } else { Cc::empty() };
                continue;
            }
            Op::Scmp => {
                cc = Cc::of_order(mem.strcmp(regs.get(r1), regs.get(r2))?);
                continue;
            }

            Op::Ba => jump!(true),
            Op::Be => jump!(cc.equal()),
            Op::Bne => jump!(!cc.equal()),
            Op::Bg => jump!(!(cc.equal() || cc.less())),
            Op::Bgu => jump!(!(cc.equal() || cc.below())),
            Op::Bge => jump!(!cc.less()),
            Op::Bgeu => jump!(!cc.below()),
            Op::Bl => jump!(cc.less()),
            Op::Blu => jump!(cc.below()),
            Op::Ble => jump!(cc.equal() || cc.less()),
            Op::Bleu => jump!(cc.equal() || cc.below()),

            Op::Ldsb | Op::Ldsh | Op::Ldsw | Op::Ldub | Op::Lduh | Op::Lduw | Op::Ldx => {
                let shape = (op as u8).wrapping_sub(Op::Ldsb as u8);
                load(mem, mem.kernel, shape, regs.get(r1))
            }
            Op::Uldsb | Op::Uldsh | Op::Uldsw | Op::Uldub | Op::Ulduh | Op::Ulduw | Op::Uldx => {
                let shape = (op as u8).wrapping_sub(Op::Uldsb as u8);
                load(mem, Space::User, shape, regs.get(r1))
            }
            Op::Rldsb | Op::Rldsh | Op::Rldsw | Op::Rldub | Op::Rlduh | Op::Rlduw | Op::Rldx => {
                let shape = (op as u8).wrapping_sub(Op::Rldsb as u8);
                load(mem, Space::Restricted, shape, regs.get(r1))
            }
            Op::Stb | Op::Sth | Op::Stw | Op::Stx => {
                let shift = (op as u8).wrapping_sub(Op::Stb as u8);
                store(mem, regs.get(rd), shift, regs.get(r1))?;
                continue;
            }
            Op::Copys => {
                mem.copy(regs.get(r1), regs.get(rd), regs.get(r2))?;
                continue;
            }
            Op::Allocs => subr::alloc(mem, regs.get(r1)),

            Op::Ret => return Ok(regs.get(rd)),
            Op::Nop => continue,
            Op::Setx => {
                difo.inttab().get(usize::from(insn.index())).copied().ok_or(Raised::ill_op())
            }
            Op::Sets => Ok(crate::addr::make(crate::addr::STRTAB, u64::from(insn.index()))),

            Op::Ldga => match Builtin::from_id(u16::from(r1)) {
                Some(b) => mem.env.builtin(b, regs.get(r2)),
                None => Err(Raised::ill_op()),
            },
            Op::Stga => {
                let b = Builtin::from_id(u16::from(r1)).ok_or(Raised::ill_op())?;
                mem.env.store_builtin(b, regs.get(r2), regs.get(rd))?;
                continue;
            }
            // Thread-local arrays of this kind never existed anywhere.
            Op::Ldta => Err(Raised::ill_op()),
            Op::Ldgs if insn.index() < VAR_USER_BASE => match Builtin::from_id(insn.index()) {
                Some(b) => mem.env.builtin(b, 0),
                None => Err(Raised::ill_op()),
            },
            Op::Ldgs | Op::Ldts | Op::Ldls => load_var(mem, difo, op, insn.index()),
            Op::Stgs | Op::Stts | Op::Stls => {
                store_var(mem, difo, op, insn.index(), regs.get(rd))?;
                continue;
            }
            Op::Ldgaa | Op::Ldtaa => load_element(mem, difo, op, insn.index(), &tuple),
            Op::Stgaa | Op::Sttaa => {
                store_element(mem, difo, op, insn.index(), &tuple, regs.get(rd))?;
                continue;
            }

            Op::Call => match Subr::from_id(insn.index()) {
                Some(s) => subr::call(mem, s, subr::Args(&tuple)),
                None => Err(Raised::ill_op()),
            },
            Op::Pushtr | Op::Pushtv => {
                let pushed = match op {
                    Op::Pushtv => Pushed::value(regs.get(rd)),
                    _ => Pushed::reference(regs.get(rd), regs.get(r2), r1 == KIND_STRING),
                };
                if tuple.push(pushed).is_err() {
                    return Err(Raised::plain(FaultKind::TupOflow));
                }
                continue;
            }
            Op::Popts => {
                tuple.pop();
                continue;
            }
            Op::Flushts => {
                tuple.clear();
                continue;
            }

            // The verifier refuses them.
            Op::Xlate | Op::Xlarg => Err(Raised::ill_op()),
        };
        regs.set(rd, answer?);
    }
}

/// The scope of the variable that an instruction names.
fn scope_of(op: Op) -> u8 {
    match op {
        Op::Ldts | Op::Stts | Op::Ldtaa | Op::Sttaa => SCOPE_THREAD,
        Op::Ldls | Op::Stls => SCOPE_LOCAL,
        _ => SCOPE_GLOBAL,
    }
}

#[inline(always)]
fn branch(taken: bool, insn: Insn, next: &mut u32) -> Result<(), Raised> {
    if taken {
        let label = insn.label();
        // `next` is already one further. A verified label is never less; this keeps the promise
        // that every run halts, whatever an implementation of `Difo` does.
        if label < *next {
            return Err(Raised::ill_op());
        }
        *next = label;
    }
    Ok(())
}

#[allow(clippy::arithmetic_side_effects, reason = "PANIC: the divisor is not zero")]
fn divide(op: Op, a: u64, b: u64) -> Result<u64, Raised> {
    if b == 0 {
        return Err(Raised::plain(FaultKind::DivZero));
    }
    // CAST: the same bits, signed and back.
    let (sa, sb) = (a as i64, b as i64);
    Ok(match op {
        Op::Udiv => a.wrapping_div(b),
        Op::Urem => a.wrapping_rem(b),
        Op::Sdiv => sa.wrapping_div(sb) as u64,
        _ => sa.wrapping_rem(sb) as u64,
    })
}

/// Loads one value, from any address: the processor minds no alignment, and packed structs have none.
/// `shape` is the place in the row `sb sh sw ub uh uw x` that all three families
/// of loads have.
#[inline(never)]
fn load<E: Env>(mem: &mut Mem<'_, '_, E>, space: Space, shape: u8, at: u64) -> Result<u64, Raised> {
    fn bytes<E: Env, const N: usize>(
        mem: &mut Mem<'_, '_, E>,
        space: Space,
        at: u64,
    ) -> Result<[u8; N], Raised> {
        let mut into = [0; N];
        mem.load(space, at, &mut into)?;
        Ok(into)
    }
    // CAST: signed values are extended.
    Ok(match shape {
        0 => i8::from_le_bytes(bytes(mem, space, at)?) as u64,
        1 => i16::from_le_bytes(bytes(mem, space, at)?) as u64,
        2 => i32::from_le_bytes(bytes(mem, space, at)?) as u64,
        3 => u64::from(u8::from_le_bytes(bytes(mem, space, at)?)),
        4 => u64::from(u16::from_le_bytes(bytes(mem, space, at)?)),
        5 => u64::from(u32::from_le_bytes(bytes(mem, space, at)?)),
        _ => u64::from_le_bytes(bytes(mem, space, at)?),
    })
}

/// Stores the low `1 << shift` bytes of a value.
#[inline(never)]
fn store<E: Env>(mem: &mut Mem<'_, '_, E>, at: u64, shift: u8, value: u64) -> Result<(), Raised> {
    let size = 1usize << (shift & 3);
    mem.store(at, value.to_le_bytes().get(..size).unwrap_or_default())
}

/// A variable of the table. Tables are short (at most [`crate::verify::MAX_VARS`] rows).
#[inline(always)]
fn var<D: Difo>(difo: &D, op: Op, id: u16) -> Result<Var, Raised> {
    let scope = scope_of(op);
    difo.vars()
        .iter()
        .find(|row| row.id == u32::from(id) && row.scope == scope)
        .map(Var::from_row)
        .ok_or(Raised::ill_op())
}

/// Loads a scalar variable.
#[inline(never)]
fn load_var<D: Difo, E: Env>(
    mem: &mut Mem<'_, '_, E>,
    difo: &Verified<D>,
    op: Op,
    id: u16,
) -> Result<u64, Raised> {
    mem.env.load_var(&var(&**difo, op, id)?)
}

/// Stores into a scalar variable.
#[inline(never)]
fn store_var<D: Difo, E: Env>(
    mem: &mut Mem<'_, '_, E>,
    difo: &Verified<D>,
    op: Op,
    id: u16,
    value: u64,
) -> Result<(), Raised> {
    let v = var(&**difo, op, id)?;
    if value == 0 || !v.ty.is_by_ref() {
        return mem.env.store_var(&v, value);
    }
    if v.scope == Scope::Thread {
        mem.env.spend(of_bytes(v.ty.size.into()))?;
        return mem.store_ref(&v, &[], value);
    }
    match mem.env.ref_var_for_store(&v)? {
        Some(to) => mem.fill(&v, value, to),
        None => Ok(()),
    }
}

/// Loads an element of an associative array.
#[inline(never)]
fn load_element<D: Difo, E: Env>(
    mem: &mut Mem<'_, '_, E>,
    difo: &Verified<D>,
    op: Op,
    id: u16,
    tuple: &[Pushed],
) -> Result<u64, Raised> {
    mem.load_tuple(&var(&**difo, op, id)?, tuple)
}

/// Stores into an element of an associative array.
#[inline(never)]
fn store_element<D: Difo, E: Env>(
    mem: &mut Mem<'_, '_, E>,
    difo: &Verified<D>,
    op: Op,
    id: u16,
    tuple: &[Pushed],
    value: u64,
) -> Result<(), Raised> {
    let v = var(&**difo, op, id)?;
    if value == 0 || !v.ty.is_by_ref() {
        return mem.store_tuple(&v, tuple, value);
    }
    mem.env.spend(of_bytes(v.ty.size.into()))?;
    mem.store_ref(&v, tuple, value)
}

impl<E: Env> Mem<'_, '_, E> {
    /// Copies what a value by reference denotes into the variable at `to`.
    fn fill(&mut self, v: &Var, from: u64, to: u64) -> Result<(), Raised> {
        self.env.spend(of_bytes(v.ty.size.into()))?;
        let size = u64::from(v.ty.size);
        match v.ty.is_string() {
            // Somebody may change it meanwhile: as a whole, or not.
            true if crate::addr::split(from).is_some_and(|(r, _)| crate::addr::is_env(r)) => {
                self.copy_whole(from, to, size)
            }
            true => self.copy_str(from, to, size),
            false => self.copy(from, to, size),
        }
    }
}

/// Whose memory a returned address means.
fn returned<D: Difo>(difo: &Verified<D>, kernel: Space, at: u64) -> Space {
    let user = difo.rtype().flags & BY_UREF != 0 && crate::addr::split(at).is_none();
    if user {
        Space::User
    } else {
        kernel
    }
}

/// Copies the bytes that a returned address denotes, for recording. A fault is at pc 0.
///
/// # Context
///
/// Probe, after [`run`] of the same object in the same clause.
pub fn fetch_bytes<D: Difo, E: Env>(
    difo: &Verified<D>,
    clause: &mut Clause<'_>,
    env: &mut E,
    addr: u64,
    out: &mut [u8],
) -> Result<(), Fault> {
    let mut mem = mem_of(difo, clause, env);
    mem.load(returned(difo, mem.kernel, addr), addr, out).map_err(|raised| raised.at(0))
}

/// Copies the string that a returned address denotes and fills the rest with zeros, at least one.
/// Answers its length. A NULL string is empty. A fault is at pc 0.
///
/// # Context
///
/// As [`fetch_bytes`].
pub fn fetch_str<D: Difo, E: Env>(
    difo: &Verified<D>,
    clause: &mut Clause<'_>,
    env: &mut E,
    addr: u64,
    out: &mut [u8],
) -> Result<usize, Fault> {
    let room = out.len().saturating_sub(1);
    let len = fetch_text(difo, clause, env, addr, out.get_mut(..room).unwrap_or_default())?;
    out.get_mut(len..).unwrap_or_default().fill(0);
    Ok(len)
}

/// As [`fetch_str`], without a NUL, and what lies behind the string is undefined.
///
/// # Context
///
/// As [`fetch_bytes`].
pub fn fetch_text<D: Difo, E: Env>(
    difo: &Verified<D>,
    clause: &mut Clause<'_>,
    env: &mut E,
    addr: u64,
    into: &mut [u8],
) -> Result<usize, Fault> {
    if addr == 0 || into.is_empty() {
        return Ok(0);
    }
    let mut mem = mem_of(difo, clause, env);
    let space = returned(difo, mem.kernel, addr);
    let n = mem.load_str(space, addr, into).map_err(|raised| raised.at(0))?;
    Ok(str_len(into.get(..n).unwrap_or_default()))
}
