// SPDX-License-Identifier: GPL-2.0
//! Why a probe description matches nothing, and what to do about it.
//!
//! ```text
//! parts of the name ──► provider? module? probe name?  ──► say which part, and what there is instead
//!          function ──► EXPLAIN: the kernel knows why a function of its own has no probe
//!                       no such symbol: BTF, modules not loaded, near names
//! ```
//! A reason is stated as a fact only if it is known; a mere possibility is stated as one.

mod counter;
mod glob;
pub mod installed;
mod ko;
pub mod names;
mod other;
mod rate;
mod unknown;

use crate::kernel::{self, Kernel};
use crate::nearest;
use abi::probe::{is_glob, part_matches};
use abi::reason::Reason;
use d::world::Why;
use d::ProbePattern;
use installed::{canonical, Modules};
use libproc::expand::is_open;
use names::Names;
use std::cell::OnceCell;
use std::path::PathBuf;

/// The provider of function probes.
const FBT: &str = "fbt";
/// The module name of the kernel itself.
const KERNEL: &str = "vmlinux";

/// Our own module.
const OURS: &str = "dtrace";

/// Facts about this machine that need no module. Each is read when it is first needed.
#[derive(Debug, Default)]
pub struct Machine {
    root: PathBuf,
    names: OnceCell<Names>,
    modules: OnceCell<Modules>,
}

impl Machine {
    /// Returns this machine.
    pub fn here() -> Self {
        Self::at("/")
    }

    /// Returns the machine whose `proc`, `sys` and `lib` are in a folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), ..Self::default() }
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::read(&self.root))
    }

    fn modules(&self) -> &Modules {
        self.modules.get_or_init(|| Modules::read(&self.root))
    }
}

/// A description that matches nothing, and the sources of an explanation.
struct Case<'a> {
    kernel: &'a mut dyn Kernel,
    machine: &'a Machine,
    wanted: &'a ProbePattern,
}

/// Explains why this pattern matches nothing.
pub fn why(kernel: &mut dyn Kernel, machine: &Machine, wanted: &ProbePattern) -> Why {
    let mut case = Case { kernel, machine, wanted };
    if wanted.id != 0 {
        return said("no such probe").hint("`dtrace -l` lists all probes with their ids");
    }
    if let Some(why) = case.rate() {
        return why;
    }
    if let Some(why) = case.counter() {
        return why;
    }
    case.other_providers().unwrap_or_else(|| case.functions())
}

/// Begins an answer with a label for the blamed text.
fn said(label: &str) -> Why {
    Why { label: label.into(), ..Why::default() }
}

/// Returns a pattern without needless colons.
fn short(pattern: &ProbePattern) -> String {
    pattern.to_string().trim_start_matches(':').to_string()
}

/// Asks for `a`, for `a` or `b`, and so on.
fn did_you_mean(patterns: &[ProbePattern]) -> Option<String> {
    let quoted: Vec<String> = patterns.iter().map(|p| format!("`{}`", short(p))).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
}

impl Case<'_> {
    /// Tells whether a pattern matches anything.
    fn is_there(&mut self, pattern: &ProbePattern) -> bool {
        let Some(pattern) = kernel::pattern(pattern) else {
            return false;
        };
        self.kernel.count(&pattern).is_ok_and(|n| n.probes > 0)
    }

    /// Returns the wanted pattern with another module.
    fn in_module(&self, module: &str) -> ProbePattern {
        ProbePattern { module: module.into(), ..self.wanted.clone() }
    }

    /// Returns the wanted pattern with another function.
    fn of_function(&self, function: &str) -> ProbePattern {
        ProbePattern { function: function.into(), ..self.wanted.clone() }
    }

    /// Returns the first few patterns that match something.
    fn those_there(&mut self, patterns: impl Iterator<Item = ProbePattern>) -> Vec<ProbePattern> {
        let mut there = Vec::new();
        for pattern in patterns {
            if there.len() < 3 && self.is_there(&pattern) {
                there.push(pattern);
            }
        }
        there
    }

    /// Explains a description of kernel functions: which part of the name is wrong.
    fn functions(&mut self) -> Why {
        let wanted = self.wanted;
        let is_name = wanted.name.is_empty()
            || ["entry", "return"]
                .iter()
                .any(|n| part_matches(wanted.name.as_bytes(), n.as_bytes()));
        if !is_name {
            if let Some(why) = self.probe_name() {
                return why;
            }
        }
        if !is_open(&wanted.module) {
            if let Some(why) = self.module() {
                return why;
            }
        }
        match wanted.function.as_str() {
            "" if wanted.module == OURS => {
                let mut why = said("no probes");
                why.notes.push(Reason::Own.sentence(OURS, "").to_string());
                why
            }
            "" if is_open(&wanted.module) => {
                said("no such probe").hint("`dtrace -l` lists all probes")
            }
            "" => {
                let mut why = said("no probes");
                why.notes
                    .push(format!("module {} has no function that can be traced", wanted.module));
                why
            }
            f if is_glob(f.as_bytes()) => self.glob(),
            _ => self.function(),
        }
    }

    /// Answers for a name other than the two that fbt has.
    fn probe_name(&mut self) -> Option<Why> {
        let wanted = self.wanted;
        if wanted.function.is_empty() && wanted.provider.is_empty() {
            return Some(self.lone_word());
        }
        let mut why = said("no such probe");
        why.notes.push(match wanted.name.bytes().all(|b| b.is_ascii_digit()) {
            true => {
                "probes at offsets within functions are not supported: fbt has `entry` and `return`"
                    .into()
            }
            false => format!(
                "fbt has the probes `entry` and `return` of each function, but no `{}`",
                wanted.name
            ),
        });
        let near = d::diag::nearest(&wanted.name, ["entry", "return"].map(String::from));
        let names = match near.is_empty() {
            true => vec!["entry".to_string(), "return".to_string()],
            false => near,
        };
        let named = names.into_iter().map(|name| ProbePattern { name, ..wanted.clone() });
        let there = self.those_there(named);
        if there.is_empty() {
            // The function is wrong, too, which is the larger mistake.
            let entry = ProbePattern { name: "entry".into(), ..wanted.clone() };
            let mut case = Case { kernel: self.kernel, machine: self.machine, wanted: &entry };
            let deeper = case.functions();
            why.notes.extend(deeper.notes);
            why.hint = deeper.hint;
        } else {
            why.hint = did_you_mean(&there);
        }
        Some(why)
    }

    /// Answers for `-n vfs_reed`: a single word is a probe's name, but may have been meant as a
    /// function.
    fn lone_word(&mut self) -> Why {
        let word = &self.wanted.name;
        let names = self.machine.names();
        let near = nearest::nearest(word, || names.iter(), 12);
        let functions = near.iter().map(|n| ProbePattern::new("", "", n.name, ""));
        let there = self.those_there(functions);
        let mut why = said("no such probe");
        why.notes.push(format!(
            "a single word is a probe name; the probes of a function are `{word}:entry` and `{word}:return`"
        ));
        why.hint = did_you_mean(&there);
        why
    }

    /// Answers for a module that does not exist; `None` if it does.
    fn module(&mut self) -> Option<Why> {
        let wanted = self.wanted;
        let modules = self.machine.modules();
        let given = wanted.module.as_str();
        let name = canonical(given);
        if given == KERNEL || modules.is_loaded(given) {
            return None;
        }
        let mut why = said("no such module");
        let other = match name.as_str() {
            _ if modules.is_loaded(&name) => {
                why.notes.push(format!("the kernel calls the module `{given}` `{name}`"));
                Some(name.as_str())
            }
            "kernel" | "genunix" | "unix" | "linux" => {
                why.notes
                    .push(format!("the functions of the kernel itself are in module `{KERNEL}`"));
                Some(KERNEL)
            }
            _ if modules.is_builtin(&name) => {
                why.notes.push(format!(
                    "{name} is built into this kernel: its functions are in module `{KERNEL}`"
                ));
                Some(KERNEL)
            }
            _ if modules.is_installed(&name) => {
                let mut why = said("module not loaded");
                why.notes.push(format!("module {name} is installed but not loaded"));
                why.hint = Some(format!("`modprobe {name}` loads it"));
                return Some(why);
            }
            _ => None,
        };
        if let Some(other) = other {
            let moved = match wanted.function.is_empty() && other == KERNEL {
                // Suggests only functions named like the module, not the whole kernel.
                true => ProbePattern { function: format!("{name}_*"), ..self.in_module(other) },
                false => self.in_module(other),
            };
            if self.is_there(&moved) {
                why.hint = did_you_mean(&[moved]);
            }
            return Some(why);
        }
        why.notes
            .push(format!("no module `{given}` is loaded, installed, or built into the kernel"));
        let near = nearest::nearest(given, || modules.names().chain([KERNEL]), 6);
        let near: Vec<ProbePattern> = near.iter().map(|n| self.in_module(n.name)).collect();
        let mut there = self.those_there(near.into_iter());
        if there.is_empty() && !wanted.function.is_empty() {
            there = self.those_there([self.in_module("")].into_iter());
        }
        why.hint = did_you_mean(&there);
        Some(why)
    }

    /// Answers for a spelt-out function in an existing module.
    fn function(&mut self) -> Why {
        let wanted = self.wanted;
        let function = wanted.function.as_str();
        let asked = ProbePattern {
            provider: FBT.into(),
            module: wanted.module.clone(),
            function: wanted.function.clone(),
            name: match is_glob(wanted.name.as_bytes()) {
                true => String::new(),
                false => wanted.name.clone(),
            },
            id: 0,
        };
        let answer = match kernel::pattern(&asked) {
            Some(pattern) => self.kernel.explain(&pattern).unwrap_or(None),
            None => Some((Reason::NameTooLong, String::new())),
        };
        let Some((reason, symbol)) = answer else {
            return self.unknown();
        };
        let mut why = said("no probe");
        let instead = match reason {
            Reason::Unknown => return self.unknown(),
            Reason::OtherModule => Some(self.in_module(&symbol)),
            _ if reason.has_symbol() && !symbol.is_empty() => Some(self.of_function(&symbol)),
            _ if wanted.name == "return" => {
                Some(ProbePattern { name: "entry".into(), ..wanted.clone() })
            }
            _ => None,
        };
        if matches!(reason, Reason::OtherModule | Reason::Clone) {
            why.label = "no such function".into();
        }
        why.notes.push(reason.sentence(function, &symbol).to_string());
        if reason == Reason::OtherModule
            && !self.machine.modules().is_loaded(&symbol)
            && symbol != KERNEL
        {
            why.hint = Some(format!("`modprobe {symbol}` loads it"));
        }
        if let Some(there) = instead.filter(|p| self.is_there(p)) {
            why.hint = Some(match reason {
                Reason::OtherModule | Reason::NotFunction | Reason::Padding => {
                    format!("did you mean `{}`?", short(&there))
                }
                _ => format!("`{}` is there", short(&there)),
            });
        }
        if reason == Reason::Changed {
            why.hint = Some("end the other tracer, then reload the module dtrace".into());
        }
        why
    }
}
