// SPDX-License-Identifier: GPL-2.0
//! `--render` and `--merge`: recorded streams, drawn or added up.

use crate::args::Args;
use crate::form::{self, Form};
use crate::mode;
use crate::settings::Settings;
use crate::Stop;
use consumer::Error;
use recording::Recording;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Reads the operands, puts them together and draws the result.
pub fn run(args: &Args, settings: &Settings) -> Result<i32, Stop> {
    let has_program = !args.specs.is_empty() || !args.commands.is_empty() || !args.pids.is_empty();
    if has_program {
        let why = "--render and --merge read recorded streams; they run no program";
        return Err(Stop::Usage(why.into()));
    }
    let form = |name: &str| settings.form.or_else(|| form::by_name(name));
    let (recording, form): (Recording, Option<&Form>) = match (args.merge, args.operands.as_slice())
    {
        (false, [file]) => (read(file)?, form("json")),
        (false, _) => {
            return Err(Stop::Usage("--render needs one file, or - for standard input".into()))
        }
        (true, []) => {
            return Err(Stop::Usage("--merge needs the files of recorded streams".into()))
        }
        (true, files) => {
            let read: Result<Vec<Recording>, Stop> = files.iter().map(|f| read(f)).collect();
            (recording::merge(read?, settings.hostkey), form("json"))
        }
    };
    let Some(form) = form else { return Err(Stop::Usage("there is no such form".into())) };
    mode::draw(args.output.as_deref(), form, &recording)?;
    Ok(0)
}

/// Reads a recorded stream; `-` is standard input.
fn read(file: &str) -> Result<Recording, Stop> {
    let doing = || format!("failed to read '{file}'");
    let input: Box<dyn BufRead> = match file {
        "-" => Box::new(std::io::stdin().lock()),
        _ => {
            let failed = |e: std::io::Error| Error::new(doing(), consumer::error::reason(&e));
            Box::new(BufReader::new(File::open(file).map_err(failed)?))
        }
    };
    Ok(Recording::read(input).map_err(|e| Error::new(doing(), e.to_string()))?)
}
