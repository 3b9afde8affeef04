// SPDX-License-Identifier: GPL-2.0
//! Finds the pieces of code that a function consists of, and the places where it is left.
//!
//! Compilers put unlikely code elsewhere: `f.cold`. A jump there does not leave `f`; a return there
//! does. Stripping removes the name, but not the frame information (`.eh_frame`). So another piece
//! without a name belongs to `f` if a jump of `f` to it
//!
//! - keeps an existing frame: the rule before the jump is the rule at its target;
//! - or has no frame yet, and the piece jumps back to `f`. A piece that does not jump back ends by
//!   itself: that is as good as a call at the end of `f`.
//!
//! An indirect jump leaves `f` only if no frame is left, too: the jumps of a `switch` or an
//! interpreter keep it. All this needs exact frame information: where `f` returns, no frame is
//! left.

use crate::frames::Rules;
use crate::function::Function;
use crate::image::Image;
use crate::ranges::Ranges;
use crate::work::Work;
use abi::unwind::{Row, Rule};
use abi::user::UserReason;
use std::collections::HashSet;
use std::ops::Range;
use x86::Flow;

/// The most pieces of a function.
const MOST_PIECES: usize = 256;
/// The most bytes of pieces that are read because a function jumps to them. Pieces may overlap.
const MOST_TRIED: u64 = 32 << 20;
/// The bytes of code that are read in one step, and the steps for an instruction that goes
/// elsewhere: its target and its rules are looked up. Any other instruction is one step.
pub(crate) const BYTES: usize = 16;
const TURN: u64 = 8;

/// A piece of a function.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its address and its bytes.
    pub(crate) range: (u64, u64),
    /// The offsets where it leaves the function: returns, and jumps to elsewhere.
    pub(crate) leaves: Vec<u32>,
    /// The reason why not all of its code was read: it contains an invalid instruction, or it is
    /// too large.
    pub(crate) damage: Option<UserReason>,
}

/// An instruction that goes elsewhere.
#[derive(Clone, Copy)]
struct Turn {
    at: u64,
    to: To,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Caller,
    Address(u64),
    Anywhere,
}

/// A piece while it is read.
struct Read {
    range: (u64, u64),
    turns: Vec<Turn>,
    damage: Option<UserReason>,
}

impl Read {
    /// Reads a piece as part of this work. If there is not enough, the piece is damaged.
    fn of(image: &Image, range: (u64, u64), work: &Work) -> Self {
        let (begin, size) = range;
        let code = image.code(begin, size);
        let is_whole =
            code.len() as u64 == size && work.spend((code.len() / BYTES) as u64).is_some();
        let damage = (!is_whole).then_some(UserReason::Size);
        let mut read = Self { range, turns: Vec::new(), damage };
        for step in x86::walk_in(image.mode(), &code, begin) {
            let Ok((at, insn)) = step else {
                read.damage = Some(UserReason::Undecodable);
                break;
            };
            if work.spend(1).is_none() {
                read.damage = Some(UserReason::Size);
                break;
            }
            let rest = || code.get((at - begin) as usize..).unwrap_or_default();
            let to = match insn.kind {
                Flow::Return => To::Caller,
                Flow::Jump(to) | Flow::Branch(to) if !has(range, to) => To::Address(to),
                Flow::Indirect if is_jump(rest()) => To::Anywhere,
                _ => continue,
            };
            read.turns.push(Turn { at, to });
            // Without work the next instruction ends this.
            let _ = work.spend(TURN);
        }
        read
    }

    fn range(&self) -> Range<u64> {
        let (begin, size) = self.range;
        begin..begin.saturating_add(size)
    }

    fn targets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.turns.iter().filter_map(|t| match t.to {
            To::Address(to) => Some((t.at, to)),
            _ => None,
        })
    }
}

/// The pieces that were read because a function jumps to them.
struct Tried {
    /// The address of each, for jumps with or without a frame.
    all: HashSet<(u64, bool)>,
    /// The bytes that may still be read.
    room: u64,
}

impl Tried {
    fn new() -> Self {
        Self { all: HashSet::new(), room: MOST_TRIED }
    }

    /// Notes a piece; returns whether it may be read: it is new, and there is room.
    fn add(&mut self, (begin, size): (u64, u64), has_frame: bool) -> bool {
        let Some(left) = self.room.checked_sub(size) else { return false };
        let is_new = self.all.insert((begin, has_frame));
        if is_new {
            self.room = left;
        }
        is_new
    }
}

/// Returns the pieces of a function, first the function itself. If they take too much work, some
/// are missing or damaged.
pub(crate) fn pieces(image: &Image, f: &Function, work: &Work) -> Vec<Part> {
    let mut all = vec![Read::of(image, (f.address, f.size), work)];
    all.extend(image.cold(&f.name).map(|c| Read::of(image, (c.address, c.size), work)));
    let mut within: Ranges = all.iter().map(Read::range).collect();
    let rules = image.is_native.then(|| image.pieces()).flatten();
    let rules = rules.map(|pieces| Rules::of(pieces, work));
    let rules = rules.filter(|rules| all.iter().all(|read| is_exact(rules, read)));
    if let Some(rules) = &rules {
        let (mut next, mut tried) = (0, Tried::new());
        while let Some(read) = all.get(next).filter(|_| all.len() < MOST_PIECES) {
            next += 1;
            for (at, to) in read.targets().collect::<Vec<_>>() {
                if within.has(to) {
                    continue;
                }
                let jump = (at, to);
                if let Some(read) = other(image, rules, (f.address, &within), jump, &mut tried) {
                    within.add(read.range());
                    all.push(read);
                }
            }
        }
    }
    // Without a return nothing shows that the rules are exact.
    let returns = all.iter().flat_map(|read| &read.turns).any(|t| t.to == To::Caller);
    let rules = rules.filter(|_| returns);
    let parts = all.iter().map(|read| {
        let leaves = read.turns.iter().filter(|t| match t.to {
            To::Caller => true,
            To::Address(to) => !within.has(to),
            To::Anywhere => !rules.as_ref().and_then(|r| r.at(t.at)).is_some_and(has_frame),
        });
        let behind = leaves.filter_map(|t| u32::try_from(t.at - read.range.0).ok());
        Part { range: read.range, leaves: behind.collect(), damage: read.damage }
    });
    parts.collect()
}

/// Returns the piece that a jump leads to, if it belongs to the same function and was not tried
/// before. `within` are the pieces of the function, which begins at `begin`.
fn other(
    image: &Image,
    rules: &Rules<'_>,
    (begin, within): (u64, &Ranges),
    (at, to): (u64, u64),
    tried: &mut Tried,
) -> Option<Read> {
    let range = rules.pieces.around(to).filter(|range| image.is_nameless(*range))?;
    let (before, there) = (rules.at(at)?, rules.at(to)?);
    let rule = |row: Row| (row.rule, row.cfa);
    if rule(before) != rule(there) || !tried.add(range, has_frame(before)) {
        return None;
    }
    let read = Read::of(image, range, rules.work);
    // A jump to the beginning of a function is a call.
    let is_back = |to| within.has(to) && to != begin;
    let is_of_it = has_frame(before) || read.targets().any(|(_, to)| is_back(to));
    (is_of_it && read.damage.is_none() && is_exact(rules, &read)).then_some(read)
}

/// Tells whether no frame is left at any of its returns.
fn is_exact(rules: &Rules<'_>, read: &Read) -> bool {
    let mut returns = read.turns.iter().filter(|t| t.to == To::Caller);
    returns.all(|t| rules.at(t.at).is_some_and(|row| !has_frame(row)))
}

/// Tells whether the stack holds more than the return address.
fn has_frame(row: Row) -> bool {
    (row.rule, row.cfa) != (Rule::Rsp as u8, 8)
}

fn has((begin, size): (u64, u64), address: u64) -> bool {
    address.wrapping_sub(begin) < size
}

/// Tells whether the instruction jumps indirectly. Calls differ only in three bits.
fn is_jump(code: &[u8]) -> bool {
    let is_prefix =
        |b: &u8| matches!(b, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf2 | 0xf3);
    let mut rest = code.iter().skip_while(|b| is_prefix(b));
    rest.next() == Some(&0xff) && rest.next().is_some_and(|modrm| matches!(modrm >> 3 & 7, 4 | 5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Images, Process};

    #[test]
    fn jumps() {
        for (code, want) in [
            (&[0xff, 0xe0][..], true),
            (&[0x3e, 0xff, 0xe0], true),
            (&[0x41, 0xff, 0x24, 0x24], true),
            (&[0xff, 0xd0], false),
            (&[0x41, 0xff, 0x14, 0x24], false),
            (&[0x0f, 0x05], false),
            (&[0x48], false),
        ] {
            assert_eq!(is_jump(code), want, "{code:x?}");
        }
    }

    #[test]
    fn pieces_that_overlap_are_read_up_to_a_limit() {
        let (mut tried, size) = (Tried::new(), 16 << 20);
        assert!(tried.add((0, size), true) && !tried.add((0, size), true));
        assert!(tried.add((0, size), false));
        assert!((1..1 << 20).all(|n| !tried.add((n, size), true)));
        assert!(!tried.add((0, u64::MAX), true));
    }

    /// Parts have no names of their own; no two functions share one, except functions that share
    /// code by hand.
    #[test]
    fn all_of_libc() {
        let me = Process::read(std::process::id()).unwrap();
        let images = Images::default();
        let (image, _) = me.called("libc").next().unwrap().image(me.pid, &images);
        let work = Work::new(u64::MAX);
        let mut owners = std::collections::HashMap::new();
        let mut shared = 0;
        for names in image.places() {
            let parts = pieces(image, &names[0], &work);
            let (first, others) = parts.split_first().map(|(f, o)| (f.range, o.to_vec())).unwrap();
            assert_eq!(first, (names[0].address, names[0].size));
            for part in others {
                assert!(part.range.1 > 0 && image.is_nameless(part.range), "{}", names[0].name);
                assert!(part.leaves.iter().all(|at| u64::from(*at) < part.range.1));
                if let Some(other) = owners.insert(part.range, &names[0].name) {
                    println!("{} and {other} share {:x?}", names[0].name, part.range);
                    shared += 1;
                }
            }
        }
        println!("{} parts, {shared} shared", owners.len());
        assert!(owners.len() > 20 && shared * 20 < owners.len());
    }

    /// A damaged file yields less, or something else, and is read to its end.
    #[test]
    fn damaged() {
        let whole = std::fs::read("/lib64/ld-linux-x86-64.so.2").unwrap();
        let path = std::env::temp_dir().join(format!("dtrace-damaged-{}", std::process::id()));
        let mut seed = 1u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let mut read = 0;
        for _ in 0..300 {
            let mut bytes = whole.clone();
            for _ in 0..random(200) {
                bytes[random(whole.len())] = random(256) as u8;
            }
            std::fs::write(&path, &bytes).unwrap();
            let file = std::fs::File::open(&path).unwrap();
            let Some(image) = Image::read(file.into(), "/nowhere", None) else { continue };
            let work = Work::new(u64::MAX);
            let parts = image.places().map(|names| pieces(&image, &names[0], &work).len());
            read += parts.sum::<usize>();
            crate::frames::rows_in(&bytes);
        }
        std::fs::remove_file(&path).unwrap();
        assert!(read > 1000, "{read}");
    }
}
