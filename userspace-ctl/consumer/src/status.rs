// SPDX-License-Identifier: GPL-2.0
//! Messages about drops: what was lost, where, and why.
//!
//! The kernel counts since GO; a message says how many more there are than at the last look.

use abi::status::{killed, Status};

/// One message: its `DTRACEDROP_` tag and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drops {
    /// The tag without its prefix.
    pub tag: &'static str,
    /// How many things were lost.
    pub count: u64,
    /// The CPU that lost them, if one did.
    pub cpu: Option<u32>,
    /// The message.
    pub text: String,
    /// The singular noun, and the words that follow it.
    words: [&'static str; 2],
}

impl Drops {
    /// Returns the line for stderr, without its head and its newline; `droptags` puts the tag in
    /// front.
    pub fn line(&self, droptags: bool) -> String {
        match droptags {
            true => format!("[DTRACEDROP_{}] {}", self.tag, self.text),
            false => self.text.clone(),
        }
    }
}

/// Returns why the module has ended the tracing, if it has.
pub fn end(now: &Status) -> Option<&'static str> {
    match now.killed {
        0 => None,
        killed::DIED => {
            Some("a probe failed as it fired, by an error in dtrace.ko; please report it with the kernel log")
        }
        _ => Some("Abort due to systemic unresponsiveness"),
    }
}

fn plural(n: u64) -> &'static str {
    if n == 1 {
        ""
    } else {
        "s"
    }
}

/// A message about records that found no room in a CPU's principal buffer.
pub fn principal(n: u64, cpu: u32) -> Drops {
    let text = format!("{n} drop{} on CPU {cpu}", plural(n));
    Drops { tag: "PRINCIPAL", count: n, cpu: Some(cpu), text, words: ["drop", ""] }
}

/// A message about aggregated values that found no room on a CPU.
pub fn aggregation(n: u64, cpu: u32) -> Drops {
    let text = format!("{n} aggregation drop{} on CPU {cpu}", plural(n));
    let words = ["aggregation drop", ""];
    Drops { tag: "AGGREGATION", count: n, cpu: Some(cpu), text, words }
}

/// The total of what a run has lost.
#[derive(Debug, Clone, Default)]
pub struct Losses {
    /// By tag, in the order of the first messages.
    kinds: Vec<Drops>,
    /// The number of messages about them.
    told: u64,
}

impl Losses {
    /// Adds the drops of a message.
    pub fn add(&mut self, drops: &Drops) {
        self.told += 1;
        match self.kinds.iter_mut().find(|k| k.tag == drops.tag) {
            Some(known) => known.count = known.count.saturating_add(drops.count),
            None => self.kinds.push(drops.clone()),
        }
    }

    /// Returns all losses in one line; `None` if there was at most one message, which says the
    /// same.
    pub fn summary(&self) -> Option<String> {
        let of = |d: &Drops| {
            let [what, why] = d.words;
            format!("{} {what}{}{why}", d.count, plural(d.count))
        };
        let all: Vec<String> = self.kinds.iter().map(of).collect();
        (self.told > 1).then(|| format!("this run lost in all: {}", all.join(", ")))
    }
}

/// Returns messages for the counters that have grown.
pub fn differences(before: &Status, now: &Status) -> Vec<Drops> {
    let mut drops = Vec::new();
    let mut say = |tag, old: u64, new: u64, what: &'static str, why: &'static str| {
        let n = new.saturating_sub(old);
        if n > 0 {
            let text = format!("{n} {what}{}{why}", plural(n));
            drops.push(Drops { tag, count: n, cpu: None, text, words: [what, why] });
        }
    };
    let (b, n) = (before, now);
    say("DYNAMIC", b.dyndrops, n.dyndrops, "dynamic variable drop", "");
    let busy = " with busy hash chain";
    say("DYNBUSY", b.dyndrops_busy, n.dyndrops_busy, "dynamic variable drop", busy);
    say("SPEC", b.specdrops, n.specdrops, "speculative drop", "");
    let busy = " (available buffer(s) still busy)";
    say("SPECBUSY", b.specdrops_busy, n.specdrops_busy, "failed speculation", busy);
    let none = " (no speculative buffer available)";
    say("SPECUNAVAIL", b.specdrops_unavail, n.specdrops_unavail, "failed speculation", none);
    say("DBLERROR", b.dblerrors, n.dblerrors, "error", " in ERROR probe enabling");
    let why = " (too many waiting on the CPU)";
    say("SIGNAL", b.sigdrops, n.sigdrops, "signal drop", why);
    let why = " ended early (their mappings were not known yet)";
    say("USTACK", b.early, n.early, "program stack", why);
    let why = " left out (the kernel log says why)";
    say("LEFTOUT", b.left_out, n.left_out, "new probe", why);
    let why = " of probes (they fire too often, too many are at one place, or a page or a counter \
               that they need is away)";
    say("PAUSE", b.pauses, n.pauses, "pause", why);
    let why = " lost (more threads wait at a time than the module keeps)";
    say("WAIT", b.forgotten, n.forgotten, "wait", why);
    say("NESTED", b.nested, n.nested, "nested probe drop", "");
    drops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new() {
        let before = Status { dyndrops: 5, specdrops: 7, ..Status::default() };
        let now = Status { dyndrops: 6, specdrops: 7, dblerrors: 2, specdrops_busy: 1, ..before };
        let lines: Vec<String> = differences(&before, &now).iter().map(|d| d.line(false)).collect();
        assert_eq!(
            lines,
            [
                "1 dynamic variable drop",
                "1 failed speculation (available buffer(s) still busy)",
                "2 errors in ERROR probe enabling",
            ]
        );
        assert!(differences(&now, &now).is_empty());
    }

    #[test]
    fn losses_add_up() {
        let mut losses = Losses::default();
        assert_eq!(losses.summary(), None);
        losses.add(&principal(3, 0));
        assert_eq!(losses.summary(), None);
        losses.add(&principal(4, 1));
        let status = Status { dblerrors: 1, ..Status::default() };
        differences(&Status::default(), &status).iter().for_each(|d| losses.add(d));
        let expected = "this run lost in all: 7 drops, 1 error in ERROR probe enabling";
        assert_eq!(losses.summary().as_deref(), Some(expected));
    }

    #[test]
    fn buffers() {
        assert_eq!(principal(1, 3).line(false), "1 drop on CPU 3");
        assert_eq!(
            aggregation(20, 0).line(true),
            "[DTRACEDROP_AGGREGATION] 20 aggregation drops on CPU 0"
        );
    }
}
