// SPDX-License-Identifier: GPL-2.0
//! How far a command runs before its probes are made (`-x evaltime`).
//!
//! | | where the command stops | what is mapped | what has run |
//! |---|---|---|---|
//! | `exec` | before its first instruction | the program, the dynamic linker | nothing |
//! | `preinit` | where the linker tells debuggers that it is done | all libraries | the linker |
//! | `postinit`, `main` | at `main` | all libraries | the constructors |
//!
//! The command runs up to our breakpoint, which is removed before anybody else looks. A statically
//! linked program uses its entry instead of the linker's place, and a program without a known
//! `main` is stopped where glibc gets it.

use crate::sys::{self, Halt};
use libproc::process::{self, Images, Object, Process, PROGRAM};
use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::fs::FileExt;

/// `-x evaltime`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum When {
    /// Before its first instruction.
    Exec,
    /// Before constructors.
    #[default]
    Preinit,
    /// Before `main`.
    Main,
}

impl When {
    /// Returns the value for a word.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "exec" => Some(Self::Exec),
            "preinit" => Some(Self::Preinit),
            "postinit" | "main" => Some(Self::Main),
            _ => None,
        }
    }
}

/// The function that the dynamic linker calls for debuggers, and the object that describes its
/// state.
const TOLD: &str = "_dl_debug_state";
const STATE: &str = "_r_debug";
/// Offset of the state in that object, in words. The state has four bytes; 0: the linker is done.
const STATE_WORDS: u64 = 3;
/// The glibc function that gets `main` as its first argument.
const BEGIN: &str = "__libc_start_main";

const INT3: u8 = 0xcc;

/// Lets a command that is stopped at its first instruction run to its place for `when`.
pub(super) fn advance(pid: u32, when: When) -> Result<()> {
    let images = Images::default();
    if when == When::Exec {
        return Ok(());
    }
    let process = Process::read(pid)?;
    let word = process::word(pid)?;
    // A statically linked command is already at its entry.
    let begin = || match process::entry(pid).ok_or_else(|| Error::other("it has no entry"))? {
        at if sys::registers(pid)?.rip == at => Ok(()),
        at => run_to(pid, at),
    };
    let exported = |o: &Object, name: &str| {
        let (image, bias) = o.image(pid, &images);
        Some(image.exported(name)?.wrapping_add(*bias))
    };
    let linker = process.objects.iter().find_map(|o| Some((o, exported(o, TOLD)?)));
    if when == When::Preinit {
        let Some((linker, told)) = linker else { return begin() };
        let state = exported(linker, STATE);
        loop {
            run_to(pid, told)?;
            let mut now = [0; 4];
            let at = STATE_WORDS * word as u64;
            let read = state.map(|s| memory(pid)?.read_exact_at(&mut now, s + at));
            read.transpose()?;
            if now == [0; 4] {
                return Ok(());
            }
        }
    }
    let named = |o: &Object| {
        let (image, bias) = o.image(pid, &images);
        let main = image.functions().iter().find(|f| &*f.name == "main")?;
        Some(main.address.wrapping_add(*bias))
    };
    if let Some(main) = process.called(PROGRAM).find_map(named) {
        return run_to(pid, main);
    }
    begin()?;
    let process = Process::read(pid)?;
    match process.objects.iter().find_map(|o| exported(o, BEGIN)) {
        Some(begin) => {
            run_to(pid, begin)?;
            let regs = sys::registers(pid)?;
            let mut main = regs.rdi.to_le_bytes();
            if word == 4 {
                // A 32-bit process passes the argument on the stack, behind the return address.
                memory(pid)?.read_exact_at(&mut main[..word], regs.rsp + word as u64)?;
            }
            run_to(pid, process::number(&main[..word]))
        }
        None => Ok(()),
    }
}

fn memory(pid: u32) -> Result<File> {
    File::options().read(true).write(true).open(format!("/proc/{pid}/mem"))
}

/// Runs the command up to an instruction.
fn run_to(pid: u32, address: u64) -> Result<()> {
    if sys::registers(pid)?.rip == address {
        // A breakpoint at the current instruction would be hit at once.
        sys::run_to_signal(pid, 0, true)?;
    }
    let memory = memory(pid)?;
    let mut was = [0];
    memory.read_exact_at(&mut was, address)?;
    memory.write_all_at(&[INT3], address)?;
    let mut signal = 0;
    loop {
        match sys::run_to_signal(pid, signal, false)? {
            Halt::Ended => return Err(Error::other("it has ended before its main")),
            Halt::Signal(libc::SIGTRAP) => {
                let mut regs = sys::registers(pid)?;
                if regs.rip != address.wrapping_add(1) {
                    return Err(Error::other("it has executed another program before its main"));
                }
                memory.write_all_at(&was, address)?;
                regs.rip = address;
                return sys::set_registers(pid, &regs);
            }
            Halt::Signal(other) => signal = other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Stdio, Target};
    use abi::unwind::{self, Frame, Step};

    /// Returns the names of the mapped objects, and the function where the command is stopped.
    fn after(command: &str, when: When) -> (Vec<String>, String) {
        let mut target = Target::create(command, Stdio::Ours).unwrap();
        let pid = target.pid();
        advance(pid, when).unwrap();
        let rip = sys::registers(pid).unwrap().rip;
        let process = Process::read(pid).unwrap();
        let images = Images::default();
        let at = process.objects.iter().find_map(|o| {
            let (image, bias) = o.image(pid, &images);
            let f = image.functions().iter().find(|f| f.address.wrapping_add(*bias) == rip)?;
            Some(f.name.to_string())
        });
        let names = process.objects.iter().map(|o| o.name.clone()).collect();
        // The command is intact and does what it would have done.
        target.resume().unwrap();
        assert_eq!(sys::poll(&[target.fd()], None).unwrap(), [true]);
        assert_eq!(target.epitaph(), format!("pid {pid} exited with status 3"), "{command}");
        (names, at.unwrap_or_default())
    }

    #[test]
    fn a_command_stands_where_it_should() {
        let command = "sh -c 'exit 3'";
        let has_libc = |names: &[String]| names.iter().any(|n| n == "libc.so.6");
        let (names, at) = after(command, When::Exec);
        assert!(!has_libc(&names), "{names:?} {at}");
        let (names, at) = after(command, When::Preinit);
        assert!(has_libc(&names) && at == TOLD, "{names:?} {at}");
        // The program is stripped; the address of its main is an argument of libc.
        let (names, _) = after(command, When::Main);
        assert!(has_libc(&names), "{names:?}");
    }

    /// Returns the names of the functions that a stopped command is in, the innermost first, and
    /// how the walk ended.
    fn stack(pid: u32) -> (Vec<String>, Step) {
        let process = Process::read(pid).unwrap();
        let images = Images::default();
        let maps = libproc::maps::read(pid).unwrap();
        let regs = sys::registers(pid).unwrap();
        let memory = memory(pid).unwrap();
        let read = |at: u64| {
            let mut word = [0; 8];
            memory.read_exact_at(&mut word, at).ok()?;
            Some(u64::from_le_bytes(word))
        };
        let mut frame = Frame { ip: regs.rip, sp: regs.rsp, bp: regs.rbp };
        let (mut names, mut back) = (Vec::new(), 0);
        loop {
            // A return address is behind its call.
            let at = frame.ip - back;
            let found = process.objects.iter().find(|o| o.covers(at)).and_then(|o| {
                let (image, bias) = o.image(pid, &images);
                let name = image.function_at(at.wrapping_sub(*bias)).map(|f| f.name.to_string());
                names.push(format!("{}`{}", o.name, name.unwrap_or_default()));
                let map = maps.iter().find(|m| (m.start..m.end).contains(&at))?;
                let offset = u32::try_from(at - map.start + map.offset).ok()?;
                unwind::find(&libproc::frames::rows(&map.open(pid)?)?, offset)
            });
            let Some(row) = found else { return (names, Step::Lost) };
            match unwind::step(row, frame, |_| None, read) {
                Step::Caller(next) => (frame, back) = (next, 1),
                end => return (names, end),
            }
        }
    }

    #[test]
    fn stacks_without_frame_pointers() {
        let mut target = Target::create("cat /dev/null", Stdio::Ours).unwrap();
        let pid = target.pid();
        advance(pid, When::Preinit).unwrap();
        let process = Process::read(pid).unwrap();
        let images = Images::default();
        let libc = process.called("libc").next().unwrap();
        let (image, bias) = libc.image(pid, &images);
        let read = image.functions().iter().find(|f| &*f.name == "read").unwrap().address;
        run_to(pid, read.wrapping_add(*bias)).unwrap();
        let (names, end) = stack(pid);
        assert_eq!(end, Step::End, "{names:?}");
        assert!(names.len() > 3 && names[0] == "libc.so.6`read", "{names:?}");
        assert!(names.iter().any(|n| n == "libc.so.6`__libc_start_main"), "{names:?}");
        target.resume().unwrap();
        assert_eq!(sys::poll(&[target.fd()], None).unwrap(), [true]);
        assert_eq!(target.epitaph(), format!("pid {pid} has exited"));
    }

    #[test]
    fn words() {
        for (word, when) in [
            ("exec", Some(When::Exec)),
            ("preinit", Some(When::Preinit)),
            ("postinit", Some(When::Main)),
            ("main", Some(When::Main)),
            ("Main", None),
        ] {
            assert_eq!(When::from_text(word), when);
        }
    }
}
