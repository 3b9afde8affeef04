// SPDX-License-Identifier: GPL-2.0
//! Permission to trace: the device, and the caller's privileges.

use crate::module::Found;
use crate::{Check, Machine};
use std::fs::File;
use std::os::unix::fs::MetadataExt;

/// Numbers of capabilities.
const SYS_ADMIN: u32 = 21;
const PERFMON: u32 = 38;
const BPF: u32 = 39;

/// Returns the effective capabilities of this process.
fn capabilities(machine: &Machine) -> u64 {
    let status = machine.text("proc/self/status").unwrap_or_default();
    let hex = status.lines().find_map(|l| l.strip_prefix("CapEff:"));
    hex.and_then(|h| u64::from_str_radix(h.trim(), 16).ok()).unwrap_or(0)
}

/// Returns the name of a group.
fn group(machine: &Machine, gid: u32) -> String {
    let groups = machine.text("etc/group").unwrap_or_default();
    let of = |line: &str| {
        let mut words = line.split(':');
        let name = words.next()?;
        (words.nth(1)?.parse() == Ok(gid)).then(|| name.to_string())
    };
    groups.lines().find_map(of).unwrap_or_else(|| gid.to_string())
}

pub(crate) fn checks(machine: &Machine, module: &Found) -> Vec<Check> {
    let all = capabilities(machine);
    let has = |n: u32| all >> n & 1 == 1;
    let may = has(SYS_ADMIN) || has(PERFMON) && has(BPF);
    let mut checks = Vec::new();
    if module.is_loaded {
        checks.push(device(machine));
        checks.push(helper(machine));
    }
    checks.push(match (has(SYS_ADMIN), may) {
        (true, _) => Check::ok("privileges", "CAP_SYS_ADMIN: everything"),
        (_, true) => Check::ok("privileges", "CAP_PERFMON and CAP_BPF: tracing, without -w"),
        _ => Check::fail(
            "privileges",
            "none: tracing needs CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF",
            "run it as root; with the packages, members of group dtrace need no more: adduser USER dtrace",
        ),
    });
    checks
}

fn device(machine: &Machine) -> Check {
    let subject = "device";
    let path = abi::ioctl::DEVICE.trim_start_matches('/');
    let Ok(meta) = machine.path(path).metadata() else {
        let todo = "look into the kernel's log: dmesg | grep dtrace";
        return Check::fail(
            subject,
            format!("/{path} is not there although the module is loaded"),
            todo,
        );
    };
    let mode = meta.mode() & 0o777;
    let found = format!("/{path}: group {}, mode {mode:04o}", group(machine, meta.gid()));
    if mode & 0o006 != 0 {
        return Check::warn(
            subject,
            found,
            "everybody may open it (they still need the capabilities); the packages' udev rule makes it 0660",
        );
    }
    match File::options().read(true).write(true).open(machine.path(path)) {
        Ok(_) => Check::ok(subject, found),
        Err(e) => Check::fail(
            subject,
            format!("{found}; this user may not open it ({e})"),
            "run it as root, or: adduser USER dtrace, and log in again",
        ),
    }
}

fn helper(machine: &Machine) -> Check {
    let subject = "helper";
    let path = format!("dev/{}", abi::helper::DEVICE);
    match machine.path(&path).metadata().map(|m| m.mode() & 0o777) {
        Ok(0o666) => {
            Check::ok(subject, format!("/{path}: programs of all users can offer their probes"))
        }
        Ok(mode) => Check::warn(
            subject,
            format!("/{path} has mode {mode:04o}"),
            "programs of users who may not write to it offer no probes; the module makes it 0666",
        ),
        Err(_) => Check::warn(
            subject,
            format!("/{path} is not there"),
            "programs cannot offer their own probes",
        ),
    }
}
