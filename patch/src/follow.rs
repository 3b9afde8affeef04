// SPDX-License-Identifier: GPL-2.0
//! A piece of code to where it leads: every call and every jump in it.
//!
//! Where a piece ends the code itself does not always say: behind a call that never returns the
//! compiler puts nothing, and what comes next is another function, perhaps one that leads everywhere. So the
//! text is asked.

use x86::{Flow, MAX_LEN};

/// Where the code stands.
pub trait Text {
    /// Fills `into` with what stands at `addr`; false if nothing does.
    fn read(&self, addr: u64, into: &mut [u8]) -> bool;
    /// Where the function that `addr` is in ends, or its unlikely half.
    fn end(&self, addr: u64) -> u64;
    /// Does ftrace have a site there?
    fn is_site(&self, addr: u64) -> bool;
}

/// Bytes of the landing that a function may begin with.
const LANDING: u64 = 4;

/// What stands before a function, and never in one: room for the kernel to patch.
const PADDING: [u8; 8] = [0x90; 8];

/// Calls `leads` with where the code leads that begins at `at`, up to where it goes on elsewhere only.
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
        for step in x86::walk(&code, base) {
            let Ok((ip, insn)) = step else { return Ok(()) };
            let rest = code.get(ip.wrapping_sub(base) as usize..).unwrap_or_default();
            if ip > end {
                end = text.end(ip.wrapping_sub(1));
            }
            // Behind a call that never returns: the next function.
            if rest.starts_with(&PADDING) || ip == end {
                return Ok(());
            }
            match insn.kind {
                Flow::Next => {}
                // Who traces this function now need not tomorrow.
                Flow::Call(_) if is_fentry(text, ip, from) => {}
                Flow::Branch(target) | Flow::Call(target) => leads(target)?,
                Flow::Jump(target) => return leads(target),
                Flow::Indirect if is_call(rest) => {}
                _ => return Ok(()),
            }
            at = ip.wrapping_add(insn.len as u64);
            // What begins here may be cut off.
            if at.wrapping_sub(base) > (code.len() - MAX_LEN) as u64 {
                break;
            }
        }
    }
}

/// How far [`calls`] goes from function to function.
const PARTS: u8 = 3;

/// Calls `leads` with what the function at `start` calls, in the order of the code, up to the first call
/// at or behind an instruction for which `until` holds. A function that it jumps to is a part of it: the
/// compiler may have made two of one.
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
        for step in x86::walk(&code, base) {
            let Ok((ip, insn)) = step else { return Ok(()) };
            let rest = code.get(ip.wrapping_sub(base) as usize..).unwrap_or_default();
            if ip >= end {
                return Ok(());
            }
            last |= until(rest, insn.kind);
            match insn.kind {
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
            at = ip.wrapping_add(insn.len as u64);
            // What begins here may be cut off.
            if at.wrapping_sub(base) > (code.len() - MAX_LEN) as u64 {
                break;
            }
        }
        if at == base {
            break;
        }
    }
    Ok(())
}

/// Is `ip`, in code that begins at `from`, where ftrace has its call?
fn is_fentry(text: &impl Text, ip: u64, from: u64) -> bool {
    ip.wrapping_sub(from) <= LANDING && text.is_site(ip)
}

/// Can ftrace trace the function that begins here?
pub fn has_fentry(text: &impl Text, start: u64) -> bool {
    let site = |skip| is_fentry(text, start.wrapping_add(skip), start);
    start & 15 == 0 && [0, LANDING].into_iter().any(site)
}

/// Is this indirect instruction a call?
fn is_call(rest: &[u8]) -> bool {
    matches!(x86::shape(rest, 0), Some((x86::Shape::CallReg(_) | x86::Shape::Other, _)))
}
