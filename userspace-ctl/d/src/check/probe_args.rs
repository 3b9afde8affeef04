// SPDX-License-Identifier: GPL-2.0
//! `args[]` of a clause whose descriptions match probes with different arguments.
//!
//! The clause is compiled once per distinct list of the types that it uses, and each code goes to
//! its own probes. Probes that lack an argument are left out with a note, unless all lack it.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::Arc;

use super::Checker;
use crate::ast::{self, ExprKind, StmtKind};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::typed::Members;
use crate::types::Type;
use crate::world::{Probe, ProbePattern, Signature};

/// The `args[]` that a clause uses.
#[derive(Debug, Default)]
pub(super) struct Used {
    numbers: BTreeSet<u64>,
    /// Some index is not a plain number.
    any: bool,
}

/// The probes that share one code.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// `None`: every argument is a number of 64 bits.
    pub signature: Option<Arc<Signature>>,
    /// The probes of the group, for each pattern.
    pub members: Vec<Members>,
    /// The most arguments that one of the probes passes, if known.
    pub nargs: Option<u32>,
    /// A probe of the group, for messages.
    pub example: String,
    /// A probe without types, for messages.
    pub untyped: Option<Probe>,
}

/// The reason why probes are left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Lack {
    Missing(u64),
    Unreachable(u64),
    /// The name of the type is not known here.
    Unknown(u64, String),
    NoTypes,
}

impl Used {
    /// Collects the uses in a clause.
    pub(super) fn of(clause: &ast::Clause) -> Used {
        let mut used = Used::default();
        clause.predicate.iter().for_each(|e| used.expr(e));
        used.statements(clause.body.as_deref().unwrap_or(&[]));
        used
    }

    fn statements(&mut self, list: &[ast::Stmt]) {
        for s in list {
            match &s.kind {
                StmtKind::Expr(e) => self.expr(e),
                StmtKind::If(condition, then, other) => {
                    self.expr(condition);
                    self.statements(then);
                    self.statements(other);
                }
            }
        }
    }

    fn expr(&mut self, e: &ast::Expr) {
        if let ExprKind::Index(base, indices) = &e.kind {
            if matches!(&base.kind, ExprKind::Ident(name) if name == "args") {
                match indices.as_slice() {
                    [ast::Expr { kind: ExprKind::Int(n, _), .. }] => {
                        self.numbers.insert(*n);
                    }
                    _ => self.any = true,
                }
            }
        }
        e.kind.each_child(&mut |child| self.expr(child));
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty() && !self.any
    }

    fn lack(&self, signature: &Signature) -> Option<Lack> {
        self.numbers.iter().find_map(|&n| {
            let arg = usize::try_from(n).ok().and_then(|n| signature.args.get(n));
            match arg {
                None => Some(Lack::Missing(n)),
                Some(arg) if arg.slot.is_none() => Some(Lack::Unreachable(n)),
                Some(arg) => arg.unknown.clone().map(|name| Lack::Unknown(n, name)),
            }
        })
    }

    /// Returns a key that is equal for signatures that give equal code.
    fn key(&self, signature: &Signature) -> String {
        let mut key = String::new();
        for (n, arg) in (0u64..).zip(&signature.args) {
            if self.any || self.numbers.contains(&n) {
                let _ = write!(key, "{n}:{:?}:", arg.slot);
                identity(&arg.ty, &mut key);
                if let Some(native) = &arg.native {
                    key.push('<');
                    identity(native, &mut key);
                }
            }
        }
        if self.any {
            let _ = write!(key, "/{}", signature.args.len());
        }
        key
    }
}

/// Writes a type in a few characters. A struct is written as its number, because several can have
/// one name.
fn identity(ty: &Type, key: &mut String) {
    let _ = match ty {
        Type::Pointer(to) => {
            key.push('*');
            return identity(to, key);
        }
        Type::Struct(s) => write!(key, "s{:x};", s.id.0),
        Type::Int(i) => write!(key, "i{}{};", i.size, i.signed),
        other => write!(key, "{other};"),
    };
}

impl Checker<'_> {
    /// Returns the probes of a clause grouped by the code that they need, and the number of matches
    /// of each pattern.
    pub(super) fn groups(
        &mut self,
        patterns: &[(ProbePattern, Span, Option<u32>)],
        used: &Used,
    ) -> (Vec<Group>, Vec<usize>) {
        let whole = |nargs| Group {
            members: vec![Members::All; patterns.len()],
            nargs,
            ..Group::default()
        };
        let most = patterns.iter().filter_map(|p| p.2).max();
        if used.is_empty() {
            return (vec![whole(most)], vec![0; patterns.len()]);
        }
        let mut sorted = Sorted::new(used, patterns.len());
        let mut counts = Vec::new();
        let mut notes = Vec::new();
        let mut example = None;
        for (i, (pattern, span, nargs)) in patterns.iter().enumerate() {
            let probes = self.world.probes(pattern);
            counts.push(probes.len());
            if probes.is_empty() {
                let [provider, _, _, name] = pattern.parts();
                if let Some(signature) = self.in_d(provider, name, *span) {
                    sorted.awaited(i, &signature, pattern);
                    continue;
                }
            }
            let signatures: Vec<_> = probes.iter().map(|p| self.signature_of(p, *span)).collect();
            if signatures.iter().all(Option::is_none) {
                sorted.untyped(i, Members::All, *nargs, probes.into_iter().next());
                continue;
            }
            let mut lacking: HashMap<Lack, (usize, &Probe)> = HashMap::new();
            for (probe, signature) in probes.iter().zip(&signatures) {
                let lack = match signature {
                    None => Some(Lack::NoTypes),
                    Some(s) => used.lack(s),
                };
                match (lack, signature) {
                    (None, Some(signature)) => sorted.typed(i, probe, signature),
                    (Some(lack), signature) => {
                        lacking.entry(lack).or_insert((0, probe)).0 += 1;
                        if let (None, Some(s)) = (&example, signature) {
                            example = Some((s.clone(), probe.parts.join(":")));
                        }
                    }
                    (None, None) => {}
                }
            }
            let mut lacking: Vec<_> = lacking.into_iter().collect();
            lacking.sort_by(|(a, _), (b, _)| a.cmp(b));
            for (lack, (count, probe)) in lacking {
                notes.push(left_out(lack, count, probe, pattern, *span));
            }
        }
        let groups = sorted.groups;
        if groups.is_empty() {
            // No probe has the argument: let the use itself cause the complaint.
            let mut group = whole(most);
            if let Some((signature, probe)) = example {
                (group.signature, group.example) = (Some(signature), probe);
            }
            return (vec![group], counts);
        }
        self.notes.append(&mut notes);
        (groups, counts)
    }
}

fn left_out(lack: Lack, n: usize, probe: &Probe, pattern: &ProbePattern, at: Span) -> Diagnostic {
    let (tag, why) = match lack {
        Lack::Missing(n) => (Tag::ArgsIdx, format!("they have no args[{n}]")),
        Lack::Unreachable(n) => {
            (Tag::ArgsType, format!("args[{n}] is passed in a way that D cannot read"))
        }
        Lack::Unknown(n, name) => {
            (Tag::ArgsType, format!("args[{n}] is of type {name}, which is not known"))
        }
        Lack::NoTypes => (Tag::ArgsType, "the types of their arguments are not known".into()),
    };
    let name = probe.parts.join(":");
    let message = match n {
        1 => format!(
            "{name} is left out of {pattern}: {}",
            why.replace("they have", "it has").replace("their", "its")
        ),
        n => format!("{n} probes of {pattern} are left out: {why}, such as {name}"),
    };
    Diagnostic::new(tag, at, message)
}

/// Groups under construction.
struct Sorted<'u> {
    used: &'u Used,
    count: usize,
    groups: Vec<Group>,
    /// The group without types.
    plain: Option<usize>,
    by_key: HashMap<String, usize>,
    /// Groups by address of the signature: most worlds return one signature many times. Keeping the
    /// `Arc` prevents reuse of an address.
    by_signature: HashMap<*const Signature, (Arc<Signature>, usize)>,
}

impl<'u> Sorted<'u> {
    fn new(used: &'u Used, count: usize) -> Self {
        Sorted {
            used,
            count,
            groups: Vec::new(),
            plain: None,
            by_key: HashMap::new(),
            by_signature: HashMap::new(),
        }
    }

    fn group(&mut self, signature: Option<Arc<Signature>>, example: String) -> usize {
        let members = vec![Members::default(); self.count];
        self.groups.push(Group { signature, members, example, ..Group::default() });
        self.groups.len() - 1
    }

    fn untyped(
        &mut self,
        pattern: usize,
        members: Members,
        nargs: Option<u32>,
        probe: Option<Probe>,
    ) {
        let at = match self.plain {
            Some(at) => at,
            None => self.group(None, String::new()),
        };
        self.plain = Some(at);
        if let Some(group) = self.groups.get_mut(at) {
            group.nargs = group.nargs.max(nargs);
            group.untyped = group.untyped.take().or(probe);
            if let Some(slot) = group.members.get_mut(pattern) {
                *slot = members;
            }
        }
    }

    /// Adds a pattern that matches no probe yet, but whose future probes are declared.
    fn awaited(&mut self, pattern: usize, signature: &Arc<Signature>, wanted: &ProbePattern) {
        let at = self.group_of(signature, || wanted.to_string());
        if let Some(slot) = self.groups.get_mut(at).and_then(|g| g.members.get_mut(pattern)) {
            *slot = Members::All;
        }
    }

    /// Returns the group with this signature.
    fn group_of(&mut self, signature: &Arc<Signature>, example: impl Fn() -> String) -> usize {
        if let Some((_, at)) = self.by_signature.get(&Arc::as_ptr(signature)) {
            return *at;
        }
        let key = self.used.key(signature);
        let at = match self.by_key.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.group(Some(signature.clone()), example());
                self.by_key.insert(key, at);
                at
            }
        };
        self.by_signature.insert(Arc::as_ptr(signature), (signature.clone(), at));
        at
    }

    fn typed(&mut self, pattern: usize, probe: &Probe, signature: &Arc<Signature>) {
        let at = self.group_of(signature, || probe.parts.join(":"));
        let address = match probe.id {
            0 => {
                let [a, b, c, d] = &probe.parts;
                ProbePattern::new(a, b, c, d)
            }
            id => ProbePattern { id, ..ProbePattern::default() },
        };
        let members = self.groups.get_mut(at).and_then(|g| g.members.get_mut(pattern));
        if let Some(members) = members {
            members.push(address);
        }
    }
}
