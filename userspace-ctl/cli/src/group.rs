// SPDX-License-Identifier: GPL-2.0
//! Members of group dtrace can trace without being root. The packages install a second copy of the
//! command that only the group may execute, and whose file has the capabilities that tracing needs.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages' folder. A command in any other place, for instance in a checkout, runs itself.
const FOLDER: &str = "/usr/libexec/dtrace-rs";

/// Returns the group's copy, if `me` is the packages' command for everybody.
fn copy(me: &Path) -> Option<PathBuf> {
    (me == Path::new(FOLDER).join("dtrace")).then(|| me.with_file_name("dtrace-for-group"))
}

/// Executes the group's copy, if this user may. For everybody else this process continues:
/// compiling and `--doctor` need no rights.
pub fn hand_over() {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0);
    let Some(copy) = std::env::current_exe().ok().and_then(|me| copy(&me)).filter(|_| !is_root)
    else {
        return;
    };
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| OsString::from("dtrace"));
    // `exec` returns only if the copy cannot be executed: the user is no member, or there is no
    // copy.
    let _ = Command::new(copy).arg0(name).args(words).exec();
}

#[cfg(test)]
mod tests {
    use super::copy;
    use std::path::Path;

    #[test]
    fn only_the_packages_command_has_a_copy() {
        let of = |me: &str| copy(Path::new(me));
        let folder = "/usr/libexec/dtrace-rs";
        assert_eq!(
            of(&format!("{folder}/dtrace")),
            Some(format!("{folder}/dtrace-for-group").into())
        );
        // The copy has no copy, or it would execute itself for ever.
        assert_eq!(of(&format!("{folder}/dtrace-for-group")), None);
        assert_eq!(of("/usr/local/sbin/dtrace"), None);
        assert_eq!(of("/src/build/7.3/dtrace"), None);
    }
}
