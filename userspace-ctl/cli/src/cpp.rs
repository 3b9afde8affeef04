// SPDX-License-Identifier: GPL-2.0
//! `-C`: the system's preprocessor reads a program before the compiler does.

use crate::headers::{self, Headers};
use consumer::error::reason;
use consumer::{sys, Error};
use std::path::Path;
use std::process::{Command, Stdio};

/// The settings of `-C -D -U -I -H -X` and their long forms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cpp {
    /// `-C`.
    pub is_on: bool,
    /// `-H`: prints the names of included files on standard error.
    pub tells_headers: bool,
    /// `-x cpppath`.
    pub path: Option<String>,
    /// `-D`, `-U` and `-I`, in order.
    pub words: Vec<String>,
    /// `-X`.
    pub standard: Option<Standard>,
}

/// The C dialect of the preprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standard {
    /// `a`: ISO C with the compiler's extensions.
    Extended,
    /// `c`: ISO C only.
    Strict,
    /// `s`: C before ISO.
    Old,
    /// `t`: ISO C, and the C before it.
    Transitional,
}

impl Standard {
    /// Returns the dialect for the option's letter.
    pub fn from_letter(letter: &str) -> Option<Self> {
        match letter {
            "a" => Some(Self::Extended),
            "c" => Some(Self::Strict),
            "s" => Some(Self::Old),
            "t" => Some(Self::Transitional),
            _ => None,
        }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            // Probes have names like `linux`, which compilers define as 1.
            Self::Extended | Self::Transitional => &["-std=gnu99", "-Ulinux", "-Uunix"],
            Self::Strict => &["-std=c99"],
            Self::Old => &["-traditional-cpp", "-Ulinux", "-Uunix"],
        }
    }
}

/// Defines D 1.14, as programs of other systems ask for it, and removes words that the system's
/// headers contain for C compilers only.
const DEFINED: [&str; 16] = [
    "-D__SUNW_D=1",
    "-D__SUNW_D_VERSION=0x0100e000",
    "-D__attribute__(x)=",
    "-D__asm__(x)=",
    "-D__extension__=",
    "-D__restrict=",
    "-D__restrict__=",
    "-D_Noreturn=",
    "-D__const=const",
    "-D__const__=const",
    "-D__volatile__=volatile",
    "-D__signed__=signed",
    "-D__signed=signed",
    "-D__inline=inline",
    "-D__inline__=inline",
    "-D__builtin_offsetof=offsetof",
];

impl Cpp {
    /// Returns the preprocessed script; its line marks tell the origin of each line.
    pub fn run(&self, file: &str, text: &[u8]) -> Result<Vec<u8>, Error> {
        if !self.has_work(text) {
            return Ok(text.to_vec());
        }
        let doing = format!("failed to preprocess {file}");
        let cpp = self.path.as_deref().unwrap_or("cpp");
        let mut command = Command::new(cpp);
        let standard = self.standard.unwrap_or(Standard::Extended);
        command.args(standard.words()).args(DEFINED).args(self.tells_headers.then_some("-H"));
        if let Some(folder) = Path::new(file).parent().filter(|f| !f.as_os_str().is_empty()) {
            // Files beside the script are found from any folder.
            command.arg("-iquote").arg(folder);
        }
        let failed = |e: std::io::Error| Error::new(doing.clone(), reason(&e));
        let headers = match headers::includes(text) {
            true => Some(Headers::write().map_err(failed)?),
            false => None,
        };
        command.args(headers.iter().flat_map(Headers::words));
        let mut input = format!("# 1 \"{file}\"\n").into_bytes();
        input.extend_from_slice(without_interpreter(text));
        let input = sys::memory_file(&input).map_err(failed)?;
        command.args(&self.words).arg("-").stdin(input).stdout(Stdio::piped());
        let child = sys::with_own_rights(&mut command).spawn().map_err(|e| {
            let why = match e.kind() {
                std::io::ErrorKind::NotFound => format!(
                    "there is no '{cpp}': install it (on Debian: apt install cpp), or say where it is \
                     by -x cpppath=FILE"
                ),
                _ => format!("{cpp}: {}", reason(&e)),
            };
            Error::new(doing.clone(), why)
        })?;
        let output = child.wait_with_output().map_err(failed)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(Error::new(doing, format!("{cpp}: {}", output.status))),
        }
    }
}

impl Cpp {
    /// Tells whether the preprocessor would change anything except comments. Starting it costs more
    /// than compiling most scripts, and many scripts ask for it out of habit.
    fn has_work(&self, text: &[u8]) -> bool {
        let plain = Self { is_on: true, ..Self::default() };
        let is_plain = Self { words: Vec::new(), ..self.clone() } == plain
            && self.words.iter().all(|w| w.starts_with("-I") || w.starts_with("-U"));
        let text = without_interpreter(text);
        let is_directive = |line: &[u8]| {
            let line = line.trim_ascii_start();
            line.starts_with(b"#") && !line.starts_with(b"#pragma")
        };
        // The compiler's own macros begin with an underscore. Continued lines and quotes that may
        // be open are left to a real preprocessor.
        let has = |word: &[u8]| text.windows(word.len()).any(|w| w == word);
        !is_plain
            || text.split(|b| *b == b'\n').any(is_directive)
            || has(b"__")
            || has(b"_Pragma")
            || has(b"_Noreturn")
            || has(b"\\\n")
            || text.contains(&b'\'')
    }
}

/// Skips a `#!` line, which no preprocessor understands.
fn without_interpreter(text: &[u8]) -> &[u8] {
    match text.starts_with(b"#!") {
        true => {
            text.get(text.iter().position(|b| *b == b'\n').unwrap_or(text.len())..).unwrap_or(&[])
        }
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preprocessor_runs_where_it_has_work() {
        let plain = Cpp { is_on: true, ..Cpp::default() };
        let text = "#!/usr/sbin/dtrace -Cs\n#pragma D option quiet\nBEGIN { trace(1); /* x */ }\n";
        assert!(!plain.has_work(text.as_bytes()));
        for more in ["#define A\n", " # if 0\n", "BEGIN { trace(__LINE__); }", "a \\\nb", "it's"] {
            assert!(plain.has_work(format!("{text}{more}").as_bytes()), "{more}");
        }
        let with = |word: &str| Cpp { words: vec![word.into()], ..plain.clone() };
        assert!(with("-DBEGIN=END").has_work(text.as_bytes()));
        assert!(!with("-Iinclude").has_work(text.as_bytes()));
        assert!(Cpp { path: Some("cpp".into()), ..plain.clone() }.has_work(text.as_bytes()));
        assert!(Cpp { tells_headers: true, ..plain.clone() }.has_work(text.as_bytes()));
        assert!(Cpp { standard: Some(Standard::Old), ..plain }.has_work(text.as_bytes()));
    }
}
