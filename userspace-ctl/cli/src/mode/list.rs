// SPDX-License-Identifier: GPL-2.0
//! `-l`: lists probes.

use super::run;
use crate::args::Args;
use crate::busy::message;
use crate::settings::Settings;
use crate::{compile, Stop};
use abi::ids::ProbeId;
use abi::probe::ProbeDesc;
use consumer::device::Device;
use consumer::kernel::every_probe;
use consumer::kernel::pattern;
use consumer::print::json::{self, Line};
use consumer::print::listing;
use consumer::types::KernelTypes;
use consumer::user::declared::ProgramDeclarations;
use consumer::user::{of_process, ProcessProbes};
use consumer::world::KernelWorld;
use consumer::{Error, Failure, Kernel};
use d::Declared;
use std::collections::BTreeSet;
use std::io::Write;

/// The number of bytes that are written at once.
const FLUSH: usize = 64 << 10;

/// Lists all probes, or those that the descriptions of the command line match, each once.
pub fn run(args: &Args, settings: Settings) -> Result<i32, Stop> {
    let mut device = Device::open()?;
    let mut patterns = Vec::new();
    // The commands of -c, and with them their probes, end when this is dropped.
    let targets;
    if args.specs.is_empty() && !args.pids.is_empty() {
        let mut process_probes = ProcessProbes::default();
        process_probes.own(&mut device, &args.pids)?;
        let told = process_probes.take_told();
        told.iter().for_each(|line| message(format_args!("dtrace: {line}")));
        patterns.extend(args.pids.iter().filter_map(|pid| of_process(*pid)));
    } else if args.specs.is_empty() {
        patterns.push(every_probe());
    } else {
        targets = run::targets(args, &settings)?;
        let (programs, _) = compile::for_kernel(args, &settings, &targets, &mut device)?;
        let probes = programs.iter().flat_map(|p| &p.clauses).flat_map(|c| &c.probes);
        patterns.extend(probes.filter_map(pattern));
    }
    let declared = match args.verbose {
        true => {
            let libraries = compile::libraries(args, &settings)?;
            d::declared(&libraries, &KernelWorld::new(&mut device))
        }
        false => Declared::default(),
    };
    let mut out = crate::mode::output(args, &settings)?;
    let how = How { is_verbose: args.verbose, is_json: settings.is_json() };
    list(&mut device, &patterns, &declared, how, &mut out)?;
    Ok(0)
}

/// The form of the rows.
#[derive(Clone, Copy)]
struct How {
    is_verbose: bool,
    is_json: bool,
}

fn list(
    kernel: &mut dyn Kernel,
    patterns: &[ProbeDesc],
    declared: &Declared,
    How { is_verbose, is_json }: How,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut text = Vec::with_capacity(2 * FLUSH);
    let mut written = Ok(());
    let mut seen: BTreeSet<ProbeId> = BTreeSet::new();
    let (types, declarations) = (KernelTypes::default(), ProgramDeclarations::default());
    if !is_json {
        listing::header(&mut text);
    }
    for pattern in patterns {
        let pattern = ProbeDesc { how: is_verbose.into(), ..*pattern };
        let listed = kernel.each_probe(&pattern, &mut |probe| {
            if patterns.len() > 1 && !seen.insert(probe.id) {
                return true;
            }
            if !is_json {
                listing::row(&mut text, probe);
            }
            // A plain row needs no names as text, and there may be 100,000 of them.
            if is_json || is_verbose {
                let parts = probe.parts.map(String::from_utf8_lossy);
                let parts = parts.each_ref().map(|p| p.as_ref());
                let args = || {
                    let of_library = declared.get(&(parts[0].into(), parts[3].into())).cloned();
                    let of_types = || types.spelled(&probe.describe()).ok();
                    of_library.or_else(|| declarations.spelled(parts).or_else(of_types))
                };
                let args = if is_verbose { args() } else { None };
                if is_json {
                    let probe = json::Probe::new(probe.id.0, parts);
                    Line::Probe { probe, args: args.as_deref() }.write(&mut text);
                } else {
                    let promised = declarations.promised(parts[0]);
                    listing::details(&mut text, probe, args.as_deref(), promised);
                }
            }
            if text.len() >= FLUSH {
                written = out.write_all(&text);
                text.clear();
            }
            written.is_ok()
        });
        listed.map_err(|r| Error::new("failed to list probes", r.reason))?;
        std::mem::replace(&mut written, Ok(()))?;
    }
    out.write_all(&text)?;
    out.flush()?;
    let told = declarations.take_told();
    told.iter().for_each(|line| message(format_args!("dtrace: {line}")));
    Ok(())
}
