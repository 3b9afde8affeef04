// SPDX-License-Identifier: GPL-2.0
//! Explains functions for which neither the kernel nor a loaded module has a symbol.

use super::installed::Search;
use super::{did_you_mean, said, short, Case, FBT};
use crate::nearest;
use abi::reason::Reason;
use d::world::Why;
use d::ProbePattern;

/// The beginning of a name, the beginning of the function that has the code, and a note.
const OTHERWISE_CALLED: &[(&str, &str, &str)] = &[
    ("__do_sys_", "__x64_sys_", "{f} is inlined into {s}, the function of the system call"),
    ("__se_sys_", "__x64_sys_", "{f} is inlined into {s}, the function of the system call"),
    ("do_sys_", "__x64_sys_", "there is no {f}: the function of the system call is {s}"),
    ("ksys_", "__x64_sys_", "there is no {f}: the function of the system call is {s}"),
    ("sys_", "__x64_sys_", "there is no {f}: the function of the system call is {s}"),
    ("SyS_", "__x64_sys_", "there is no {f}: the function of the system call is {s}"),
    (
        "trace_",
        "__traceiter_",
        "{f} is inlined in all its callers; when its event is traced, it calls {s}",
    ),
];

impl Case<'_> {
    pub(super) fn unknown(&mut self) -> Why {
        let function = self.wanted.function.as_str();
        let mut why = said("no such function");
        if let Some((note, there)) = self.otherwise_called() {
            why.notes.push(note);
            why.hint = Some(format!("`{}` is there", short(&there)));
            return why;
        }
        if let Some(why) = self.known_to_btf() {
            return why;
        }
        why.notes.push(Reason::Unknown.sentence(function, "").to_string());
        if let Some(why) = self.is_module() {
            return why;
        }
        let names = self.machine.names();
        let near = nearest::nearest(function, || names.iter(), 12);
        let is_near = near.first().is_some_and(|n| n.distance <= 2);
        if self.installed(&mut why, !is_near) {
            return why;
        }
        let near: Vec<ProbePattern> = near.iter().map(|n| self.of_function(n.name)).collect();
        match did_you_mean(&self.those_there(near.into_iter())) {
            // A module to load is a better guess than a name that is not very similar.
            Some(hint) if is_near || why.hint.is_none() => why.hint = Some(hint),
            Some(_) => {}
            None => why.notes.push(
                "it may be inlined in all its callers, or left out of this kernel: dtrace cannot tell which"
                    .into(),
            ),
        }
        if why.hint.is_none() {
            why.hint =
                Some("`dtrace -ln 'fbt::*WORD*:entry'` lists the functions with a word".into());
        }
        why
    }

    /// Answers for families of names whose code is known to be elsewhere.
    fn otherwise_called(&mut self) -> Option<(String, ProbePattern)> {
        let function = self.wanted.function.as_str();
        for (head, other, note) in OTHERWISE_CALLED {
            let Some(rest) = function.strip_prefix(head) else {
                continue;
            };
            let symbol = format!("{other}{rest}");
            let there = ProbePattern { module: String::new(), ..self.of_function(&symbol) };
            if self.is_there(&there) {
                return Some((note.replace("{f}", function).replace("{s}", &symbol), there));
            }
        }
        None
    }

    /// Answers for a function that BTF has but the code lacks.
    fn known_to_btf(&mut self) -> Option<Why> {
        let function = self.wanted.function.as_str();
        let module = self.machine.names().module_of(function)?.to_string();
        let mut why = said("no code of its own");
        // BTF has a second, full prototype of kernel functions for BPF that have hidden arguments.
        let real = function.strip_suffix("_impl").map(|f| self.of_function(f));
        if let Some(real) = real.filter(|p| self.is_there(p)) {
            let code = &real.function;
            why.notes.push(format!(
                "{function} has no code of its own: BTF has it only as the full prototype of {code}"
            ));
            why.hint = Some(format!("`{}` is there", short(&real)));
        } else {
            why.notes.push(format!(
                "BTF of {module} describes {function}, but there is no code of that name: it is inlined \
                 wherever it is called, or goes by another name"
            ));
        }
        Some(why)
    }

    /// Answers for `fbt::ext4:`: a module in place of a function.
    fn is_module(&mut self) -> Option<Why> {
        let word = self.wanted.function.as_str();
        let there = ProbePattern::new(FBT, word, "", &self.wanted.name);
        if !self.machine.modules().is_loaded(word) || !self.is_there(&there) {
            return None;
        }
        let mut why = said("no such function");
        why.notes.push(format!("{word} is a module"));
        why.hint = did_you_mean(&[there]);
        Some(why)
    }

    /// Looks for the function in modules that are not loaded; returns true if one certainly has it.
    fn installed(&mut self, why: &mut Why, is_wide: bool) -> bool {
        let function = self.wanted.function.as_str();
        let modules = self.machine.modules();
        let found = match modules.exports(function) {
            Some(module) => Search::Found(module),
            None => modules.search(function, is_wide),
        };
        match found {
            Search::Found(module) => {
                why.label = "module not loaded".into();
                why.notes = vec![format!("{function} is in module {module}, which is not loaded")];
                why.hint = Some(format!("`modprobe {module}` loads it"));
                return true;
            }
            Search::Nowhere => {}
            Search::Ended(n, all) => {
                let names = self.machine.names();
                // Skips modules whose name begins names in the kernel itself, too.
                let mut suggested = modules.suggested_by(function).into_iter().filter(|m| {
                    let head = format!("{}_", m.name);
                    !names.iter().any(|n| n.starts_with(&head))
                });
                if let Some(module) = suggested.next() {
                    let name = &module.name;
                    why.notes.push(format!(
                        "judging by its name, it may be in module {name}, which is installed but not loaded"
                    ));
                    why.hint = Some(format!("`modprobe {name}` loads it"));
                } else if is_wide {
                    why.notes.push(format!(
                        "within its limit of a second, dtrace searched {n} of the {all} installed modules that are not loaded"
                    ));
                }
            }
        }
        false
    }
}
