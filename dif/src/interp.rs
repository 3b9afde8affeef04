// SPDX-License-Identifier: GPL-2.0
//! The loop, which runs one instruction after the other until `ret` or a fault.
//!
//! It runs in probe context, on the text that [`crate::decode`] has prepared: each step is a
//! dispatch and the work. Frequent instructions are handled here, the others in [`rare`]. The state
//! is eight registers, the numbers that were compared last and the tuple stack, about 250 bytes.
//! Work that needs more memory (strings, keys) uses the clause's scratch, in separate functions, so
//! that the loop's frame stays small.
//!
//! Instructions are paid for before one that the host or the world may observe; instructions that
//! only compute wait until then. Division by zero is a fault. The one quotient that does not fit
//! (the smallest number by -1) wraps.

use abi::dif::NREGS;
use abi::difo::BY_UREF;
use core::cmp::Ordering;
use core::ops::Deref;

use crate::addr;
use crate::bound::price;
use crate::decode::{Decoded, Division, Does, Program, Reg};
use crate::difo::Difo;
use crate::env::{Env, Scope, Space, Var};
use crate::fault::{Fault, FaultKind, Raised};
use crate::mem::{str_len, Mem};
use crate::scratch::Clause;
use crate::subr;
use crate::tuple::{Pushed, Tuple};
use crate::verify::Verified;

/// Two numbers in place of condition codes: those compared last, or two in the same order.
type Compared = (u64, u64);

/// The integer registers.
struct Registers([u64; NREGS]);

impl Registers {
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "PANIC: masked to the length")]
    fn get(&self, r: Reg) -> u64 {
        self.0[r as usize & (NREGS - 1)]
    }
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "PANIC: masked to the length")]
    fn set(&mut self, r: Reg, value: u64) {
        self.0[r as usize & (NREGS - 1)] = value;
    }
}

const _: () = assert!(NREGS.is_power_of_two());

/// Runs an object to its `ret` and returns its value: for a type by reference, an address for
/// [`fetch_bytes`] or [`fetch_str`].
///
/// # Context
///
/// Probe: no sleep, no lock, no allocation; this holds for the host's functions, too.
#[inline]
pub fn run<D: Difo, S: Deref<Target = [Decoded]>, E: Env>(
    program: &Program<D, S>,
    clause: &mut Clause<'_>,
    env: &mut E,
) -> Result<u64, Fault> {
    if !E::WATCHES {
        if let Some(answer) = program.quick().run(env) {
            return answer;
        }
    }
    run_loop(program, clause, env)
}

/// Works like [`run`], but always uses the loop.
///
/// # Context
///
/// Probe.
#[inline(never)]
pub fn run_loop<D: Difo, S: Deref<Target = [Decoded]>, E: Env>(
    program: &Program<D, S>,
    clause: &mut Clause<'_>,
    env: &mut E,
) -> Result<u64, Fault> {
    let difo: &Verified<D> = program;
    let mut mem = mem_of(difo, clause, env);
    let mut next = 0;
    execute(&**difo, program.steps(), &mut mem, &mut next)
        // CAST: a text has 65,536 instructions at most.
        .map_err(|raised| raised.at((next as u32).saturating_sub(1)))
}

fn mem_of<'a, 'm, D: Difo, E: Env>(
    difo: &'a Verified<D>,
    clause: &'a mut Clause<'m>,
    env: &'a mut E,
) -> Mem<'a, 'm, E> {
    Mem { strtab: difo.strtab(), clause, env, kernel: difo.kernel_loads() }
}

/// Runs the loop. Afterwards `next` is the index after the last instruction that ran.
// CAST in this function: between u64 and i64, the same bits; an index of the text to u32 and back.
#[inline(always)]
fn execute<D: Difo, E: Env>(
    difo: &D,
    steps: &[Decoded],
    mem: &mut Mem<'_, '_, E>,
    next: &mut usize,
) -> Result<u64, Raised> {
    let mut regs = Registers([0; NREGS]);
    let mut compared = (1, 0);
    let mut tuple = Tuple::new();
    // The index up to which instructions are paid for.
    let mut paid = 0;
    loop {
        // `next` cannot be beyond the end; if it were, the fault would stop the object here.
        let Some(Decoded(does)) = steps.get(*next) else {
            return Err(Raised::ill_op());
        };
        mem.env.step(*next as u32);
        *next = next.wrapping_add(1);
        macro_rules! leave_out {
            ($skip:expr) => {{
                let skip = $skip as usize;
                *next = next.wrapping_add(skip);
                paid = skip.wrapping_add(paid);
            }};
        }
        macro_rules! pay {
            () => {{
                mem.env.spend(next.wrapping_sub(paid) as u32)?;
                paid = *next;
            }};
        }
        macro_rules! second {
            () => {{
                mem.env.step(*next as u32);
                *next = next.wrapping_add(1);
            }};
        }
        match *does {
            Does::Set { to, value } => regs.set(to, i64::from(value) as u64),
            Does::Binary { op, a, b, to } => regs.set(to, op.of(regs.get(a), regs.get(b))),
            Does::SetBinary { op, a, b, to, value } => {
                second!();
                let value = i64::from(value) as u64;
                regs.set(b, value);
                regs.set(to, op.of(regs.get(a), value));
            }
            Does::Compare { a, b } => compared = (regs.get(a), regs.get(b)),
            Does::CompareBranch { test, a, b, skip } => {
                second!();
                let (a, b) = (regs.get(a), regs.get(b));
                compared = (a, b);
                if test.of(a, b) {
                    leave_out!(skip);
                }
            }
            Does::Truth { of } => compared = (u64::from(regs.get(of) != 0), 0),
            Does::Branch { test, skip } => {
                let (a, b) = compared;
                if test.of(a, b) {
                    leave_out!(skip);
                }
            }
            Does::Jump { skip } => leave_out!(skip),
            Does::Builtin { which, to } => {
                pay!();
                regs.set(to, mem.env.builtin(which, 0)?);
            }
            Does::Var { row, to } => {
                pay!();
                regs.set(to, mem.env.load_var(&var(difo, row)?)?);
            }
            Does::StoreVar { row, from } => {
                pay!();
                store_var(mem, &var(difo, row)?, regs.get(from))?;
            }
            Does::Load { space, size, signed, from, to } => {
                mem.env.spend((next.wrapping_sub(paid) as u32).wrapping_add(price::LOAD - 1))?;
                paid = *next;
                regs.set(to, load(mem, space, size, signed, regs.get(from))?);
            }
            Does::Return { value } => {
                mem.env.spend(next.wrapping_sub(paid) as u32)?;
                return Ok(regs.get(value));
            }
            _ => {
                let due = next.wrapping_sub(paid) as u32;
                rare(difo, mem, does, &mut regs, &mut compared, &mut tuple, due)?;
                paid = *next;
            }
        }
    }
}

/// Runs the less frequent instructions. `due` instructions have not been paid for, including this
/// one.
#[inline(never)]
fn rare<D: Difo, E: Env>(
    difo: &D,
    mem: &mut Mem<'_, '_, E>,
    does: &Does,
    regs: &mut Registers,
    compared: &mut Compared,
    tuple: &mut Tuple,
    due: u32,
) -> Result<(), Raised> {
    // Work on strings, copies or keys is paid for where it is done.
    let own = match *does {
        Does::Call { .. } => price::CALL,
        Does::Store { .. } => price::STORE,
        Does::Divide { .. } => price::DIVIDE,
        Does::Array { .. } | Does::StoreArray { .. } => 1 + price::ELEMENT,
        _ => 1,
    };
    mem.env.spend(due.wrapping_sub(1).saturating_add(own))?;
    let (to, value) = match *does {
        Does::Not { a, to } => (to, !regs.get(a)),
        Does::Integer { index, to } => {
            (to, *difo.inttab().get(usize::from(index)).ok_or(Raised::ill_op())?)
        }
        Does::String { offset, to } => (to, addr::make(addr::STRTAB, u64::from(offset))),
        Does::Divide { how, a, b, to } => (to, divide(how, regs.get(a), regs.get(b))?),
        Does::Alloc { size, to } => (to, subr::alloc(mem, regs.get(size))?),
        Does::Element { of, index, to } => (to, mem.env.builtin(of, regs.get(index))?),
        Does::Array { row, to } => (to, mem.load_tuple(&var(difo, row)?, tuple)?),
        Does::Call { subr, to } => (to, subr::call(mem, subr, subr::Args(tuple))?),
        _ => {
            return match *does {
                Does::CompareStrings { a, b } => {
                    *compared = like(mem.strcmp(regs.get(a), regs.get(b))?);
                    Ok(())
                }
                Does::Store { size, from, at } => {
                    let bytes = regs.get(from).to_le_bytes();
                    mem.store(regs.get(at), bytes.get(..size.into()).unwrap_or_default())
                }
                Does::Copy { from, to, len } => {
                    mem.copy(regs.get(from), regs.get(to), regs.get(len))
                }
                Does::StoreElement { of, index, from } => {
                    mem.env.store_builtin(of, regs.get(index), regs.get(from))
                }
                Does::StoreArray { row, from } => {
                    store_element(mem, &var(difo, row)?, tuple, regs.get(from))
                }
                Does::Push { from } => push(tuple, Pushed::value(regs.get(from))),
                Does::PushRef { from, size, is_string } => {
                    push(tuple, Pushed::reference(regs.get(from), regs.get(size), is_string))
                }
                Does::Pop => {
                    tuple.pop();
                    Ok(())
                }
                Does::Flush => {
                    tuple.clear();
                    Ok(())
                }
                Does::Nothing => Ok(()),
                _ => Err(Raised::ill_op()),
            };
        }
    };
    regs.set(to, value);
    Ok(())
}

/// Returns two numbers in the order of two strings. Signed: unsigned conditions on strings only
/// tell whether they differ.
fn like(order: Ordering) -> (u64, u64) {
    match order {
        Ordering::Less => (u64::MAX, 0),
        Ordering::Equal => (0, 0),
        Ordering::Greater => (1, 0),
    }
}

fn push(tuple: &mut Tuple, pushed: Pushed) -> Result<(), Raised> {
    tuple.push(pushed).map_err(|_| Raised::plain(FaultKind::TupOflow))
}

/// Returns the variable of a row.
#[inline(always)]
fn var<D: Difo>(difo: &D, row: u16) -> Result<Var, Raised> {
    difo.vars().get(usize::from(row)).map(Var::from_row).ok_or(Raised::ill_op())
}

#[allow(clippy::arithmetic_side_effects, reason = "PANIC: the divisor is not zero")]
fn divide(how: Division, a: u64, b: u64) -> Result<u64, Raised> {
    if b == 0 {
        return Err(Raised::plain(FaultKind::DivZero));
    }
    // CAST: the same bits, signed and back.
    let (sa, sb) = (a as i64, b as i64);
    Ok(match (how.signed, how.remainder) {
        (false, false) => a.wrapping_div(b),
        (false, true) => a.wrapping_rem(b),
        (true, false) => sa.wrapping_div(sb) as u64,
        (true, true) => sa.wrapping_rem(sb) as u64,
    })
}

/// Loads a number of 1, 2, 4 or 8 bytes from any address. Alignment does not matter: the processor
/// does not need it, and packed structs do not have it.
#[inline(never)]
fn load<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    space: Space,
    size: u8,
    signed: bool,
    at: u64,
) -> Result<u64, Raised> {
    let value = match (space, addr::split(at), at.checked_add(size.into())) {
        (Space::Kernel, None, Some(_)) => mem.env.kernel_number(at, size)?,
        _ => {
            let mut into = [0; 8];
            mem.load(space, at, into.get_mut(..size.into()).unwrap_or_default())?;
            u64::from_le_bytes(into)
        }
    };
    let unused = 64u32.wrapping_sub(u32::from(size) << 3);
    // CAST: the same bits, signed and back: the sign is extended.
    Ok(match signed {
        true => (value.wrapping_shl(unused) as i64).wrapping_shr(unused) as u64,
        false => value,
    })
}

/// Stores into a scalar variable.
#[inline(never)]
fn store_var<E: Env>(mem: &mut Mem<'_, '_, E>, v: &Var, value: u64) -> Result<(), Raised> {
    let is_element = v.ty.is_by_ref() && v.scope == Scope::Thread;
    if is_element {
        mem.env.spend(price::ELEMENT)?;
    }
    if value == 0 || !v.ty.is_by_ref() {
        if let Some((addr::SCRATCH, _)) = addr::split(value) {
            mem.clause.keep();
        }
        return mem.env.store_var(v, value);
    }
    if is_element {
        return mem.store_ref(v, &[], value);
    }
    match mem.env.ref_var_for_store(v)? {
        Some(to) => mem.fill(v, value, to),
        None => Ok(()),
    }
}

/// Stores an element of an associative array.
#[inline(never)]
fn store_element<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    v: &Var,
    tuple: &[Pushed],
    value: u64,
) -> Result<(), Raised> {
    if value == 0 || !v.ty.is_by_ref() {
        return mem.store_tuple(v, tuple, value);
    }
    mem.store_ref(v, tuple, value)
}

impl<E: Env> Mem<'_, '_, E> {
    /// Copies what a value by reference denotes into the variable at `to`.
    fn fill(&mut self, v: &Var, from: u64, to: u64) -> Result<(), Raised> {
        let size = u64::from(v.ty.size);
        match v.ty.is_string() {
            // Another CPU may change the host's string meanwhile, so copy it as a whole.
            true if addr::split(from).is_some_and(|(r, _)| addr::is_env(r)) => {
                self.copy_whole(from, to, size)
            }
            true => self.copy_str(from, to, size),
            false => self.copy(from, to, size),
        }
    }
}

/// Returns the memory that a returned address refers to.
fn returned<D: Difo>(difo: &Verified<D>, kernel: Space, at: u64) -> Space {
    let user = difo.rtype().flags & BY_UREF != 0 && addr::split(at).is_none();
    if user {
        Space::User
    } else {
        kernel
    }
}

/// Copies the bytes at a returned address, for recording. A fault has pc 0.
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
    // CAST: usize has at most 64 bits.
    mem.pay(out.len() as u64, price::TEXT).map_err(|raised| raised.at(0))?;
    mem.load(returned(difo, mem.kernel, addr), addr, out).map_err(|raised| raised.at(0))
}

/// Copies the string at a returned address and fills the rest with zeros, at least one. Returns the
/// length. A NULL string is empty. A fault has pc 0.
///
/// # Context
///
/// Like [`fetch_bytes`].
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

/// Works like [`fetch_str`], but writes no NUL; the bytes after the string are undefined.
///
/// # Context
///
/// Like [`fetch_bytes`].
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
    // CAST: usize has at most 64 bits.
    mem.pay(n as u64, price::TEXT).map_err(|raised| raised.at(0))?;
    Ok(str_len(into.get(..n).unwrap_or_default()))
}
