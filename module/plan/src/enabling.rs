// SPDX-License-Identifier: GPL-2.0
//! An enabling: the consumer's statements, checked and planned. They are kept, so that probes that
//! appear later are matched too.

use crate::builder::Builder;
use crate::clause::{AggInfo, Clause};
use crate::code::Spent;
use crate::matching::Pattern;
use crate::probe::Special;
use crate::vars::Vars;
use crate::{Error, Result};
use abi::option::{OptionId, Options};
use dif::Rules;
use dof::Dof;
use mem::{accounted, Arc, KBox, KVVec, KVec};

/// The most statements of one enabling.
const MAX_STATEMENTS: usize = 1 << 16;

/// A probe description and its clause.
pub struct Statement {
    /// The description of the probes.
    pub pattern: Pattern,
    /// The clause that runs when they fire.
    pub clause: Arc<Clause>,
}

/// A whole enabling.
pub struct Enabling {
    /// Its options.
    pub options: Options,
    /// Its statements, in the order of the program.
    pub statements: KVVec<Statement>,
    /// Its variables.
    pub vars: Vars,
    /// Its format strings, without NUL.
    pub formats: KVec<KVec<u8>>,
    /// Its aggregations.
    pub aggs: KVec<AggInfo>,
    /// The words of the longest key of all clauses.
    pub key_words: usize,
    /// Whether a clause records in speculations.
    pub speculates: bool,
    /// Whether clauses may destroy. A later program's options do not take that back.
    may_destroy: bool,
    /// Whether its consumer belongs to root.
    pub is_root: bool,
    /// The kernel memory of the clauses. It is counted until they are freed.
    spent: Spent,
    /// Whether clauses get shortcuts.
    takes_shortcuts: bool,
}

/// A former state of an enabling.
pub struct Mark {
    options: Options,
    statements: usize,
    vars: Vars,
    formats: usize,
    aggs: usize,
    key_words: usize,
    speculates: bool,
    may_destroy: bool,
    spent: usize,
}

/// Returns the next statement. It has its own stack frame, so that the data for finding a statement
/// is not on the stack while the statement is admitted.
#[inline(never)]
fn next<'d>(
    statements: &mut impl Iterator<Item = core::result::Result<dof::Statement<'d>, dof::DofError>>,
) -> Result<Option<dof::Statement<'d>>> {
    Ok(statements.next().transpose()?)
}

impl Enabling {
    /// Creates an empty enabling of root.
    pub fn new() -> Result<KBox<Self>> {
        Self::of(true)
    }

    /// Creates an empty enabling. Of what all consumers may have, a part is for those of root.
    #[inline(never)]
    pub fn of(is_root: bool) -> Result<KBox<Self>> {
        Ok(accounted::boxed(Self {
            options: Options::default(),
            statements: KVVec::new(),
            vars: Vars::new(),
            formats: KVec::new(),
            aggs: KVec::new(),
            key_words: 0,
            speculates: false,
            may_destroy: false,
            is_root,
            spent: Spent::new(is_root),
            takes_shortcuts: true,
        })?)
    }

    /// Makes no shortcuts for clauses that are added from here on. Tests compare both ways.
    pub fn take_no_shortcuts(&mut self) {
        self.takes_shortcuts = false;
    }

    /// Adds the statements of a DOF. Returns the position of the first one. On an error, nothing
    /// has changed. `may_destroy` tells whether the caller may enable destructive actions; it is
    /// asked only if the DOF has the option `destructive`. `go_on` is asked before each statement;
    /// its error ends the call.
    pub fn add(
        &mut self,
        bytes: &[u8],
        may_destroy: impl FnOnce() -> Result,
        go_on: &mut dyn FnMut() -> Result,
    ) -> Result<usize> {
        let before = self.mark()?;
        let from = before.statements;
        match self.add_or_leave_half(bytes, may_destroy, go_on) {
            Ok(options) => {
                self.may_destroy |= options.get(OptionId::Destructive) != 0;
                self.options = options;
                Ok(from)
            }
            Err(e) => {
                self.back_to(before);
                Err(e)
            }
        }
    }

    /// Returns the present state, to which [`Self::back_to`] leads back.
    #[inline(never)]
    pub fn mark(&self) -> Result<KBox<Mark>> {
        Ok(accounted::boxed(Mark {
            options: self.options.clone(),
            statements: self.statements.len(),
            vars: self.vars.copy()?,
            formats: self.formats.len(),
            aggs: self.aggs.len(),
            key_words: self.key_words,
            speculates: self.speculates,
            may_destroy: self.may_destroy,
            spent: self.spent.bytes(),
        })?)
    }

    /// Forgets everything that was added since.
    #[inline(never)]
    pub fn back_to(&mut self, mut mark: KBox<Mark>) {
        core::mem::swap(&mut self.options, &mut mark.options);
        core::mem::swap(&mut self.vars, &mut mark.vars);
        self.statements.truncate(mark.statements);
        self.formats.truncate(mark.formats);
        self.aggs.truncate(mark.aggs);
        (self.key_words, self.speculates) = (mark.key_words, mark.speculates);
        self.may_destroy = mark.may_destroy;
        self.spent.back_to(mark.spent);
    }

    /// Tells whether one of its programs has the option `destructive`.
    pub fn is_destructive(&self) -> bool {
        self.may_destroy
    }

    /// Returns the most bytes that the clauses of END record.
    pub fn end_size(&self) -> usize {
        let at_end = |s: &&Statement| s.pattern.matcher().matches_special(Special::End);
        let sizes = self.statements.iter().filter(at_end).map(|s| s.clause.size);
        sizes.fold(0, usize::saturating_add)
    }

    /// Returns the bytes of the largest record. Clauses for ERROR do not count, because every
    /// consumer has one of its own.
    pub fn largest_record(&self) -> usize {
        let is_of_error = |s: &Statement| s.pattern.matcher().matches_special(Special::Error);
        let records = self.statements.iter().filter(|s| !is_of_error(s)).map(|s| s.clause.size);
        records.max().unwrap_or(0)
    }

    /// Returns the options so far, together with those of the DOF.
    #[inline(never)]
    fn options(&self, dof: &Dof<'_>) -> Result<Options> {
        let mut options = self.options.clone();
        for o in dof.options() {
            let o = o?;
            match OptionId::from_number(o.option) {
                Some(id) if options.set(id, o.value) => {}
                _ => return Err(Error::Option(o.option, o.value)),
            }
        }
        Ok(options)
    }

    #[inline(never)]
    fn add_or_leave_half(
        &mut self,
        bytes: &[u8],
        may_destroy: impl FnOnce() -> Result,
        go_on: &mut dyn FnMut() -> Result,
    ) -> Result<Options> {
        let dof = Dof::check(bytes)?;
        let options = self.options(&dof)?;
        let allow_destructive = options.get(OptionId::Destructive) != 0;
        if allow_destructive {
            may_destroy()?;
        }
        let rules = Rules {
            allow_destructive,
            allow_kernel_loads: true,
            max_by_ref: abi::difo::MAX_BY_REF,
        };
        let mut builder = Builder {
            rules,
            // CAST: the option's bounds.
            strsize: options.get(OptionId::Strsize) as usize,
            options: &options,
            vars: &mut self.vars,
            formats: &mut self.formats,
            aggs: &mut self.aggs,
            spent: &mut self.spent,
            takes_shortcuts: self.takes_shortcuts,
        };
        let mut last: Option<((u32, u32), Arc<Clause>)> = None;
        let mut statements = dof.statements();
        while let Some(s) = next(&mut statements)? {
            go_on()?;
            if self.statements.len() >= MAX_STATEMENTS {
                return Err(Error::TooMany("statements"));
            }
            // A clause with several probe descriptions arrives as consecutive statements that share
            // their sections. It is admitted once.
            let clause = match &last {
                Some((key, c)) if *key == s.clause && c.uarg == s.uarg => c.clone(),
                _ => builder.clause(&s)?,
            };
            self.key_words = self.key_words.max(clause.key_words);
            self.speculates |= clause.speculates.is_some();
            last = Some((s.clause, clause.clone()));
            builder.spent.charge(size_of::<Statement>() + s.pattern.bytes())?;
            let pattern = Pattern::new(&s.pattern)?;
            accounted::push(&mut self.statements, Statement { pattern, clause })?;
        }
        Ok(options)
    }
}
