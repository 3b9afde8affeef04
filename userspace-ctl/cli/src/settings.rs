// SPDX-License-Identifier: GPL-2.0
//! `-x`: run-time options go to the kernel and the printer, compile-time ones to the compiler.

use crate::args::Setting;
use crate::Stop;
use abi::option::{OptionId, Options};
use consumer::{option, Error};

/// What `-x` and its short forms say.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Run-time options, explicitly set, in order.
    pub run_time: Vec<(OptionId, u64)>,
    /// `-x errtags`.
    pub errtags: bool,
    /// `-x droptags`.
    pub droptags: bool,
    /// `-x defaultargs`.
    pub defaultargs: bool,
    /// `-x empty`.
    pub empty: bool,
    /// `-x zdefs`.
    pub zdefs: bool,
}

/// Options that classic systems have and later slices bring.
const NOT_YET: &[&str] = &[
    "aggpercpu",
    "amin",
    "argref",
    "core",
    "cpp",
    "cpphdrs",
    "cpppath",
    "ctypes",
    "debug",
    "define",
    "dtypes",
    "encoding",
    "evaltime",
    "grabanon",
    "incdir",
    "iregs",
    "kdefs",
    "knodefs",
    "late",
    "lazyload",
    "ldpath",
    "libdir",
    "linkmode",
    "linktype",
    "nolibs",
    "pgmax",
    "pspec",
    "setenv",
    "stdc",
    "strip",
    "syslibdir",
    "tree",
    "tregs",
    "udefs",
    "undef",
    "unodefs",
    "unsetenv",
    "verbose",
    "version",
    "zone",
    "agghist",
    "aggpack",
];

/// Reads all of them; the first one that makes no sense is an error.
pub fn read(all: &[Setting]) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    let mut checked = Options::default();
    for Setting { name, value } in all {
        let flag = match name.as_str() {
            "errtags" => &mut settings.errtags,
            "droptags" => &mut settings.droptags,
            "defaultargs" => &mut settings.defaultargs,
            "empty" => &mut settings.empty,
            "zdefs" => &mut settings.zdefs,
            name if NOT_YET.contains(&name) => {
                return Err(Stop::Usage(format!("option -x {name} is not supported yet")));
            }
            _ => {
                let id = option::set(&mut checked, name, value.as_deref())
                    .map_err(|text| Error::new("", text))?;
                settings.run_time.push((id, checked.get(id)));
                continue;
            }
        };
        match value {
            None => *flag = true,
            Some(text) => {
                let text =
                    format!("failed to set -x {name}: it takes no value, '{text}' was given");
                return Err(Error::new("", text).into());
            }
        }
    }
    Ok(settings)
}

impl Settings {
    /// The options of the programs under those of the command line.
    pub fn over(&self, programs: &[d::Program]) -> Result<Vec<(OptionId, u64)>, Stop> {
        let mut all: Vec<(OptionId, u64)> = Vec::new();
        for &(id, value) in programs.iter().flat_map(|p| &p.options).chain(&self.run_time) {
            if NOT_YET.contains(&id.name()) {
                return Err(Stop::Usage(format!("option {} is not supported yet", id.name())));
            }
            all.retain(|o| o.0 != id);
            all.push((id, value));
        }
        Ok(all)
    }

    /// One option's value in force, before any program is known.
    pub fn get(&self, id: OptionId) -> u64 {
        self.run_time.iter().rev().find(|o| o.0 == id).map_or(id.default(), |o| o.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::option::Unit;
    use std::collections::BTreeSet;

    const MANUAL: &str = include_str!("../../../docs/options.md");

    /// Cells of the rows between two headings, back-quotes removed.
    fn table(from: &str, to: &str) -> Vec<Vec<String>> {
        let section = MANUAL.split(from).nth(1).unwrap().split(to).next().unwrap();
        let rows = section.lines().filter(|l| l.starts_with("| `"));
        let cell = |c: &str| c.trim().trim_matches('`').to_string();
        rows.map(|l| l.trim_matches('|').split('|').map(cell).collect()).collect()
    }

    fn row(id: OptionId) -> Vec<String> {
        let show = |v| option::text(id.unit(), v);
        let (least, most) = id.bounds();
        let value = match id.unit() {
            Unit::Size => "size",
            Unit::Rate => "rate",
            Unit::Count | Unit::Cpu => "number",
            Unit::Flag => "flag",
            Unit::Policy => "switch",
            Unit::Resize => "auto or manual",
        };
        let bounds = match id.unit() {
            Unit::Flag | Unit::Policy | Unit::Resize => {
                (least..=most).map(show).collect::<Vec<_>>().join(", ")
            }
            _ => format!("{} to {}", show(least), show(most)),
        };
        // A period that no unit divides is better said as a rate.
        let default = match id {
            OptionId::Cleanrate => "101hz".into(),
            _ => show(id.default()),
        };
        vec![id.name().into(), value.into(), default, bounds]
    }

    #[test]
    fn the_manual_lists_what_is_accepted() {
        let told: Vec<_> = table("## At run time", "## When compiling")
            .into_iter()
            .map(|mut r| {
                assert!(r.len() == 5 && !r[4].is_empty(), "{r:?}");
                r.truncate(4);
                r
            })
            .collect();
        let accepted = OptionId::ALL.iter().filter(|o| !NOT_YET.contains(&o.name()));
        let known: Vec<_> = accepted.map(|o| row(*o)).collect();
        assert_eq!(told, known);
        for name in table("## When compiling", "## Not yet").iter().map(|r| &r[0]) {
            let setting = Setting { name: name.clone(), value: None };
            assert!(read(&[setting]).is_ok(), "{name}");
        }
        let refused: BTreeSet<&str> =
            MANUAL.split("## Not yet").nth(1).unwrap().split('`').skip(1).step_by(2).collect();
        assert_eq!(refused, NOT_YET.iter().copied().collect());
        for name in refused {
            assert!(read(&[Setting { name: name.into(), value: None }]).is_err(), "{name}");
        }
    }
}
