// SPDX-License-Identifier: GPL-2.0
//! Explains globs that match no function: looks for similar beginnings.

use super::{did_you_mean, said, Case};
use crate::nearest;
use d::world::Why;
use d::ProbePattern;

impl Case<'_> {
    pub(super) fn glob(&mut self) -> Why {
        let wanted = self.wanted;
        let function = wanted.function.as_str();
        let mut why = said("no such function");
        let mut anywhere = wanted.clone();
        anywhere.module.clear();
        if !wanted.module.is_empty() && self.is_there(&anywhere) {
            why.notes.push(format!("no function of module {} matches {function}", wanted.module));
            why.hint = did_you_mean(&[anywhere]);
            return why;
        }
        why.notes.push(format!("no function that can be traced matches {function}"));
        let head = function.split(['*', '?', '[', '\\']).next().unwrap_or("");
        let tail = function.get(head.len()..).unwrap_or("");
        if head.len() >= 3 {
            let near = nearest::prefixes(head, self.machine.names().iter(), 8);
            let near: Vec<ProbePattern> =
                near.iter().map(|p| self.of_function(&format!("{p}{tail}"))).collect();
            why.hint = did_you_mean(&self.those_there(near.into_iter()));
        }
        if why.hint.is_none() {
            why.hint =
                Some("`dtrace -ln 'fbt::*WORD*:entry'` lists the functions with a word".into());
        }
        why
    }
}
