// SPDX-License-Identifier: GPL-2.0
//! The kernel: its release, its configuration, and its restrictions.

mod signatures;

use crate::module::Found;
use crate::{Check, Machine};

/// Returns the kernel options that the module needs: name, purpose, and whether nothing works
/// without it.
fn needed() -> Vec<(&'static str, &'static str, bool)> {
    let lines = include_str!("../../../module/options").lines().filter(|l| !l.starts_with('#'));
    let row = |line: &'static str| {
        let mut words = line.splitn(3, ' ');
        let (name, how, why) = (words.next()?, words.next()?, words.next()?);
        Some((name, why, how == "must"))
    };
    lines.filter_map(row).collect()
}

/// Returns the configuration of the running kernel, from the places where distributions keep it.
pub(crate) fn config(machine: &Machine) -> Option<String> {
    let release = machine.release();
    let at = |path: String| machine.text(path);
    at(format!("boot/config-{release}"))
        .or_else(|| at(format!("lib/modules/{release}/config")))
        .or_else(|| at(format!("usr/src/linux-headers-{release}/.config")))
        .or_else(|| at(format!("lib/modules/{release}/build/.config")))
}

/// Returns the value of an option that has text in quotes.
pub(crate) fn option_text(config: &str, name: &str) -> Option<String> {
    let begin = format!("CONFIG_{name}=\"");
    let line = config.lines().find_map(|l| l.strip_prefix(&begin))?;
    Some(line.trim_end_matches('"').to_string())
}

pub(crate) fn checks(machine: &Machine, module: &Found) -> Vec<Check> {
    let mut checks = vec![release(machine), configuration(machine)];
    checks.extend(types(machine));
    checks.extend(xen(machine));
    checks.push(lockdown(machine));
    checks.push(signatures::check(machine, module));
    checks
}

fn release(machine: &Machine) -> Check {
    let release = machine.release();
    match (machine.architecture.as_str(), release.is_empty()) {
        (_, true) => {
            Check::fail("kernel", "its release is unknown: /proc is not mounted", "mount /proc")
        }
        ("x86_64", _) => Check::ok("kernel", format!("{release} x86_64")),
        (other, _) => {
            Check::fail("kernel", format!("{release} on {other}"), "dtrace-rs is for x86_64 only")
        }
    }
}

fn configuration(machine: &Machine) -> Check {
    let subject = "configuration";
    let Some(config) = config(machine) else {
        return Check::warn(
            subject,
            "unknown: there is no configuration file of this kernel",
            format!(
                "install the kernel's headers, or put its .config to /boot/config-{}",
                machine.release()
            ),
        );
    };
    let needed = needed();
    let has = |name: &str| config.lines().any(|l| l == format!("CONFIG_{name}=y"));
    let missing: Vec<_> = needed.iter().filter(|(name, ..)| !has(name)).collect();
    let said: Vec<String> =
        missing.iter().map(|(name, why, _)| format!("{name} ({why})")).collect();
    let without = format!("without CONFIG_{}", said.join(", CONFIG_"));
    match (missing.is_empty(), missing.iter().any(|m| m.2)) {
        (true, _) => {
            Check::ok(subject, format!("all {} options that matter are set", needed.len()))
        }
        (_, true) => Check::fail(
            subject,
            without,
            "boot a kernel that has them: Debian's from 7.2 on (trixie-backports, sid)",
        ),
        _ => Check::warn(subject, without, "what is in parentheses does not work on this kernel"),
    }
}

/// Returns a warning if the running kernel offers no types; its configuration may be unknown.
fn types(machine: &Machine) -> Option<Check> {
    (machine.has("sys/kernel") && !machine.has("sys/kernel/btf/vmlinux")).then(|| {
        Check::warn(
            "types",
            "/sys/kernel/btf/vmlinux is missing",
            "works, but not: args[] of functions, struct members, the libraries of io, tcp and others; arg0.. do. \
             To have them, boot a kernel with CONFIG_DEBUG_INFO_BTF",
        )
    })
}

fn xen(machine: &Machine) -> Option<Check> {
    let is_xen = machine.text("sys/hypervisor/type").as_deref() == Some("xen");
    let guest = machine.text("sys/hypervisor/guest_type");
    (is_xen && guest.as_deref() == Some("PV")).then(|| {
        Check::fail(
            "hypervisor",
            "Xen PV: the hypervisor owns breakpoints and the kernel's text",
            "run the guest as HVM or PVH",
        )
    })
}

fn lockdown(machine: &Machine) -> Check {
    let subject = "lockdown";
    let modes = machine.text("sys/kernel/security/lockdown");
    let is = |mode: &str| modes.as_ref().is_some_and(|m| m.contains(mode));
    if is("[confidentiality]") {
        let todo = "boot without lockdown=confidentiality: in this mode nobody may read the kernel's memory";
        return Check::fail(subject, "confidentiality", todo);
    }
    if is("[integrity]") {
        let how = match signatures::is_secure_boot(machine) {
            true => "switch Secure Boot off in the firmware, which locks the kernel down",
            false => "boot without it",
        };
        let todo = format!(
            "works, but not: -w, probes of programs (pid, USDT), unsigned modules; to have them, {how}"
        );
        return Check::warn(subject, "integrity", todo);
    }
    Check::ok(subject, if modes.is_some() { "none" } else { "this kernel has none" })
}
