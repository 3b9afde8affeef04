// SPDX-License-Identifier: GPL-2.0
//! `-C`: headers that scripts of other systems include and that Linux lacks in whole or in part.
//! From most of them, scripts use names that D has anyway (`PR_STOPPED`, `B_READ`) and types of the
//! running kernel, so these headers are empty.

use std::fs::DirBuilder;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Result;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// Headers searched before the system's headers of the same names, which they include.
const IN_FRONT: &[(&str, &str)] = &[(
    "sys/file.h",
    "#include_next <sys/file.h>\n\
     #define FREAD 1\n#define FWRITE 2\n#define FNDELAY 04000\n#define FNONBLOCK 04000\n\
     #define FAPPEND 02000\n#define FCREAT 0100\n#define FTRUNC 01000\n#define FEXCL 0200\n",
)];

/// Headers searched after the system's.
const BEHIND: &[(&str, &str)] = &[
    ("procfs.h", "#include <sys/procfs.h>\n"),
    ("sys/inttypes.h", "#include <inttypes.h>\n"),
    ("sys/int_types.h", "#include <stdint.h>\n"),
    ("sys/limits.h", "#include <limits.h>\n"),
    ("sys/syslimits.h", "#include <limits.h>\n"),
    ("sys/siginfo.h", "#include <signal.h>\n"),
    ("sys/varargs.h", "#include <stdarg.h>\n"),
    ("sys/pset.h", "#define PS_NONE -1\n#define PS_QUERY -2\n#define PS_MYID -3\n"),
    ("sys/processor.h", "#define PBIND_NONE -1\n#define PBIND_QUERY -2\n"),
    ("sys/procset.h", "#define P_MYID -1\n"),
];

/// Empty headers `<sys/NAME.h>`.
const EMPTY: &[&str] = &[
    "atomic",
    "bio",
    "bitmap",
    "bitset",
    "brand",
    "buf",
    "callb",
    "callo",
    "class",
    "cmn_err",
    "condvar",
    "condvar_impl",
    "conf",
    "contract",
    "contract_impl",
    "cpupart",
    "cpuset",
    "cpuvar",
    "cred",
    "cred_impl",
    "cyclic",
    "ddi",
    "ddi_impldefs",
    "debug",
    "devops",
    "disp",
    "dkio",
    "dnlc",
    "domain",
    "door",
    "dtrace",
    "dtrace_bsd",
    "dtrace_impl",
    "event",
    "eventhandler",
    "fault",
    "fbio",
    "feature_tests",
    "fm/protocol",
    "fs/autofs",
    "fs/fifonode",
    "fs/lofs_node",
    "fs/nfs",
    "fs/snode",
    "fs/tmpnode",
    "fs/ufs_fs",
    "fs/ufs_inode",
    "fs/zfs",
    "fss",
    "isa_defs",
    "jail",
    "kernel",
    "kmem",
    "kmem_impl",
    "kobj",
    "kstat",
    "lgrp",
    "lock",
    "lockmgr",
    "lockstat",
    "lwp",
    "malloc",
    "mbuf",
    "mdesc",
    "mkdev",
    "modctl",
    "mutex",
    "mutex_impl",
    "namei",
    "note",
    "nvpair",
    "pathname",
    "pcb",
    "pcpu",
    "policy",
    "pool",
    "priv",
    "priv_impl",
    "proc",
    "project",
    "protosw",
    "reboot",
    "refstr",
    "regset",
    "rt",
    "rwlock",
    "rwlock_impl",
    "sched",
    "sdt_impl",
    "session",
    "signalvar",
    "sleepq",
    "smp",
    "sobject",
    "socketvar",
    "sockio",
    "spl",
    "stack",
    "stream",
    "strsubr",
    "strsun",
    "sunddi",
    "sx",
    "syscallargs",
    "sysent",
    "sysproto",
    "systm",
    "t_lock",
    "thread",
    "tihdr",
    "time_impl",
    "timepps",
    "timers",
    "tiuser",
    "ts",
    "turnstile",
    "ucred",
    "vm",
    "vmem",
    "vmmeter",
    "vmsystm",
    "vnode",
    "xti_inet",
    "zone",
];

/// Empty headers in other places.
const EMPTY_ELSEWHERE: &[&str] = &[
    "inet/common.h",
    "inet/ip.h",
    "inet/ip6.h",
    "inet/tcp.h",
    "inet/udp_impl.h",
    "kstat.h",
    "synch.h",
    "thread.h",
];

/// The headers in a folder of their own, which is removed on drop.
#[derive(Debug)]
pub struct Headers(PathBuf);

impl Headers {
    /// Writes the headers into a new folder.
    pub fn write() -> Result<Self> {
        // Nobody can guess the name and take it before us.
        let number = RandomState::new().build_hasher().finish();
        let name = format!("dtrace-headers-{}-{number:016x}", std::process::id());
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        let folder = Self(path);
        let write = |part: &str, name: &str, text: &str| {
            let file = folder.0.join(part).join(name);
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(file, text)
        };
        IN_FRONT.iter().try_for_each(|(name, text)| write("front", name, text))?;
        BEHIND.iter().try_for_each(|(name, text)| write("behind", name, text))?;
        EMPTY.iter().try_for_each(|name| write("behind", &format!("sys/{name}.h"), ""))?;
        EMPTY_ELSEWHERE.iter().try_for_each(|name| write("behind", name, ""))?;
        Ok(folder)
    }

    /// Returns the preprocessor's options for the folder.
    pub fn words(&self) -> [PathBuf; 4] {
        let Self(folder) = self;
        ["-isystem".into(), folder.join("front"), "-idirafter".into(), folder.join("behind")]
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        // Leftover files in a folder for temporary files do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Tells whether a text includes anything.
pub fn includes(text: &[u8]) -> bool {
    text.split(|b| *b == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        line.strip_prefix(b"#").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"include"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other users can make folders there, too.
    #[test]
    fn taken_names_keep_nobody_from_writing() {
        let taken = |n| {
            let name = format!("dtrace-headers-{}-{n}", std::process::id());
            std::env::temp_dir().join(name)
        };
        (0..=100).for_each(|n| std::fs::create_dir_all(taken(n)).unwrap());
        let headers = Headers::write();
        (0..=100).for_each(|n| std::fs::remove_dir(taken(n)).unwrap());
        let headers = headers.unwrap();
        assert!(headers.words()[1].join("sys/file.h").exists());
    }
}
