// SPDX-License-Identifier: GPL-2.0
//! Declared providers: the types of the arguments that their probes pass and that scripts see.

use std::collections::HashSet;
use std::sync::Arc;

use super::Checker;
use crate::ast;
use crate::diag::{Diagnostic, Tag};
use crate::library::Sort;
use crate::program::{DeclaredProbe, Provider};
use crate::source::{Source, Span};
use crate::types::convert::is_assignable;
use crate::types::Type;
use crate::world::{Arg, Declaration, Probe, Signature};
use abi::probe::PROVIDER_LEN;

/// Returns the struct that a translator makes: the type itself, or the type that it points to.
pub(super) fn pointed(ty: &Type) -> &Type {
    match ty {
        Type::Pointer(of) => of,
        of => of,
    }
}

/// The most arguments of a probe.
const MAX_ARGS: usize = 32;

impl Checker<'_> {
    /// Checks a `provider` declaration.
    pub(super) fn provider(&mut self, p: &ast::Provider) {
        let problem = if p.name.len() >= PROVIDER_LEN {
            Some(format!("is longer than {} bytes", PROVIDER_LEN - 1))
        } else if p.name.ends_with(|c: char| c.is_ascii_digit()) {
            Some("may not end with a digit: the number of a process follows it".into())
        } else {
            None
        };
        if let Some(why) = problem {
            let message = format!("provider name {} {why}", p.name);
            self.fail(Diagnostic::new(Tag::ProvBadname, p.span, message).label("not a name"));
            return;
        }
        let mut seen = HashSet::new();
        let mut declared = Vec::new();
        for probe in &p.probes {
            let name = probe.name.replace("__", "-");
            if !seen.insert(name.clone()) {
                let message = format!("probe redeclared: {}:::{name}", p.name);
                let d = Diagnostic::new(Tag::ProvPrdup, probe.span, message);
                self.fail(d.label("there is one already"));
                continue;
            }
            let Some((natives, signature)) = self.declared_signature(probe) else { continue };
            let args = signature.args.clone();
            declared.push(DeclaredProbe { name: probe.name.clone(), natives, args });
            let known = self.names.providers.get(&p.name).and_then(|probes| probes.get(&name));
            match known {
                Some(known) if **known != signature => {
                    let message =
                        format!("probe {}:::{name} differs from its earlier declaration", p.name);
                    let d = Diagnostic::new(Tag::ProvIncompat, probe.span, message);
                    self.fail(d.label("other arguments"));
                }
                Some(_) => {}
                None => {
                    let probes = self.names.providers.entry(p.name.clone()).or_default();
                    probes.insert(name, Arc::new(signature));
                }
            }
        }
        self.names.providers.entry(p.name.clone()).or_default();
        match self.providers.iter_mut().find(|known| known.name == p.name) {
            _ if self.library.is_some() => {}
            Some(known) => known.probes.append(&mut declared),
            None => {
                let promised = self.promised_of(&p.name, p.span);
                let (name, probes) = (p.name.clone(), declared);
                self.providers.push(Provider { name, probes, promised });
            }
        }
    }

    /// Returns the types that a probe passes, and the arguments that scripts see.
    fn declared_signature(&mut self, probe: &ast::ProbeDecl) -> Option<(Vec<Type>, Signature)> {
        let natives = self.probe_params(&probe.native)?;
        let types: Vec<Type> = natives.iter().map(|n| n.1.clone()).collect();
        let Some(prototype) = &probe.translated else {
            let args = natives.into_iter().zip(0u8..).map(|((_, ty), n)| Arg::new(ty, Some(n)));
            return Some((types, self.bounded_signature(probe, args.collect())?));
        };
        let mut args = Vec::new();
        for (at, (name, ty)) in self.probe_params(prototype)?.into_iter().enumerate() {
            // An argument is matched by its name, else by its position; if the probe passes only
            // one, all are made from it.
            let of_name = natives.iter().position(|n| !name.is_empty() && n.0 == name);
            let slot = of_name.unwrap_or(if natives.len() == 1 { 0 } else { at });
            let span = prototype.params.get(at).map_or(probe.span, |p| p.span);
            let Some((_, native)) = natives.get(slot) else {
                self.no_translator(Tag::ProvPrxlator, "nothing that the probe passes", &ty, span);
                return None;
            };
            let is_there = ty == *native
                || self.library.is_some()
                || self.translator_for(pointed(&ty), native, span).is_some()
                || !matches!(pointed(&ty), Type::Struct(_)) && is_assignable(&ty, native);
            if !is_there {
                self.no_translator(Tag::ProvPrxlator, &native.to_string(), &ty, span);
                return None;
            }
            let native = (ty != *native).then(|| native.clone());
            args.push(Arg { native, ..Arg::new(ty, u8::try_from(slot).ok()) });
        }
        Some((types, self.bounded_signature(probe, args)?))
    }

    fn bounded_signature(&mut self, probe: &ast::ProbeDecl, args: Vec<Arg>) -> Option<Signature> {
        let count = args.len().max(probe.native.params.len());
        if count > MAX_ARGS {
            let message = format!("probe {} has {count} arguments: at most {MAX_ARGS}", probe.name);
            self.fail(Diagnostic::new(Tag::ProvPrarglen, probe.span, message).label("too many"));
            return None;
        }
        Some(Signature { args })
    }

    /// Complains that no translator leads from a passed argument to the one that scripts see.
    pub(super) fn no_translator(&mut self, tag: Tag, from: &str, to: &Type, at: Span) {
        let message = format!("no translator makes {to} from {from}");
        self.fail(Diagnostic::new(tag, at, message).label("needs a translator"));
    }

    /// Returns the signature of a probe: from a declaration in D, from its program, or from the
    /// world.
    pub(super) fn signature_of(&mut self, probe: &Probe, at: Span) -> Option<Arc<Signature>> {
        let [provider, _, _, name] = &probe.parts;
        if let Some(declared) = self.in_d(provider, name, at) {
            return Some(declared);
        }
        match self.world.declaration(probe) {
            Some(told) => Some(self.told_signature(&told)),
            None => self.world.probe_signature(probe),
        }
    }

    /// Returns the signature that a declaration in D gives to the probes of this name, which need
    /// not exist. A provider's name may end with the number of a process, or with a star for it.
    pub(super) fn in_d(&mut self, full: &str, name: &str, at: Span) -> Option<Arc<Signature>> {
        let short = full.trim_end_matches(|c: char| c.is_ascii_digit() || c == '*');
        [full, short].into_iter().find_map(|provider| {
            if self.settings.libraries.may_declare(provider) {
                self.consult(Sort::Provider, provider, at);
            }
            self.names.providers.get(provider)?.get(name).cloned()
        })
    }

    /// Returns the signature that a program describes, with the types that are known here.
    fn told_signature(&mut self, told: &Declaration) -> Arc<Signature> {
        if let Some(known) = self.names.told.get(told) {
            return known.clone();
        }
        let arg = |(text, slot): &(String, u8)| {
            let passed = told.natives.get(usize::from(*slot)).unwrap_or(text);
            let unknown = |text: &String| Arg {
                unknown: Some(text.clone()),
                ..Arg::new(Type::Error, Some(*slot))
            };
            let Some(ty) = self.told_type(text) else { return unknown(text) };
            if passed == text {
                return Arg::new(ty, Some(*slot));
            }
            let Some(native) = self.told_type(passed) else { return unknown(passed) };
            Arg { native: Some(native).filter(|n| *n != ty), ..Arg::new(ty, Some(*slot)) }
        };
        let args = told.args.iter().take(MAX_ARGS).map(arg).collect();
        let signature = Arc::new(Signature { args });
        self.names.told.insert(told.clone(), signature.clone());
        signature
    }

    /// Returns the type of this name, which is text from an untrusted program.
    fn told_type(&mut self, text: &str) -> Option<Type> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_ *[](),".contains(c);
        if !text.chars().all(is_word) {
            return None;
        }
        let text = format!("provider told {{ probe one({text}); }};");
        let source = Arc::new(Source::script("", text));
        let parsed = self.parsed(&source);
        let [ast::Item::Provider(provider)] = parsed.items.as_slice() else { return None };
        let [probe] = provider.probes.as_slice() else { return None };
        if !parsed.diagnostics.is_empty() {
            return None;
        }
        let (params, complaints) = self.within_text(&source, |checker| {
            // Unknown types must stay unknown: only the script and the kernel define types.
            checker.may_announce = false;
            checker.probe_params(&probe.native)
        });
        match params?.as_slice() {
            [(_, ty)] if complaints.is_empty() => Some(ty.clone()),
            _ => None,
        }
    }
}
