// SPDX-License-Identifier: GPL-2.0
//! Descriptions that mean probes of any program, and the programs that have started lately.

use abi::probe::is_glob;
use d::ProbePattern;
use libproc::process;
use std::collections::HashSet;

/// Descriptions of probes that any program may bring along.
#[derive(Debug, Default)]
pub(super) struct AnyProgram {
    pub(super) patterns: Vec<ProbePattern>,
    /// Running programs that need no further look.
    old: HashSet<(u32, [u64; 2])>,
    /// Programs that have been read once; their libraries may not have been mapped yet.
    young: HashSet<(u32, [u64; 2])>,
    /// Processes for which there was no time.
    late: HashSet<u32>,
}

impl AnyProgram {
    pub(super) fn add(&mut self, pattern: &ProbePattern) {
        self.patterns.push(pattern.clone());
        self.old = process::running();
    }

    /// Makes a process one of those that have started recently.
    pub(super) fn meet_again(&mut self, pid: u32) {
        self.late.insert(pid);
    }

    /// Tells whether a pattern may mean this provider of any process: one of the two names, as far
    /// as it is spelt out, must begin with the other.
    pub(super) fn may_mean(&self, provider: &str) -> bool {
        let is_open = |c: char| c.is_ascii_digit() || is_glob(c.to_string().as_bytes());
        self.patterns.iter().any(|p| {
            let spelt = p.provider.split(is_open).next().unwrap_or_default();
            provider.starts_with(spelt) || spelt.starts_with(provider)
        })
    }

    /// Returns the programs that have started recently.
    pub(super) fn begun(&mut self) -> Vec<u32> {
        if self.patterns.is_empty() {
            return Vec::new();
        }
        let now = process::running();
        let late = std::mem::take(&mut self.late);
        self.old.retain(|p| now.contains(p) && !late.contains(&p.0));
        let begun: HashSet<_> = now.difference(&self.old).copied().collect();
        let again = begun.intersection(&self.young).filter(|p| !late.contains(&p.0));
        self.old.extend(again.copied());
        self.young = begun;
        self.young.iter().map(|(pid, _)| *pid).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_process_is_met_again() {
        let (mut any, me) = (AnyProgram::default(), std::process::id());
        any.add(&ProbePattern::new("shop*", "", "", ""));
        assert!(!any.begun().contains(&me));
        for _ in 0..3 {
            any.meet_again(me);
            assert!(any.begun().contains(&me));
        }
        // It was not read so far, so it is read twice from here on.
        assert!(any.begun().contains(&me) && !any.begun().contains(&me));
    }

    /// The libraries of a program that has just started may not be mapped yet.
    #[test]
    fn a_program_is_looked_at_twice() {
        let mut any = AnyProgram::default();
        any.add(&ProbePattern::new("shop*", "", "", ""));
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let met = [(); 3].map(|()| any.begun().contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(met, [true, true, false]);
    }
}
