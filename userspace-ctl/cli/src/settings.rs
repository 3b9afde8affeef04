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
    pub fn over(&self, programs: &[d::Program]) -> Vec<(OptionId, u64)> {
        let mut all: Vec<(OptionId, u64)> = Vec::new();
        for &(id, value) in programs.iter().flat_map(|p| &p.options).chain(&self.run_time) {
            all.retain(|o| o.0 != id);
            all.push((id, value));
        }
        all
    }

    /// One option's value in force, before any program is known.
    pub fn get(&self, id: OptionId) -> u64 {
        self.run_time.iter().rev().find(|o| o.0 == id).map_or(id.default(), |o| o.1)
    }
}
