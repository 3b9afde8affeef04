// SPDX-License-Identifier: GPL-2.0
//! `-C`: the system's preprocessor reads a program before the compiler does.

use crate::headers::{self, Headers};
use consumer::error::reason;
use consumer::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What `-C -D -U -I -H -X` and their long forms say.
#[derive(Debug, Clone, Default)]
pub struct Cpp {
    /// `-C`.
    pub is_on: bool,
    /// `-H`: names of what is included, on standard error.
    pub tells_headers: bool,
    /// `-x cpppath`.
    pub path: Option<String>,
    /// `-D`, `-U` and `-I`, in order.
    pub words: Vec<String>,
    /// `-X`.
    pub standard: Option<Standard>,
}

/// The C that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standard {
    /// `a`: ISO C, and what compilers add to it.
    Extended,
    /// `c`: ISO C and no more.
    Strict,
    /// `s`: as before ISO.
    Old,
    /// `t`: ISO C, and what was before it.
    Transitional,
}

impl Standard {
    /// The option's letter.
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
            // Probes have names like `linux`, which compilers define to be 1.
            Self::Extended | Self::Transitional => &["-std=gnu99", "-Ulinux", "-Uunix"],
            Self::Strict => &["-std=c99"],
            Self::Old => &["-traditional-cpp", "-Ulinux", "-Uunix"],
        }
    }
}

/// D 1.14, as programs of other systems ask for it; and without the words that the system's headers
/// have for compilers of C only.
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
    /// The script as the preprocessor leaves it; its line marks say what came from where.
    pub fn run(&self, file: &str, text: &[u8]) -> Result<Vec<u8>, Error> {
        let doing = format!("failed to preprocess {file}");
        let cpp = self.path.as_deref().unwrap_or("cpp");
        let mut command = Command::new(cpp);
        let standard = self.standard.unwrap_or(Standard::Extended);
        command.args(standard.words()).args(DEFINED).args(self.tells_headers.then_some("-H"));
        if let Some(folder) = Path::new(file).parent().filter(|f| !f.as_os_str().is_empty()) {
            // Files beside the script are found from everywhere.
            command.arg("-iquote").arg(folder);
        }
        let headers = match headers::includes(text) {
            true => Some(Headers::write().map_err(|e| Error::new(doing.clone(), reason(&e)))?),
            false => None,
        };
        command.args(headers.iter().flat_map(Headers::words));
        command.args(&self.words).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| {
            let why = match e.kind() {
                std::io::ErrorKind::NotFound => format!(
                    "there is no '{cpp}': install it (on Debian: apt install cpp), or say where it is \
                     by -x cpppath=FILE"
                ),
                _ => format!("{cpp}: {}", reason(&e)),
            };
            Error::new(doing.clone(), why)
        })?;
        let failed = |e: std::io::Error| Error::new(doing.clone(), reason(&e));
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                let Some(mut stdin) = stdin else { return };
                // A preprocessor that ends early tells why itself.
                let _ = stdin.write_all(format!("# 1 \"{file}\"\n").as_bytes());
                let _ = stdin.write_all(without_interpreter(text));
            });
            child.wait_with_output()
        });
        let output = output.map_err(failed)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(Error::new(doing, format!("{cpp}: {}", output.status))),
        }
    }
}

/// From the end of a `#!` line on, which no preprocessor understands.
fn without_interpreter(text: &[u8]) -> &[u8] {
    match text.starts_with(b"#!") {
        true => {
            text.get(text.iter().position(|b| *b == b'\n').unwrap_or(text.len())..).unwrap_or(&[])
        }
        false => text,
    }
}
