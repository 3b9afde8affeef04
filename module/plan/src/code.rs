// SPDX-License-Identifier: GPL-2.0
//! Admits an expression: copies a DIF object out of the DOF, verifies it and decodes it.

use crate::quota::{Portion, Quota};
use crate::report::Text;
use crate::vars::Vars;
use crate::{Error, Result};
use abi::dif::{Builtin, Op, Subr};
use abi::difo::{DifType, DifVar};
use dif::bound::Prices;
use dif::op::Insn;
use dif::{Decoded, Difo, Program, Rules};
use mem::{accounted, KVVec};

/// The most units that one firing may spend; a unit is the price of one simple instruction. An
/// expression that could need more is refused, and a program that does need more is ended.
pub const BUDGET: u32 = 1 << 20;

/// The most bytes of kernel memory for the clauses of one consumer, and of all. A DOF may refer to
/// a section any number of times, so its own size is no bound. A process may open the device as
/// often as it may open files, and the OOM killer does not see this memory as that of a process.
const MAX_BYTES: usize = 64 << 20;
const MAX_OF_ALL: usize = 512 << 20;

/// The kernel memory of all clauses, in bytes.
static ALL: Quota = Quota::new();

/// The kernel memory of an enabling's clauses.
pub(crate) struct Spent(Portion);

impl Spent {
    pub(crate) fn new(is_root: bool) -> Self {
        Self(Portion::new(&ALL, is_root))
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.amount()
    }

    /// Counts memory against the limits of one consumer and of all.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result {
        if self.bytes().saturating_add(bytes) > MAX_BYTES {
            return Err(Error::TooMany("bytes of clauses"));
        }
        match self.0.take(bytes, MAX_OF_ALL) {
            true => Ok(()),
            false => Err(Error::TooMany("bytes of clauses of all consumers")),
        }
    }

    /// Forgets what was counted after there were so many bytes.
    pub(crate) fn back_to(&mut self, bytes: usize) {
        self.0.give_back(self.bytes().saturating_sub(bytes));
    }
}

/// A DIF object in the kernel's memory.
pub struct OwnedDifo {
    text: KVVec<u32>,
    ints: KVVec<u64>,
    strings: KVVec<u8>,
    vars: KVVec<DifVar>,
    rtype: DifType,
}

impl Difo for OwnedDifo {
    fn text(&self) -> &[u32] {
        &self.text
    }
    fn inttab(&self) -> &[u64] {
        &self.ints
    }
    fn strtab(&self) -> &[u8] {
        &self.strings
    }
    fn vars(&self) -> &[DifVar] {
        &self.vars
    }
    fn rtype(&self) -> DifType {
        self.rtype
    }
}

/// A verified expression.
pub type Code = Program<OwnedDifo, KVVec<Decoded>>;

#[inline(never)]
fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<KVVec<T>> {
    let mut v = accounted::vec(items.len())?;
    for item in items {
        accounted::push(&mut v, item)?;
    }
    Ok(v)
}

/// Copies an object out of the DOF and verifies it.
pub(crate) fn admit(
    difo: &dof::Difo<'_>,
    rules: &Rules,
    strsize: usize,
    vars: &mut Vars,
    spent: &mut Spent,
) -> Result<Code> {
    if difo.text().len() > abi::dif::MAX_TEXT
        || difo.ints().len() > abi::dif::MAX_INTTAB
        || difo.strings.len() > abi::dif::MAX_STRTAB
        || difo.vars().len() > abi::dif::MAX_TEXT
    {
        return Err(Error::TooMany("instructions or table entries in a DIF object"));
    }
    let size = difo.text().len() * (4 + size_of::<Decoded>())
        + difo.ints().len() * 8
        + difo.strings.len()
        + difo.vars().len() * size_of::<DifVar>();
    spent.charge(size)?;
    let owned = OwnedDifo {
        text: collect(difo.text())?,
        ints: collect(difo.ints())?,
        strings: collect(difo.strings.iter().copied())?,
        vars: collect(difo.vars())?,
        rtype: difo.rtype,
    };
    let mut errors = Text::new();
    let verified = dif::verify(owned, rules, &mut |e| {
        if !errors.is_empty() {
            errors.add(&"\n");
        }
        errors.add(&e);
    })
    .ok_or(Error::Verify(errors))?;
    if let Some(what) = verified.text().iter().find_map(|word| never(Insn(*word))) {
        let mut text = Text::new();
        text.add(&what);
        return Err(Error::Verify(text));
    }
    let steps = verified.max_steps(&Prices::new(strsize));
    if steps > BUDGET {
        return Err(Error::Steps(steps));
    }
    vars.declare(verified.vars())?;
    vars.vtimestamp |= verified.asks_for(Builtin::Vtimestamp);
    Program::new(verified, |decoded| collect(decoded))
}

/// Returns the reason why this instruction can never work on this host. The verifier accepts it for
/// other hosts; here it would always fault, so it is refused. Our compiler never makes it.
fn never(insn: Insn) -> Option<&'static str> {
    match (insn.op()?, Subr::from_id(insn.index())) {
        (Op::Stga, _) => Some("uregs[] cannot be set on Linux"),
        (Op::Call, Some(Subr::Msgsize)) => Some("msgsize( ) is not available on Linux"),
        (Op::Call, Some(Subr::Msgdsize)) => Some("msgdsize( ) is not available on Linux"),
        (Op::Call, Some(Subr::DdiPathname)) => Some("ddi_pathname( ) is not available on Linux"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::quota::of_users;
    use std::vec::Vec;

    #[test]
    fn all_consumers_together_have_a_limit() {
        let full = |is_root| {
            let mut one = Spent::new(is_root);
            assert!(one.charge(MAX_BYTES).is_ok() && one.charge(1).is_err());
            one
        };
        let (most, of_users) = (MAX_OF_ALL / MAX_BYTES, of_users(MAX_OF_ALL) / MAX_BYTES);
        // What root has does not count for users, and a part is left for root.
        let mut all: Vec<Spent> = (0..most).map(|n| full(n < most - of_users)).collect();
        assert!(matches!(Spent::new(false).charge(1), Err(Error::TooMany(_))));
        let mut another = Spent::new(true);
        assert!(matches!(another.charge(1), Err(Error::TooMany(_))));
        // A refusal, a program that is taken back, and the end of a consumer leave nothing counted.
        all[0].back_to(MAX_BYTES - 3);
        assert!(another.charge(4).is_err() && another.charge(3).is_ok());
        all.pop();
        drop(another);
        assert!(Spent::new(true).charge(MAX_BYTES).is_ok());
    }
}
