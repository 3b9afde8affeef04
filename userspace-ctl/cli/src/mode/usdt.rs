// SPDX-License-Identifier: GPL-2.0
//! `-h` and `-G`: write the files for building a program with probes.

use crate::args::{Args, Spec};
use crate::settings::Settings;
use crate::{compile, Stop};
use consumer::error::reason;
use consumer::usdt::{header, link, Declarations};
use consumer::Error;
use d::Provider;
use std::io::Write as _;
use std::path::Path;

/// Writes the header or the object.
pub fn run(args: &Args, settings: &Settings) -> Result<i32, Stop> {
    let option = if args.header { "-h" } else { "-G" };
    let [Spec::Script(script)] = args.specs.as_slice() else {
        let text = format!("{option} needs one script that declares providers: {option} -s FILE.d");
        return Err(Stop::Usage(text));
    };
    if args.header && !args.operands.is_empty() {
        return Err(Stop::Usage("-h takes no objects".into()));
    }
    // The objects are no arguments of the D program.
    let objects = args.operands.as_slice();
    let own = Args { operands: Vec::new(), ..args.clone() };
    let programs = compile::all(&own, settings, None, &mut Declarations)?;
    let providers: Vec<Provider> = programs.into_iter().flat_map(|p| p.providers).collect();
    // Configure scripts try -G with `BEGIN {}` to see whether objects need it.
    if providers.is_empty() && args.header {
        let why = "it declares no provider: `provider name { probe name(int); };`";
        return Err(Error::new(format!("failed to use script {script}"), why).into());
    }
    let to = output(args, script);
    match args.header {
        false => link::link(&providers, objects, &to, args.is_narrow)?,
        true => {
            let file = Path::new(&to).file_name().unwrap_or_default().to_string_lossy();
            let text = header::write(&providers, &file);
            named::open(&to, named::Use::Replace)
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(|e| Error::new(format!("failed to write {to}"), reason(&e)))?;
        }
    }
    Ok(0)
}

/// Returns the file of `-o`; without it, the script's name with another ending, in the current
/// folder.
fn output(args: &Args, script: &str) -> String {
    let ending = if args.header { "h" } else { "o" };
    let stem = Path::new(script).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = stem.strip_suffix(".d").unwrap_or(&stem);
    args.output.clone().unwrap_or_else(|| format!("{stem}.{ending}"))
}
