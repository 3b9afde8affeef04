// SPDX-License-Identifier: GPL-2.0
//! Other users of the machine: tracers, and memory.

use crate::{Check, Machine};
use abi::option::OptionId;

pub(crate) fn checks(machine: &Machine) -> Vec<Check> {
    vec![tracers(machine), memory(machine)]
}

fn tracers(machine: &Machine) -> Check {
    let subject = "other tracers";
    let files = ["sys/kernel/tracing/enabled_functions", "sys/kernel/debug/kprobes/list"];
    let texts = files.map(|f| machine.text(f));
    let [Some(functions), kprobes] = texts else {
        return Check::ok(
            subject,
            "not known: /sys/kernel/tracing is root's to read, or not mounted",
        );
    };
    // Functions that our own module has attached to do not count.
    let lines = functions.lines().chain(kprobes.iter().flat_map(|t| t.lines()));
    let of_others = lines.filter(|l| !l.contains("kapi_") && !l.contains("[dtrace]"));
    match of_others.count() {
        0 => Check::ok(subject, "none"),
        n => Check::warn(
            subject,
            format!("{n} functions are held by other tracers (ftrace, BPF, kprobes, live patches)"),
            "fbt leaves out what it cannot share and names it; see /sys/kernel/tracing/enabled_functions",
        ),
    }
}

fn memory(machine: &Machine) -> Check {
    let subject = "memory";
    let cpus = machine.cpus().max(1);
    let info = machine.text("proc/meminfo").unwrap_or_default();
    let kilobytes = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let available = kilobytes.and_then(|k| k.trim().trim_end_matches(" kB").parse::<u64>().ok());
    // Each CPU has a buffer and a table; there is one spare of each for all CPUs.
    let each = OptionId::Bufsize.default().saturating_add(OptionId::Aggsize.default());
    let needed = each.saturating_mul(cpus.saturating_add(1)) >> 20;
    let Some(available) = available.map(|kilobytes| kilobytes >> 10) else {
        return Check::ok(subject, format!("default buffers of {cpus} CPUs take {needed} MB"));
    };
    let found =
        format!("{available} MB available; default buffers of {cpus} CPUs take {needed} MB");
    match needed.saturating_mul(4) < available.saturating_mul(3) {
        true => Check::ok(subject, found),
        false => Check::warn(subject, found, "make them smaller: -b 512k -x aggsize=512k"),
    }
}
