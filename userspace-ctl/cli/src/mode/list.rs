// SPDX-License-Identifier: GPL-2.0
//! `-l`: which probes are there.

use crate::args::Args;
use crate::settings::Settings;
use crate::{compile, Stop};
use abi::ids::ProbeId;
use abi::probe::ProbeDesc;
use consumer::device::Device;
use consumer::kernel::every_probe;
use consumer::print::listing;
use consumer::types::KernelTypes;
use consumer::world::{pattern, KernelWorld};
use consumer::{Error, Failure, Kernel};
use std::collections::BTreeSet;
use std::io::Write;

/// Lists all probes, or those that the descriptions of the command line match, each once.
pub fn run(args: &Args, settings: &Settings) -> Result<i32, Stop> {
    let mut device = Device::open()?;
    let mut patterns = Vec::new();
    if args.specs.is_empty() {
        patterns.push(every_probe());
    } else {
        let programs = compile::all(args, settings, None, &KernelWorld::new(&mut device))?;
        let probes = programs.iter().flat_map(|p| &p.clauses).flat_map(|c| &c.probes);
        patterns.extend(probes.filter_map(pattern));
    }
    let mut out = crate::mode::output(args.output.as_deref())?;
    list(&mut device, &patterns, args.verbose, &mut out)?;
    Ok(0)
}

fn list(
    kernel: &mut dyn Kernel,
    patterns: &[ProbeDesc],
    verbose: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut seen: BTreeSet<ProbeId> = BTreeSet::new();
    let types = KernelTypes::default();
    listing::header(&mut text);
    for pattern in patterns {
        let (mut cursor, mut batch) = (0, Vec::new());
        loop {
            let more = kernel
                .probes(pattern, &mut cursor, &mut batch)
                .map_err(|r| Error::new("failed to list probes", r.reason))?;
            for probe in batch.drain(..) {
                if patterns.len() > 1 && !seen.insert(probe.id) {
                    continue;
                }
                listing::row(&mut text, &probe);
                if verbose {
                    let args = types.spelled(&probe).ok();
                    listing::details(&mut text, &probe, args.as_deref());
                }
            }
            out.write_all(&text)?;
            text.clear();
            if !more {
                break;
            }
        }
    }
    out.flush()?;
    Ok(())
}
