// SPDX-License-Identifier: GPL-2.0
//! An enabling: what a consumer asked for, checked, planned, and kept, so that probes which appear
//! later are matched too.

use crate::clause::{AggInfo, Builder, Clause};
use crate::matching::Pattern;
use crate::vars::Vars;
use crate::{Error, Result};
use abi::option::{OptionId, Options};
use dif::Rules;
use dof::Dof;
use kapi::mem;
use kernel::prelude::*;
use kernel::sync::Arc;

/// Most statements of one enabling.
const MAX_STATEMENTS: usize = 1 << 16;

/// Which probes get which clause.
pub(crate) struct Statement {
    pub(crate) pattern: Pattern,
    pub(crate) clause: Arc<Clause>,
}

/// A whole enabling.
pub(crate) struct Enabling {
    pub(crate) options: Options,
    pub(crate) statements: KVVec<Statement>,
    pub(crate) vars: Vars,
    pub(crate) formats: KVec<KVec<u8>>,
    pub(crate) aggs: KVec<AggInfo>,
    /// Words that the longest key of all clauses needs.
    pub(crate) key_words: usize,
}

impl Enabling {
    /// Reads a DOF. On an error nothing is left behind.
    pub(crate) fn from_dof(bytes: &[u8]) -> Result<Self> {
        let dof = Dof::check(bytes)?;
        let mut options = Options::default();
        for o in dof.options() {
            let o = o?;
            let bad = Error::Option(o.option, o.value);
            match OptionId::from_number(o.option) {
                Some(id) if options.set(id, o.value) => {}
                _ => return Err(bad),
            }
        }
        let rules = Rules {
            allow_destructive: options.get(OptionId::Destructive) != 0,
            allow_kernel_loads: true,
            max_by_ref: abi::difo::MAX_BY_REF,
        };
        let mut e = Self {
            options,
            statements: KVVec::new(),
            vars: Vars::new(),
            formats: KVec::new(),
            aggs: KVec::new(),
            key_words: 0,
        };
        let mut builder = Builder {
            rules,
            // CAST: the option's bounds.
            strsize: e.options.get(OptionId::Strsize) as usize,
            vars: &mut e.vars,
            formats: &mut e.formats,
            aggs: &mut e.aggs,
        };
        let mut last: Option<((u32, u32), Arc<Clause>)> = None;
        for s in dof.statements() {
            let s = s?;
            if e.statements.len() >= MAX_STATEMENTS {
                return Err(Error::TooMany("statements"));
            }
            // One clause with several probe descriptions comes as consecutive statements that
            // share their sections: it is admitted once.
            let clause = match &last {
                Some((key, c)) if *key == s.clause && c.uarg == s.uarg => c.clone(),
                _ => builder.clause(&s)?,
            };
            e.key_words = e.key_words.max(clause.key_words);
            last = Some((s.clause, clause.clone()));
            let pattern = Pattern::new(&s.pattern)?;
            mem::push(&mut e.statements, Statement { pattern, clause })?;
        }
        Ok(e)
    }
}
