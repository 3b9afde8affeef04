// SPDX-License-Identifier: GPL-2.0
//! Explains why a description of a process's probes matches nothing.

use crate::error::Refusal;
use abi::user::UserReason;
use d::world::Why;
use d::{ProbePattern, Tag};
use libproc::expand::is_open;
use libproc::{locks, Miss};

/// The most names in a list.
const LISTED: usize = 12;

/// The cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Missed {
    /// `pid` is followed by no number, or by a number that cannot be a process id.
    Number,
    /// The process cannot be read, for this reason.
    Grab(u32, String),
    /// A command did not reach the place where probes can be made, for this reason.
    Start(u32, String),
    /// The process has no program.
    Empty(u32),
    /// The process has no such object, but these.
    Object(Vec<String>),
    /// The program is linked statically and has no libraries.
    Static(String),
    /// No object has the function; some have these similar ones.
    Function(Vec<String>),
    /// An object has the function, but not the place.
    Of(String, Miss),
    /// The program has only these other probes.
    Brought(Vec<String>),
    /// There was no time to read all programs that may have the probes.
    Late,
    /// The description matches more places than this limit.
    TooMany(usize),
    /// The functions that the description matches are too large to be read, or too many.
    TooLarge,
    /// The module refused all places; the last one for this reason.
    Refused(UserReason),
    /// The module refused the request for this process.
    Kernel(u32, Refusal),
}

impl Missed {
    /// Returns the complaint about a description.
    pub(super) fn why(&self, wanted: &ProbePattern) -> Why {
        let (tag, message) = self.verdict(wanted);
        let verdict = Some((tag, message));
        let (label, notes, hint) = self.advice(wanted);
        Why { verdict, label: label.into(), notes, hint }
    }

    pub(super) fn verdict(&self, wanted: &ProbePattern) -> (Tag, String) {
        let ProbePattern { provider, module, function, name, .. } = wanted;
        match self {
            Self::Number => {
                (Tag::ProcBadpid, format!("provider {provider} has no valid process id"))
            }
            Self::Grab(pid, why) => (Tag::ProcGrab, format!("failed to grab process {pid}: {why}")),
            Self::Start(pid, why) => {
                (Tag::ProcCreatefail, format!("failed to start process {pid}: {why}"))
            }
            Self::Empty(pid) => {
                (Tag::ProcGrab, format!("failed to grab process {pid}: it runs no program"))
            }
            Self::Object(_) => {
                let module = module.strip_suffix(".*").unwrap_or(module).to_string();
                let wanted = ProbePattern { module, ..wanted.clone() };
                (Tag::PdescZero, format!("probe description {wanted} does not match any probes"))
            }
            Self::Static(_) => (
                Tag::ProcDyn,
                format!("{provider} is linked statically: it has no object {module}"),
            ),
            Self::Function(_) => {
                (Tag::PdescZero, format!("probe description {wanted} does not match any probes"))
            }
            Self::Of(_, Miss::Function) | Self::Of(_, Miss::Name) => {
                (Tag::ProcName, format!("a function has no probe `{name}`"))
            }
            Self::Of(object, Miss::Behind { .. }) => {
                (Tag::ProcOff, format!("offset 0x{name} is not in {object}:{function}"))
            }
            Self::Of(object, Miss::Within { .. }) => {
                let message = format!("no instruction of {object}:{function} begins at 0x{name}");
                (Tag::ProcAlign, message)
            }
            Self::Brought(_) | Self::Late => {
                (Tag::PdescZero, format!("probe description {wanted} does not match any probes"))
            }
            Self::TooMany(most) => {
                (Tag::ProcCreatefail, format!("{wanted} matches more than {most} places"))
            }
            Self::TooLarge => {
                let message = format!("the functions that {wanted} matches are too large to read");
                (Tag::ProcCreatefail, message)
            }
            Self::Refused(_) => {
                (Tag::ProcCreatefail, format!("failed to make probes for {wanted}"))
            }
            Self::Kernel(_, e) if e.errno == libc::ENOTTY => {
                let message = "the loaded module does not trace user programs".to_string();
                (Tag::ProcNodev, message)
            }
            Self::Kernel(pid, e) if e.errno == libc::ESRCH => {
                (Tag::ProcGrab, format!("failed to grab process {pid}: {e}"))
            }
            Self::Kernel(pid, e) => {
                (Tag::ProcCreatefail, format!("failed to make probes in process {pid}: {e}"))
            }
        }
    }

    /// Returns label, notes and hint.
    fn advice(&self, wanted: &ProbePattern) -> (&'static str, Vec<String>, Option<String>) {
        match self {
            Self::Number => {
                let (name, label) = match wanted.provider.starts_with(locks::PROVIDER) {
                    true => (locks::PROVIDER, "expected `plockstat` and a process id"),
                    false => ("pid", "expected `pid` and a process id"),
                };
                let hint = format!("`{name}1234:...`; `{name}$target:...` with -p or -c");
                (label, vec![], Some(hint))
            }
            Self::Start(..) => {
                let hint = "`-x evaltime=exec` makes probes before its first instruction";
                ("this process cannot be traced", vec![], Some(hint.into()))
            }
            Self::Grab(..) => ("this process cannot be traced", vec![], None),
            Self::Empty(_) => {
                let note = "it is a kernel thread, or it is ending";
                ("no program", vec![note.into()], None)
            }
            Self::Object(names) => {
                let hint = "with `-Z`, a library that is loaded later gets its probes then";
                let module = wanted.module.strip_suffix(".*").unwrap_or(&wanted.module);
                let what = format!("{} has no object {module}", wanted.provider);
                (
                    "no such object",
                    vec![what, format!("its objects are: {}", list(names))],
                    Some(hint.into()),
                )
            }
            Self::Static(_) => {
                let hint = format!(
                    "all its functions are in a.out: `{}:a.out:{}:{}`",
                    wanted.provider, wanted.function, wanted.name
                );
                ("no such object", vec![], Some(hint))
            }
            Self::Function(near) => {
                let near: Vec<String> = near
                    .iter()
                    .map(|n| format!("`{}:{n}:{}`", wanted.provider, wanted.name))
                    .collect();
                let hint =
                    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")));
                let is_one = !is_open(&wanted.module) && !is_open(&wanted.function);
                let what = format!("{} has no function {}", wanted.module, wanted.function);
                let note = "a stripped file has only the symbols that other files use".to_string();
                let notes =
                    is_one.then_some(what).into_iter().chain(hint.is_none().then_some(note));
                ("no such function", notes.collect(), hint)
            }
            Self::Brought(names) => {
                ("no such probe", vec![format!("the program's probes are: {}", list(names))], None)
            }
            Self::Late => {
                let note = "the files of one user's programs take too long to read, so dtrace has \
                            not read all programs";
                let name = wanted.provider.split(['*', '?', '[', '\\']).next().unwrap_or_default();
                let hint = format!("trace again, or name the process: `{name}1234:...`");
                ("no such probe so far", vec![note.into()], Some(hint))
            }
            Self::Of(_, Miss::Behind { size }) => (
                "after the end of the function",
                vec![format!("the function has 0x{size:x} bytes")],
                None,
            ),
            Self::Of(_, Miss::Within { begins }) => (
                "inside an instruction",
                vec![],
                Some(format!("the instruction begins at `{begins:x}`")),
            ),
            Self::Of(..) => {
                let note = "a function has `entry`, `return`, and hex offsets: `0`, `1f`";
                ("no such probe", vec![note.into()], None)
            }
            Self::TooMany(_) | Self::TooLarge => {
                ("too much", vec![], Some("name the object or the function".into()))
            }
            Self::Refused(reason) => ("no probe", vec![reason.words().into()], None),
            Self::Kernel(..) => ("no probe", vec![], None),
        }
    }
}

/// Joins the first names.
fn list(names: &[String]) -> String {
    let mut list = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        list.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    list
}
