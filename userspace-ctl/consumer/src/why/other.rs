// SPDX-License-Identifier: GPL-2.0
//! Explains descriptions of other probes than functions: missing providers, and similar names among
//! the probes of all other providers, which are few.

use super::{did_you_mean, said, Case, FBT};
use abi::probe::{part_matches, ProbeDesc};
use d::world::Why;
use d::ProbePattern;
use std::collections::BTreeSet;

/// Providers of other tracers that a description may come from, and what comes close here.
const CLASSIC: &[(&str, &str)] = &[
    ("fsinfo", "fbt::vfs_read:entry and the like, or syscall:::entry and fds[arg0]"),
    ("vfs", "fbt::vfs_read:entry and the like, or syscall:::entry and fds[arg0]"),
    ("nfsv3", "fbt:nfs::entry, or fbt:nfsd::entry, of the modules that are loaded"),
    ("nfsv4", "fbt:nfs::entry, or fbt:nfsd::entry, of the modules that are loaded"),
    ("kprobe", "fbt::NAME:entry"),
    ("kretprobe", "fbt::NAME:return"),
    ("fentry", "fbt::NAME:entry"),
    ("rawfbt", "fbt::NAME:entry"),
    ("kinst", "fbt::NAME:entry, fbt::NAME:return"),
    ("tracepoint", "sdt:::NAME"),
    ("rawtp", "sdt:::NAME"),
    ("uprobe", "pid$target:FILE:FUNCTION:entry, for the process of -c or -p"),
    ("uretprobe", "pid$target:FILE:FUNCTION:return, for the process of -c or -p"),
];

/// Providers of the module that offer their probes when they are first asked for.
const LATE: [&str; 12] = [
    FBT, "syscall", "proc", "sched", "io", "sysinfo", "vminfo", "lockstat", "mib", "ip", "tcp",
    "udp",
];

/// Probes of other systems that have no event in Linux, or no event of their own, and what comes
/// close here.
const UNCOUNTED: &[(&str, &str, &str)] = &[
    ("sysinfo", "bread", "io:::start /args[0]->b_flags & B_READ/"),
    ("sysinfo", "bwrite", "io:::start /args[0]->b_flags & B_WRITE/"),
    ("sysinfo", "bawrite", "io:::start /args[0]->b_flags & B_WRITE/"),
    ("sysinfo", "phread", "io:::start /args[0]->b_flags & B_READ/"),
    ("sysinfo", "phwrite", "io:::start /args[0]->b_flags & B_WRITE/"),
    ("sysinfo", "trap", "vminfo:::as_fault, vminfo:::prot_fault and proc:::fault"),
    (
        "lockstat",
        "rw-upgrade",
        "lockstat:::rw-release and lockstat:::rw-acquire: a reader must let go to become a writer",
    ),
    (
        "lockstat",
        "thread-spin",
        "lockstat:::spin-spin: what a thread's own lock is, are locks that spin",
    ),
    ("mib", "tcpOutSegs", "tcp:::send, for each packet before the card divides it"),
    ("mib", "tcpOutDataSegs", "tcp:::send /args[2]->ip_plength > args[4]->tcp_offset/"),
    ("mib", "tcpListenDrop", "sdt:::kfree_skb, whose third argument is the reason"),
    ("mib", "tcpInErrs", "sdt:::kfree_skb, whose third argument is the reason"),
    ("mib", "udpNoPorts", "sdt:::kfree_skb, whose third argument is the reason"),
    ("mib", "ipInDelivers", "fbt::ip_protocol_deliver_rcu:entry"),
    ("vminfo", "cow_fault", "vminfo:::prot_fault: also counts writes to shared pages"),
    ("vminfo", "fspgin", "vminfo:::pgpgin"),
    ("vminfo", "fspgout", "vminfo:::pgpgout"),
    ("vminfo", "execpgin", "vminfo:::pgpgin"),
    ("vminfo", "pgswapin", "vminfo:::anonpgin"),
    ("vminfo", "pgswapout", "vminfo:::anonpgout"),
    ("vminfo", "swapin", "vminfo:::anonpgin: pages are swapped, not processes"),
    ("vminfo", "swapout", "vminfo:::anonpgout: pages are swapped, not processes"),
    ("vminfo", "anonfree", "vminfo:::dfree"),
    ("vminfo", "execfree", "vminfo:::dfree"),
    ("vminfo", "fsfree", "vminfo:::dfree"),
];

/// Globs that match every provider's name except fbt.
const NOT_FBT: [&str; 5] = ["[!f]*", "f[!b]*", "fb[!t]*", "fbt?*", "f"];

impl Case<'_> {
    /// Returns all probes of other providers.
    fn others(&mut self) -> Vec<[String; 4]> {
        let mut probes = Vec::new();
        for glob in NOT_FBT.into_iter().chain(["fb"]) {
            let pattern = ProbeDesc::new(glob.as_bytes(), b"", b"", b"");
            let Some(pattern) = pattern else {
                continue;
            };
            // A kernel that fails here counts as having no probes.
            let _ = self.kernel.each_probe(&pattern, &mut |p| {
                probes.push(p.parts.map(|part| String::from_utf8_lossy(part).into_owned()));
                true
            });
        }
        probes
    }

    /// Returns an answer, unless the functions must be searched.
    pub(super) fn other_providers(&mut self) -> Option<Why> {
        let wanted = self.wanted;
        let given = wanted.provider.as_str();
        if given == FBT && self.has_fbt() {
            return None;
        }
        let probes = self.others();
        let providers: BTreeSet<String> = probes.iter().map(|p| p[0].clone()).collect();
        let is_known = |p: &String| part_matches(given.as_bytes(), p.as_bytes());
        let is_fbt = part_matches(given.as_bytes(), FBT.as_bytes());
        let uncounted = |(provider, name, _): &&(&str, &str, &str)| {
            *name == wanted.name && *provider == given && providers.contains(given)
        };
        if let Some((_, name, instead)) = UNCOUNTED.iter().find(uncounted) {
            let mut why = said("no such probe");
            why.notes.push(format!("Linux has no event that matches `{name}` of other systems"));
            why.hint = Some(close(instead));
            return Some(why);
        }
        if let Some(why) = self.lacking() {
            return Some(why);
        }
        let has_provider = is_fbt || providers.iter().any(is_known);
        if !has_provider && classic(given).is_some() {
            return Some(self.no_provider(providers));
        }
        let mut near = self.near(&probes);
        if near.is_empty() && is_fbt {
            // A single word may be a function.
            near.extend(self.as_function());
        }
        if !near.is_empty() {
            let mut why = said("no such probe");
            why.hint = did_you_mean(&near);
            return Some(why);
        }
        if is_fbt && self.has_fbt() {
            return None;
        }
        if !has_provider || given == FBT {
            return Some(self.no_provider(providers));
        }
        Some(said("no such probe").hint("`dtrace -l` lists all probes"))
    }

    /// Answers if the module knows the probe and why this kernel lacks it.
    fn lacking(&mut self) -> Option<Why> {
        let ProbePattern { provider, name, .. } = self.wanted;
        if provider == FBT || !LATE.contains(&provider.as_str()) {
            return None;
        }
        let pattern = crate::kernel::pattern(self.wanted)?;
        let (reason, event) = self.kernel.explain(&pattern).ok()??;
        let mut why = said("no such probe");
        why.notes.push(reason.sentence(name, &event).to_string());
        Some(why)
    }

    fn has_fbt(&mut self) -> bool {
        self.is_there(&ProbePattern::new(FBT, "", "", ""))
    }

    fn no_provider(&mut self, mut providers: BTreeSet<String>) -> Why {
        let wanted = self.wanted;
        if self.has_fbt() {
            providers.insert(FBT.into());
        }
        let given = wanted.provider.as_str();
        let list: Vec<&str> = providers.iter().map(String::as_str).collect();
        let mut why = said("no such probe");
        why.notes.push(format!(
            "there is no provider `{given}`; the providers are: {}",
            list.join(", ")
        ));
        if LATE.contains(&given) {
            why.hint = Some("this kernel gave it no probes; its log says why: dmesg".into());
            return why;
        }
        if let Some(instead) = classic(given) {
            why.hint = Some(close(instead));
            return why;
        }
        let near = d::diag::nearest(given, providers.iter().cloned());
        let near = near.into_iter().map(|provider| ProbePattern { provider, ..wanted.clone() });
        why.hint = did_you_mean(&self.those_there(near));
        why
    }

    /// Returns similar names of these probes, or those that have the single given word as another
    /// part.
    fn near(&self, probes: &[[String; 4]]) -> Vec<ProbePattern> {
        let wanted = self.wanted;
        let mut names = BTreeSet::new();
        let mut elsewhere = BTreeSet::new();
        for probe in probes {
            let parts = probe.each_ref().map(String::as_str);
            names.extend(comparable(wanted, parts));
            elsewhere.extend(misplaced(wanted, parts));
        }
        let near = d::diag::nearest(&wanted.to_string(), names);
        let found = match near.is_empty() {
            true => elsewhere.into_iter().take(3).collect(),
            false => near,
        };
        found.iter().map(|name| parsed(name)).collect()
    }

    /// Answers for `-n vfs_read`: the single word is a function or a module.
    fn as_function(&mut self) -> Vec<ProbePattern> {
        let wanted = self.wanted;
        let given: Vec<&str> = wanted.parts().into_iter().filter(|p| !p.is_empty()).collect();
        let [word] = given.as_slice() else {
            return Vec::new();
        };
        if abi::probe::is_glob(word.as_bytes()) {
            return Vec::new();
        }
        let places = [ProbePattern::new("", "", word, ""), ProbePattern::new(FBT, word, "", "")];
        self.those_there(places.into_iter())
    }
}

/// Returns what comes close to a provider of other tracers; the provider may end with a process
/// number.
fn classic(given: &str) -> Option<&'static str> {
    let word = given.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let found = CLASSIC.iter().find(|(name, _)| *name == word || *name == given)?;
    Some(found.1)
}

/// Returns a hint at the closest equivalent.
fn close(instead: &str) -> String {
    format!("close to it: {instead}")
}

/// Parses four parts with colons.
fn parsed(name: &str) -> ProbePattern {
    let mut parts = name.splitn(4, ':');
    let mut part = || parts.next().unwrap_or("");
    ProbePattern::new(part(), part(), part(), part())
}

/// Returns the probe's name with the parts that the wanted pattern leaves empty left empty, if its
/// globs match: only written parts can be misspelt.
fn comparable(wanted: &ProbePattern, parts: [&str; 4]) -> Option<String> {
    let mut name = Vec::new();
    for (pattern, part) in wanted.parts().into_iter().zip(parts) {
        let is_glob = abi::probe::is_glob(pattern.as_bytes());
        match () {
            () if pattern.is_empty() => name.push(""),
            () if !is_glob => name.push(part),
            () if part_matches(pattern.as_bytes(), part.as_bytes()) => name.push(pattern),
            () => return None,
        }
    }
    Some(name.join(":"))
}

/// Returns the right pattern if a single word is another part of this probe's name: `vfs_read:` for
/// `-n vfs_read`.
fn misplaced(wanted: &ProbePattern, parts: [&str; 4]) -> Option<String> {
    let mut given = wanted.parts().into_iter().filter(|p| !p.is_empty());
    let word = given.next()?;
    if given.next().is_some() {
        return None;
    }
    match parts.iter().position(|p| *p == word)? {
        0 => Some(format!("{word}:::")),
        1 => Some(format!(":{word}::")),
        2 => Some(format!("::{word}:")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_compared() {
        let parts = ["hworld", "open_module", "open1", "entry"];
        let p = |a, b, c, d| ProbePattern::new(a, b, c, d);
        assert_eq!(comparable(&p("hwrld", "", "", ""), parts).unwrap(), "hworld:::");
        assert_eq!(comparable(&p("hw*", "", "", "etry"), parts).unwrap(), "hw*:::entry");
        assert_eq!(comparable(&p("x*", "", "", "etry"), parts), None);
        assert_eq!(misplaced(&p("", "", "", "open1"), parts).unwrap(), "::open1:");
        assert_eq!(misplaced(&p("a", "", "", "open1"), parts), None);
    }

    #[test]
    fn globs_for_all_but_fbt() {
        for name in ["f", "fb", "fbx", "fbtx", "fasttrap", "dtrace", "hworld", "b", "fbt"] {
            let globs = NOT_FBT.into_iter().chain(["fb"]);
            let n = globs.filter(|g| part_matches(g.as_bytes(), name.as_bytes())).count();
            assert_eq!(n, usize::from(name != FBT), "{name}");
        }
    }
}
