// SPDX-License-Identifier: GPL-2.0
//! `-x`: run-time options go to the kernel and the printer, compile-time ones to the compiler.

use crate::args::Setting;
use crate::cpp::{Cpp, Standard};
use crate::form::{self, Form, Recorder};
use crate::paint::{self, Colours};
use crate::screen;
use crate::Stop;
use abi::option::{OptionId, Options};
use abi::stability::Attributes;
use consumer::print::bars::Encoding;
use consumer::print::Shape;
use consumer::user::start::When;
use consumer::{option, Error};
use export::live::{Destination, Exporter};
use export::metrics;
use live::View;
use std::path::PathBuf;

/// The values of `-x` and its short forms.
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
    /// `-x argref`.
    pub argref: bool,
    /// `-x threads`.
    pub threads: bool,
    /// `-x tree`.
    pub tree: bool,
    /// `-x oformat`, if it was given.
    pub form: Option<&'static Form>,
    /// The output of the session for that form.
    pub shape: Shape,
    /// Records the stream, if the form is drawn from one.
    pub recorder: Option<Recorder>,
    /// `-x export`, each.
    pub exports: Vec<Destination>,
    /// `-x exportlimit`.
    pub exportlimit: Option<usize>,
    /// `-x containers`.
    pub containers: Option<String>,
    /// Gets the stream, if metrics are exported.
    pub exporter: Option<Exporter>,
    /// `-x view=live`.
    pub wants_view: bool,
    /// Gets the stream, if there is a live view.
    pub view: Option<View>,
    /// Tells whether `-o` names a file.
    pub has_file: bool,
    /// `-x color`.
    pub colours: Colours,
    /// `-x snaprate`, in ns.
    pub snaprate: Option<u64>,
    /// `-x hostkey`.
    pub hostkey: bool,
    /// `-x encoding`; without it the locale decides.
    pub encoding: Option<Encoding>,
    /// `-x libdir`, each.
    pub libraries: Vec<String>,
    /// `-x syslibdir`.
    pub system_libraries: Option<String>,
    /// `-x nolibs`.
    pub nolibs: bool,
    /// `-x amin`.
    pub amin: Option<Attributes>,
    /// `-x explain`: a tag.
    pub explain: Option<String>,
    /// `-x evaltime`.
    pub evaltime: When,
    /// The preprocessor.
    pub cpp: Cpp,
    /// Notes about options that change nothing.
    pub notes: Vec<String>,
}

/// The interval of the snapshots for pictures and exports, in ns.
const SNAPRATE: u64 = 1_000_000_000;

/// Options of classic systems that make no sense here, with the reason.
const REFUSED: &[(&str, &str)] =
    &[("zone", "Linux has no zones; use a predicate on pid, uid or curthread->nsproxy")];

fn refusal(name: &str) -> Option<Stop> {
    let (_, why) = REFUSED.iter().find(|r| r.0 == name)?;
    Some(Stop::Usage(format!("option -x {name} is not supported: {why}")))
}

/// Reads all settings; the first one that makes no sense is an error.
pub fn read(all: &[Setting]) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    let mut checked = Options::default();
    for Setting { name, value } in all {
        if let Some(stop) = refusal(name) {
            return Err(stop);
        }
        if let Some(why) = d::option::ignored(name) {
            settings.notes.push(format!("option {name} changes nothing: {why}"));
            continue;
        }
        if valued(&mut settings, name, value.as_deref())? {
            continue;
        }
        let flag = match name.as_str() {
            "errtags" => &mut settings.errtags,
            "droptags" => &mut settings.droptags,
            "defaultargs" => &mut settings.defaultargs,
            "empty" => &mut settings.empty,
            "zdefs" => &mut settings.zdefs,
            "hostkey" => &mut settings.hostkey,
            "argref" => &mut settings.argref,
            "threads" => &mut settings.threads,
            "nolibs" => &mut settings.nolibs,
            "cpp" => &mut settings.cpp.is_on,
            "cpphdrs" => &mut settings.cpp.tells_headers,
            _ => {
                let id = option::set(&mut checked, name, value.as_deref())
                    .map_err(|text| Error::new("", text))?;
                settings.run_time.push((id, checked.get(id)));
                continue;
            }
        };
        *flag = d::option::flag(value.as_deref()).ok_or_else(|| {
            let text = value.as_deref().unwrap_or_default();
            Error::new("", format!("failed to set -x {name}: '{text}' is not yes or no"))
        })?;
    }
    settings.threads |= settings.form.is_some_and(Form::shows_threads);
    if !settings.exports.is_empty() {
        if settings.form.is_some_and(|f| !matches!(f.name, "text" | "json")) {
            let why = "-x export goes with -x oformat=text or json: pictures are drawn at the end";
            return Err(Stop::Usage(why.into()));
        }
        let limit = settings.exportlimit.unwrap_or(metrics::LIMIT);
        let mut exporter = Exporter::new(settings.exports.clone(), limit);
        exporter.name_containers(settings.containers.as_ref().map(PathBuf::from));
        settings.exporter = Some(exporter);
        settings.shape = Shape::Json;
    }
    if settings.containers.is_some() && settings.exporter.is_none() {
        let why = "option -x containers names containers in metrics: add -x export";
        return Err(Stop::Usage(why.into()));
    }
    let is_drawn_over_time = settings.form.is_some_and(|f| f.is_drawn() && f.shows_time());
    if is_drawn_over_time || settings.exporter.is_some() {
        settings.snaprate.get_or_insert(SNAPRATE);
    }
    if settings.wants_view {
        if settings.form.is_some_and(|f| f.name != "text") {
            let why = "-x view=live shows a program on a terminal: it does not go with -x oformat";
            return Err(Stop::Usage(why.into()));
        }
        return Ok(settings);
    }
    if settings.snaprate.is_some() && !settings.is_json() {
        let why = "option -x snaprate writes snapshots into a stream: add -x oformat=json";
        return Err(Stop::Usage(why.into()));
    }
    Ok(settings)
}

/// Reads an option of the command that takes a value; returns false if it is none of them.
fn valued(settings: &mut Settings, name: &str, value: Option<&str>) -> Result<bool, Stop> {
    if name == "tree" {
        // On other systems the value selects one of the compiler's passes.
        settings.tree = value != Some("0");
        return Ok(true);
    }
    let expected = match name {
        "amin" => "stability such as Evolving/Evolving/Common",
        "cpppath" => "the preprocessor's file",
        "evaltime" => "exec, preinit, postinit or main",
        "define" => "NAME or NAME=VALUE",
        "encoding" => "ascii or utf8",
        "explain" => "a tag such as D_SYNTAX",
        "incdir" | "libdir" | "syslibdir" => "a directory",
        "color" => paint::EXPECTED,
        "export" => export::live::EXPECTED,
        "exportlimit" => "a number of series",
        "containers" => "a folder such as /var/log/containers",
        "oformat" => &form::names(),
        "snaprate" => "a rate such as 1s or 10hz",
        "setenv" => "NAME=VALUE",
        "stdc" => "a, c, s or t",
        "undef" | "unsetenv" => "NAME",
        "cppargs" => "words for the preprocessor",
        "view" => "live or text",
        "version" => "a version of the language, 1.14 at most",
        _ => return Ok(false),
    };
    let refused = |found: &str| {
        Error::new("", format!("failed to set -x {name}: {found}, expected {expected}"))
    };
    let Some(value) = value.filter(|v| !v.is_empty()) else {
        return Err(refused("it needs a value").into());
    };
    let odd = || refused(&format!("'{value}' was given"));
    let cpp = &mut settings.cpp;
    match name {
        "amin" => settings.amin = Some(Attributes::from_text(value).ok_or_else(odd)?),
        "color" => settings.colours = Colours::from_text(value).ok_or_else(odd)?,
        "cpppath" => cpp.path = Some(value.into()),
        "define" => cpp.words.push(format!("-D{value}")),
        "encoding" => settings.encoding = Some(Encoding::from_text(value).ok_or_else(odd)?),
        "evaltime" => settings.evaltime = When::from_text(value).ok_or_else(odd)?,
        "explain" => settings.explain = Some(value.into()),
        "libdir" => settings.libraries.push(value.into()),
        "syslibdir" => settings.system_libraries = Some(value.into()),
        "incdir" => cpp.words.push(format!("-I{value}")),
        "oformat" => {
            let form = form::by_name(value).ok_or_else(odd)?;
            settings.form = Some(form);
            settings.recorder = form.is_drawn().then(Recorder::default);
            settings.shape = form.shape.unwrap_or(Shape::Json);
        }
        "export" => settings.exports.push(Destination::from_text(value).ok_or_else(odd)?),
        "containers" => settings.containers = Some(value.into()),
        "exportlimit" => settings.exportlimit = Some(value.parse().map_err(|_| odd())?),
        "snaprate" => {
            let rate = d::option::value(OptionId::Aggrate, Some(value));
            settings.snaprate = Some(rate.map_err(|why| refused(&why))?);
        }
        "setenv" => {
            let (name, value) = variable(value).ok_or_else(odd)?;
            std::env::set_var(name, value);
        }
        "stdc" => cpp.standard = Some(Standard::from_letter(value).ok_or_else(odd)?),
        "undef" => cpp.words.push(format!("-U{value}")),
        "view" => {
            settings.wants_view = match value {
                "live" => true,
                "text" => false,
                _ => return Err(odd().into()),
            }
        }
        "cppargs" => cpp.words.extend(value.split_whitespace().map(String::from)),
        "version" if d::option::is_version(value) => {}
        "version" => return Err(odd().into()),
        _ if !is_variable(value) => return Err(odd().into()),
        _ => std::env::remove_var(value),
    }
    Ok(true)
}

/// Returns the name and the value of an environment variable, if it can have them.
fn variable(text: &str) -> Option<(&str, &str)> {
    let is_possible = |(name, value): &(&str, &str)| is_variable(name) && !value.contains('\0');
    text.split_once('=').filter(is_possible)
}

/// Tells whether an environment variable can have this name.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

impl Settings {
    /// Tells whether the output is a stream of JSON.
    pub fn is_json(&self) -> bool {
        self.shape == Shape::Json
    }

    /// Makes the live view for a program, if it is wanted and possible.
    pub fn open_view(&mut self, has_file: bool) -> Result<(), Error> {
        self.has_file = has_file;
        self.view = screen::open(self)?;
        if self.view.is_some() {
            self.exporter.iter().for_each(Exporter::be_quiet);
            self.shape = Shape::Json;
            self.snaprate.get_or_insert(SNAPRATE);
        }
        Ok(())
    }

    /// Returns these settings with the output of another command, which prints instead.
    pub fn printed_by(self, now: Self) -> Self {
        Self {
            shape: now.shape,
            form: now.form,
            recorder: now.recorder,
            exporter: now.exporter,
            wants_view: now.wants_view,
            view: now.view,
            has_file: now.has_file,
            snaprate: now.snaprate,
            ..self
        }
    }

    /// Returns these settings with the command's options that programs set; the command line wins.
    pub fn with(&self, programs: &[d::Program]) -> Settings {
        let mut all = self.clone();
        for (name, value) in programs.iter().flat_map(|p| &p.settings) {
            let is_on = d::option::flag(value.as_deref()) == Some(true);
            match name.as_str() {
                "droptags" => all.droptags |= is_on,
                "zdefs" => all.zdefs |= is_on,
                "encoding" => {
                    let own = value.as_deref().and_then(Encoding::from_text);
                    all.encoding = self.encoding.or(own);
                }
                _ => {}
            }
        }
        all
    }

    /// Returns the options of the programs, overridden by those of the command line.
    pub fn over(&self, programs: &[d::Program]) -> Vec<(OptionId, u64)> {
        let mut all: Vec<(OptionId, u64)> = Vec::new();
        for &(id, value) in programs.iter().flat_map(|p| &p.options).chain(&self.run_time) {
            all.retain(|o| o.0 != id);
            all.push((id, value));
        }
        all
    }

    /// Returns the value of an option before any program is known.
    pub fn get(&self, id: OptionId) -> u64 {
        self.run_time.iter().rev().find(|o| o.0 == id).map_or(id.default(), |o| o.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::option::Unit;

    const MANUAL: &str = include_str!("../../../docs/options.md");

    /// Returns the cells of the rows between two headings, without back-quotes.
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
        // A period that is no multiple of a unit is better expressed as a rate.
        let default = match id {
            OptionId::Cleanrate => "101hz".into(),
            _ => show(id.default()),
        };
        vec![id.name().into(), value.into(), default, bounds]
    }

    /// `dtrace -a -T -o FILE` shows the view, whatever `-A` was told.
    #[test]
    fn the_view_is_that_of_the_command_that_prints() {
        let look = live::look::Look { depth: live::look::Depth::None, has_blocks: false };
        let view = View::new(look, |_, _, _| Err(String::new())).unwrap();
        let now = Settings {
            view: Some(view),
            has_file: true,
            shape: Shape::Json,
            ..Settings::default()
        };
        let settings = Settings { threads: true, ..Settings::default() }.printed_by(now);
        assert!(settings.view.is_some() && settings.has_file && settings.is_json());
        assert!(settings.threads);
    }

    /// The standard library panics on such names.
    #[test]
    fn odd_names_of_variables_are_refused() {
        for (name, value) in [
            ("setenv", "=x"),
            ("setenv", "="),
            ("setenv", "A\0=x"),
            ("setenv", "A=\0"),
            ("unsetenv", "A=B"),
            ("unsetenv", "="),
            ("unsetenv", "A\0"),
        ] {
            let setting = Setting { name: name.into(), value: Some(value.into()) };
            assert!(read(&[setting]).is_err(), "{name} {value:?}");
        }
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
        let accepted = OptionId::ALL.iter().filter(|o| refusal(o.name()).is_none());
        let known: Vec<_> = accepted.map(|o| row(*o)).collect();
        assert_eq!(told, known);
        for name in table("## When compiling", "## Without effect").iter().map(|r| &r[0]) {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (name.clone(), None),
            };
            // One of the options needs a stream, and one needs a terminal instead.
            let form = if name == "view" { "text" } else { "json" };
            let form = Setting { name: "oformat".into(), value: Some(form.into()) };
            let mut all = vec![form];
            // One is about exporting.
            if name == "containers" {
                all.push(Setting { name: "export".into(), value: Some("prometheus:1".into()) });
            }
            all.push(Setting { name: name.clone(), value });
            assert!(read(&all).is_ok(), "{name}");
        }
        let told = table("## Without effect", "## Refused");
        let ignored = told.iter().map(|r| (r[0].as_str(), r[1].as_str()));
        assert_eq!(ignored.collect::<Vec<_>>(), d::option::IGNORED);
        for (name, why) in d::option::IGNORED {
            let settings = read(&[Setting { name: (*name).into(), value: None }]).ok().unwrap();
            assert!(settings.notes[0].contains(why), "{name}");
        }
        let told = table("## Refused", "## End");
        let refused = told.iter().map(|r| (r[0].as_str(), r[1].as_str()));
        assert_eq!(refused.collect::<Vec<_>>(), REFUSED);
        for (name, _) in REFUSED {
            assert!(read(&[Setting { name: (*name).into(), value: None }]).is_err(), "{name}");
        }
    }
}
