// SPDX-License-Identifier: GPL-2.0
//! For a test in the guest. `forms make PROGRAM` makes the program and prints the number of hits,
//! of instructions that can be probed, and of those that cannot. `forms compare OUT OUT` compares
//! the outcomes of two runs.
#![forbid(unsafe_code)]

use forms::{assembly, build, forms, outcomes, site, Form, Start, BELOW};
use iced_x86::Code;
use std::path::Path;
use std::process::ExitCode;
use x86::displace::{plan, Mode};

const MODE: Mode = Mode::Bits64;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["make", program] => make(Path::new(program)),
        ["compare", a, b] => compare(a, b),
        _ => Err("usage: forms make PROGRAM | forms compare OUT OUT".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("forms: {why}");
            ExitCode::FAILURE
        }
    }
}

fn all() -> Vec<(Form, Vec<Start>)> {
    let forms = forms(MODE).into_iter().enumerate();
    forms
        .map(|(n, form)| (site(n), form))
        .map(|(at, f)| {
            let s = f.starts(at, MODE);
            (f, s)
        })
        .collect()
}

fn make(program: &Path) -> Result<(), String> {
    let (forms, starts): (Vec<_>, Vec<_>) = all().into_iter().unzip();
    let can = |at, form: &Form| plan(&form.bytes, at, MODE).is_ok();
    let can: Vec<_> = forms.iter().enumerate().map(|(n, f)| can(site(n), f)).collect();
    let hits =
        starts.iter().zip(&can).filter(|(_, can)| **can).map(|(s, _)| s.len()).sum::<usize>();
    let probes = can.iter().filter(|can| **can).count();
    build(&assembly(&forms, &[], &starts.concat()), program).map_err(|e| e.to_string())?;
    println!("{hits} {probes} {}", forms.len() - probes);
    Ok(())
}

fn compare(a: &str, b: &str) -> Result<(), String> {
    let read = |file: &str| {
        let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        outcomes(&bytes).ok_or(format!("{file}: cut off"))
    };
    let (a, b) = (read(a)?, read(b)?);
    let all = all();
    let starts = all.iter().flat_map(|(form, starts)| starts.iter().map(move |s| (form, s)));
    let starts: Vec<_> = starts.collect();
    if a.len() != starts.len() || b.len() != starts.len() {
        return Err(format!("{} and {} outcomes of {}", a.len(), b.len(), starts.len()));
    }
    let mut wrong = 0;
    for (((form, start), a), mut b) in starts.into_iter().zip(a).zip(b) {
        // The stack below rsp may differ: a call in a slot pushes before it faults, or to find its
        // target.
        if matches!(form.code, Code::Call_rm64) {
            b.digests[BELOW] = a.digests[BELOW];
        }
        if a != b {
            wrong += 1;
            if wrong <= 20 {
                println!("{form:x?} {start:x?}\n  {a:x?}\n  {b:x?}");
            }
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} leave behind something else")),
    }
}
