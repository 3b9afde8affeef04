// SPDX-License-Identifier: GPL-2.0
//! What the kernel tells about a process in `/proc/PID/status`.

/// Returns the rest of the line of `/proc/PID/status` that begins with `name`.
pub(crate) fn line(pid: u32, name: &str) -> Option<String> {
    // The first line is the name that the process has given itself, in any bytes.
    let status = std::fs::read(format!("/proc/{pid}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    status.lines().find_map(|line| Some(line.strip_prefix(name)?.to_string()))
}
