// SPDX-License-Identifier: GPL-2.0
//! Targets: `-c` starts a command and holds it until tracing runs, `-p` watches an existing
//! process. The session ends when all targets have ended.

use crate::error::{reason, Error};
use crate::sys;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

/// The destination of a command's output.
#[derive(Debug)]
pub enum Stdio {
    /// The same as ours.
    Ours,
    /// Standard error, apart from what we print.
    Apart,
    /// This file. We use the terminal, so the command has no standard input.
    Into(std::fs::File),
}

/// A process that `-c` or `-p` names.
#[derive(Debug)]
pub struct Target {
    pid: u32,
    pidfd: OwnedFd,
    child: Option<Child>,
}

impl Target {
    /// Starts a command line and holds it before its first instruction.
    pub fn create(command_line: &str, stdio: Stdio) -> Result<Self, Error> {
        let doing = || format!("failed to create process '{command_line}'");
        let words = split(command_line);
        let (program, args) =
            words.split_first().ok_or_else(|| Error::new(doing(), "no command"))?;
        let mut command = Command::new(program);
        match stdio {
            Stdio::Ours => {}
            Stdio::Apart => {
                command.stdout(std::io::stderr());
            }
            Stdio::Into(file) => {
                let failed = |e: std::io::Error| Error::new(doing(), reason(&e));
                command.stdout(file.try_clone().map_err(failed)?).stderr(file);
                command.stdin(std::process::Stdio::null());
            }
        }
        let mut child =
            sys::spawn_stopped(command.args(args)).map_err(|e| Error::new(doing(), reason(&e)))?;
        let pid = child.id();
        match sys::pidfd_open(pid) {
            Ok(pidfd) => Ok(Self { pid, pidfd, child: Some(child) }),
            Err(e) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(Error::new(doing(), reason(&e)))
            }
        }
    }

    /// Opens a process by its id.
    pub fn grab(pid: u32) -> Result<Self, Error> {
        let pidfd = sys::pidfd_open(pid)
            .map_err(|e| Error::new(format!("failed to grab pid {pid}"), reason(&e)))?;
        Ok(Self { pid, pidfd, child: None })
    }

    /// Returns the process id, D's `$target`.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Tells whether we started the process.
    pub fn is_ours(&self) -> bool {
        self.child.is_some()
    }

    /// Returns a descriptor that is readable when the process has ended.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Lets a command that we started run.
    pub fn resume(&self) -> Result<(), Error> {
        match &self.child {
            Some(child) => match sys::resume(child) {
                // The process ended before it reached the place where it would be held.
                Err(e) if e.raw_os_error() == Some(libc::ESRCH) => Ok(()),
                done => done
                    .map_err(|e| Error::new(format!("failed to run pid {}", self.pid), reason(&e))),
            },
            None => Ok(()),
        }
    }

    /// Describes how the process ended.
    pub fn epitaph(&mut self) -> String {
        let status = self.child.as_mut().and_then(|c| c.try_wait().ok().flatten());
        epitaph(self.pid, status)
    }
}

impl Drop for Target {
    /// Kills a command that we started, if we may, so that it does not outlive us.
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // We may not kill a command that runs as another user (sudo).
            if matches!(child.try_wait(), Ok(None)) && child.kill().is_ok() {
                let _ = child.wait();
            }
        }
    }
}

fn epitaph(pid: u32, status: Option<ExitStatus>) -> String {
    let signal = status.and_then(|s| s.signal());
    let code = status.and_then(|s| s.code()).unwrap_or(0);
    match (signal, code) {
        (Some(n), _) => {
            let name = signal_hook::low_level::signal_name(n);
            let name = name.map_or_else(|| format!("signal {n}"), String::from);
            format!("pid {pid} terminated by {name}")
        }
        (None, 0) => format!("pid {pid} has exited"),
        (None, code) => format!("pid {pid} exited with status {code}"),
    }
}

/// Splits a command line into words at blanks; quotes and backslashes keep words together. It uses
/// no shell.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_with(String::new);
            }
            (None | Some('"'), '\\') => {
                if let Some(c) = chars.next() {
                    word.get_or_insert_with(String::new).push(c);
                }
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        assert_eq!(split("ls  -l /tmp"), ["ls", "-l", "/tmp"]);
        assert_eq!(split(r#"sh -c 'echo "a b"' "" x\ y"#), ["sh", "-c", "echo \"a b\"", "", "x y"]);
        assert!(split("  ").is_empty());
    }

    #[test]
    fn a_created_command_waits_for_us() {
        let dir = std::env::temp_dir().join(format!("dtrace-target-{}", std::process::id()));
        let path = dir.to_string_lossy().into_owned();
        let _ = std::fs::remove_dir(&dir);
        let mut target = Target::create(&format!("mkdir {path}"), Stdio::Ours).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!dir.exists(), "it ran before resume");
        target.resume().unwrap();
        assert_eq!(sys::poll(&[target.fd()], Some(5_000_000_000)).unwrap(), [true]);
        assert!(dir.exists());
        assert_eq!(target.epitaph(), format!("pid {} has exited", target.pid()));
        std::fs::remove_dir(&dir).unwrap();
    }

    /// The kernel takes a thread for what holds a command.
    #[test]
    fn a_command_that_is_held_ends_with_us() {
        let path = std::env::temp_dir().join(format!("dtrace-held-{}", std::process::id()));
        let command = format!("mkdir {}", path.display());
        let held = std::thread::spawn(move || Target::create(&command, Stdio::Ours).unwrap());
        let mut target = held.join().unwrap();
        assert_eq!(sys::poll(&[target.fd()], Some(5_000_000_000)).unwrap(), [true]);
        assert_eq!(target.epitaph(), format!("pid {} terminated by SIGKILL", target.pid()));
        assert!(std::fs::remove_dir(&path).is_err(), "it ran");
    }

    #[test]
    fn how_targets_end() {
        for (command, want) in [
            ("sh -c 'exit 3'", "exited with status 3"),
            ("sh -c 'kill -TERM $$'", "terminated by SIGTERM"),
        ] {
            let mut target = Target::create(command, Stdio::Ours).unwrap();
            target.resume().unwrap();
            assert_eq!(sys::poll(&[target.fd()], Some(5_000_000_000)).unwrap(), [true]);
            assert_eq!(target.epitaph(), format!("pid {} {want}", target.pid()));
        }
        let e = Target::create("/nonexistent/command", Stdio::Ours).unwrap_err().to_string();
        assert!(
            e.starts_with("failed to create process '/nonexistent/command': No such file"),
            "{e}"
        );
        assert!(Target::grab(u32::MAX >> 1).unwrap_err().to_string().contains("No such process"));
    }
}
