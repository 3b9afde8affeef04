// SPDX-License-Identifier: GPL-2.0
//! Follows code to everything that it calls and jumps to.
//!
//! The code itself does not always show where a function ends. The compiler puts nothing after a
//! call that never returns, and the following bytes belong to another function, which may lead
//! everywhere. So `block` and `calls` ask [`Text::end`].

use crate::encoding::INT3;
use crate::{Flow, MAX_LEN};

/// Access to the code.
pub trait Text {
    /// Fills `into` with the bytes at `addr`. Returns false if they cannot be read.
    fn read(&self, addr: u64, into: &mut [u8]) -> bool;
    /// Returns the end of the function, or of its unlikely half, that contains `addr`.
    fn end(&self, addr: u64) -> u64;
    /// Tells whether ftrace has a site there.
    fn is_site(&self, addr: u64) -> bool;
    /// Returns the target of the jump label at `addr`, which is a nop now, or a jump there.
    fn label(&self, _addr: u64) -> Option<u64> {
        None
    }
}

/// The length in bytes of the `endbr` that a function may begin with.
const LANDING: u64 = 4;

/// Bytes that stand before a function and never inside one: room for the kernel to patch.
const PADDING: [u8; 8] = [0x90; 8];

/// Calls `leads` with each target of the code that begins at `at`, up to the instruction after
/// which control does not continue.
pub fn block<E>(
    text: &impl Text,
    mut at: u64,
    leads: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    let mut code = [0; 128];
    let from = at;
    let mut end = text.end(at);
    loop {
        if !text.read(at, &mut code) {
            return Ok(());
        }
        let base = at;
        for step in crate::walk(&code, base) {
            let Ok((ip, insn)) = step else { return Ok(()) };
            let rest = code.get(ip.wrapping_sub(base) as usize..).unwrap_or_default();
            if ip > end {
                end = text.end(ip.wrapping_sub(1));
            }
            // The end of the function, after a call that never returns.
            if rest.starts_with(&PADDING) || ip == end {
                return Ok(());
            }
            let label = text.label(ip);
            label.map_or(Ok(()), &mut *leads)?;
            let changing = label.and_then(|to| changing(rest, ip, to));
            match behind_depth(text, insn.kind) {
                _ if label.is_some() => {}
                Flow::Next => {}
                // ftrace's call does not count: its tracer may be gone tomorrow.
                Flow::Call(_) if is_fentry(text, ip, from) => {}
                Flow::Branch(target) | Flow::Call(target) => leads(target)?,
                Flow::Jump(target) => return leads(target),
                Flow::Indirect if is_call(rest) => {}
                _ => return Ok(()),
            }
            at = ip.wrapping_add(changing.unwrap_or(insn.len as u64));
            // The next instruction may be cut off; read again from there.
            let is_far = at.wrapping_sub(base) > code.len().wrapping_sub(MAX_LEN) as u64;
            if is_far || changing.is_some() {
                break;
            }
        }
    }
}

/// Returns the length of the jump label at `ip` if the kernel is changing it. It has a breakpoint
/// for its first byte then, and behind it the rest of the nop or of the jump.
fn changing(code: &[u8], ip: u64, to: u64) -> Option<u64> {
    let [INT3, rest, ..] = *code else { return None };
    let near = i8::try_from(to.wrapping_sub(ip).wrapping_sub(2) as i64);
    // The second byte of the short nop is 0x90.
    let is_short = near.is_ok_and(|near| rest == 0x90 || rest == near as u8);
    Some(if is_short { 2 } else { 5 })
}

/// The maximum number of jumps from function to function that [`calls`] follows.
const PARTS: u8 = 3;

/// Calls `leads` with the targets of the calls in the function at `start`, in the order of the
/// code, up to the first call at or after an instruction for which `until` holds. Functions that it
/// jumps to count as parts of it, because the compiler may have split one function into two.
pub fn calls<E>(
    text: &impl Text,
    start: u64,
    until: &dyn Fn(&[u8], Flow) -> bool,
    leads: &mut dyn FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    part(text, start, until, leads, PARTS)
}

fn part<E>(
    text: &impl Text,
    start: u64,
    until: &dyn Fn(&[u8], Flow) -> bool,
    leads: &mut dyn FnMut(u64) -> Result<(), E>,
    deeper: u8,
) -> Result<(), E> {
    let mut code = [0; 128];
    let (mut at, end) = (start, text.end(start));
    let mut last = false;
    while at < end && text.read(at, &mut code) {
        let base = at;
        for step in crate::walk(&code, base) {
            let Ok((ip, insn)) = step else { return Ok(()) };
            let rest = code.get(ip.wrapping_sub(base) as usize..).unwrap_or_default();
            if ip >= end {
                return Ok(());
            }
            let label = text.label(ip);
            let changing = label.and_then(|to| changing(rest, ip, to));
            let kind = label.map(Flow::Jump);
            let kind = kind.unwrap_or_else(|| behind_depth(text, insn.kind));
            last |= until(rest, kind);
            match kind {
                Flow::Call(target) if !is_fentry(text, ip, start) => {
                    leads(target)?;
                    if last {
                        return Ok(());
                    }
                }
                Flow::Jump(target) if deeper > 0 && !(start..end).contains(&target) => {
                    part(text, target, until, leads, deeper.wrapping_sub(1))?;
                }
                _ => {}
            }
            at = ip.wrapping_add(changing.unwrap_or(insn.len as u64));
            // The next instruction may be cut off; read again from there.
            let is_far = at.wrapping_sub(base) > code.len().wrapping_sub(MAX_LEN) as u64;
            if is_far || changing.is_some() {
                break;
            }
        }
        if at == base {
            break;
        }
    }
    Ok(())
}

/// Returns the kind of an instruction; that of a call with the function that it calls. With call
/// depth tracking (for example `retbleed=stuff`), calls lead to
/// `sarq $5, %gs:__x86_call_depth(%rip)` in the padding before the function
/// (arch/x86/kernel/callthunks.c, `patch_dest`).
fn behind_depth(text: &impl Text, kind: Flow) -> Flow {
    let mut code = [0; 9];
    match kind {
        Flow::Call(to) if text.read(to, &mut code) => match code {
            [0x65, 0x48, 0xc1, 0x3d, _, _, _, _, 5] => Flow::Call(to.wrapping_add(9)),
            _ => kind,
        },
        _ => kind,
    }
}

/// Tells whether ftrace's call is at `ip`, in code that begins at `from`.
fn is_fentry(text: &impl Text, ip: u64, from: u64) -> bool {
    ip.wrapping_sub(from) <= LANDING && text.is_site(ip)
}

/// Tells whether ftrace can trace the function that begins at `start`.
pub fn has_fentry(text: &impl Text, start: u64) -> bool {
    let site = |skip| is_fentry(text, start.wrapping_add(skip), start);
    start & 15 == 0 && [0, LANDING].into_iter().any(site)
}

/// Tells whether this indirect instruction is a call.
fn is_call(rest: &[u8]) -> bool {
    matches!(crate::shape(rest, 0), Some((crate::Shape::CallReg(_) | crate::Shape::Other, _)))
}
