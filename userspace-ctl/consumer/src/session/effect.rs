// SPDX-License-Identifier: GPL-2.0
//! What records ask for besides text: commands, files, options.

use super::Session;
use crate::error::{reason, Error, Failure};
use crate::print::report::Effect;
use crate::sys;
use std::io::{Read, Write};
use std::os::fd::AsFd;

impl Session<'_> {
    /// Carries out what a record asks for; failures are reported and tracing goes on.
    pub(super) fn effect(&mut self, effect: Effect) -> Result<(), Failure> {
        self.outputs.flush()?;
        let failed = match effect {
            Effect::System(line) => {
                let mut shell = std::process::Command::new("/bin/sh");
                if self.outputs.form.is_stream() {
                    shell.stdout(std::io::stderr());
                }
                let run = sys::with_first_limits(shell.arg("-c").arg(&line)).spawn();
                let run = match run {
                    Ok(child) => self.await_command(child)?,
                    Err(e) => Err(e),
                };
                run.err().map(|e| format!("system(\"{}\"): {e}", line.to_string_lossy()))
            }
            Effect::Freopen(name) if name.is_empty() => {
                self.outputs.redirected = None;
                None
            }
            Effect::Freopen(name) => match named::open(&name, named::Use::Append) {
                Ok(file) => {
                    self.outputs.redirected = Some(file);
                    None
                }
                Err(e) => Some(format!("freopen(\"{}\"): {e}", name.to_string_lossy())),
            },
            Effect::Setopt(Ok((id, value))) => {
                self.options.set(id, value);
                None
            }
            Effect::Setopt(Err(why)) | Effect::Refused(why) => Some(why),
            Effect::Ftruncate => self.outputs.truncate().err().map(|e| format!("ftruncate(): {e}")),
        };
        match failed {
            Some(why) => self.outputs.say(&why),
            None => Ok(()),
        }
    }

    /// Waits for a command that we started. It may itself wait for us, like any program that
    /// starts.
    pub(super) fn await_command(
        &mut self,
        mut child: std::process::Child,
    ) -> Result<std::io::Result<()>, Failure> {
        if !self.process_probes.is_attending() {
            return Ok(child.wait().map(drop));
        }
        let Some(bell) = self.bell.take() else { return Ok(child.wait().map(drop)) };
        let mut waited = Ok(());
        let mut rung = false;
        match sys::pidfd_open(child.id()) {
            Ok(end) => loop {
                match sys::poll(&[end.as_fd(), bell.as_fd()], None).as_deref() {
                    Ok([false, true]) => {}
                    Ok([false, false]) => continue,
                    Ok(_) | Err(_) => break,
                }
                rung |= (&bell).read_exact(&mut [0; 8]).is_ok();
                waited = self.ask_status().and_then(|now| self.look_at_mapped(&now));
                if waited.is_err() {
                    break;
                }
            },
            Err(e) => waited = Err(Error::new("failed to wait for a command", reason(&e)).into()),
        }
        // The bell may also have rung for buffers, so we ring it again.
        let _ = rung.then(|| (&bell).write_all(&1u64.to_ne_bytes()));
        self.bell = Some(bell);
        waited?;
        Ok(child.wait().map(drop))
    }
}
