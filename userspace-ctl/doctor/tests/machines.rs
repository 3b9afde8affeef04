// SPDX-License-Identifier: GPL-2.0
//! Made-up machines, and the doctor's findings on them.

use doctor::{examine, mismatch, text, verdict, Check, Machine, State};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const RELEASE: &str = "7.3.4+deb13-amd64";
const RUSTC: &str = "rustc 1.85.1 (4eb161250 2025-03-15) (built from a source tarball)";

/// A folder that looks like a machine without problems.
struct Made(PathBuf);

impl Made {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&root);
        let this = Self(root);
        let options = [
            "RUST",
            "MODULES",
            "KALLSYMS",
            "KPROBES",
            "KALLSYMS_ALL",
            "DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
            "UNWINDER_ORC",
            "DEBUG_INFO_BTF",
            "TRACEPOINTS",
            "HIGH_RES_TIMERS",
        ];
        let mut config: String = options.iter().map(|o| format!("CONFIG_{o}=y\n")).collect();
        config += &format!("CONFIG_RUSTC_VERSION_TEXT=\"{RUSTC}\"\nCONFIG_BINDGEN_VERSION_TEXT=\"bindgen 0.71.1\"\n");
        this.write(&format!("boot/config-{RELEASE}"), &config);
        this.write("proc/sys/kernel/osrelease", &format!("{RELEASE}\n"));
        this.write("proc/self/status", "Name:\tdtrace\nCapEff:\t000001ffffffffff\n");
        this.write("proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable:    4000000 kB\n");
        this.write("sys/devices/system/cpu/online", "0-3\n");
        this.write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
        this.write("sys/kernel/tracing/enabled_functions", "");
        this.write("sys/kernel/btf/vmlinux", "");
        this.write("sys/module/dtrace/version", "0.1.0\n");
        this.write(
            &format!("lib/modules/{RELEASE}/modules.dep"),
            "kernel/fs/a.ko.xz:\nupdates/dkms/dtrace.ko.xz:\n",
        );
        this.write(&format!("lib/modules/{RELEASE}/build/Makefile"), "");
        this.write(&format!("var/lib/dtrace-rs/kernels/{RELEASE}/rust/libkernel.rmeta"), "");
        this.write("etc/group", "root:x:0:\n");
        this.write("dev/dtrace/dtrace", "");
        this.write("dev/dtrace/helper", "");
        this.mode("dev/dtrace/dtrace", 0o660);
        this.mode("dev/dtrace/helper", 0o666);
        this.program("rustc", RUSTC);
        this.program("bindgen", "bindgen 0.71.1");
        this
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.0.join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn program(&self, name: &str, says: &str) {
        self.script(&format!("usr/bin/{name}"), &format!("echo '{says}'"));
    }

    /// Another process writes it: while this one has a file open for writing, another test's thread
    /// may fork, and until its child executes something, nobody can execute the file (ETXTBSY).
    fn script(&self, path: &str, line: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let write = r#"printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0""#;
        let mut shell = Command::new("sh");
        assert!(shell.args(["-c", write]).arg(path).arg(line).status().unwrap().success());
    }

    fn without(self, path: &str) -> Self {
        let path = self.0.join(path);
        match path.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
        self
    }

    fn with(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    fn examined(&self) -> Vec<Check> {
        let mut machine = Machine::at(&self.0, "0.1.0");
        machine.architecture = "x86_64".into();
        examine(&machine)
    }

    /// Returns the only check of this subject.
    fn check(&self, subject: &str) -> Check {
        let mut found: Vec<Check> =
            self.examined().into_iter().filter(|c| c.subject == subject).collect();
        assert_eq!(found.len(), 1, "{subject}: {found:?}");
        found.remove(0)
    }

    #[track_caller]
    fn says(&self, subject: &str, state: State, words: &str, remedy: &str) {
        let check = self.check(subject);
        assert_eq!(check.state, state, "{check:?}");
        assert!(check.found.contains(words), "{check:?}");
        assert!(check.remedy.unwrap_or_default().contains(remedy));
    }
}

#[test]
fn a_machine_on_which_all_is_well() {
    let checks = Made::new("well").examined();
    let bad: Vec<_> = checks.iter().filter(|c| c.state != State::Ok).collect();
    assert!(bad.is_empty(), "{bad:?}");
    let text = text(&checks);
    assert!(text.ends_with("This machine can trace.\n"), "{text}");
    assert!(
        text.contains("ok    module         loaded; installed as updates/dkms/dtrace.ko.xz\n"),
        "{text}"
    );
}

#[test]
fn it_fits_on_a_screen_and_each_failure_has_its_remedy() {
    let empty = Made::new("empty")
        .without("boot")
        .without("sys")
        .without("lib")
        .without("usr")
        .without("var");
    for made in [empty, Made::new("none").without("proc")] {
        let checks = made.examined();
        assert!(checks.iter().all(|c| (c.state == State::Ok) == c.remedy.is_none()), "{checks:?}");
        assert_eq!(verdict(&checks), State::Fail);
        let text = text(&checks);
        assert!(text.lines().count() <= 30, "{text}");
        assert!(
            text.ends_with("This machine cannot trace yet: see the lines that begin with fail.\n")
        );
    }
}

#[test]
fn configurations() {
    let config = format!("boot/config-{RELEASE}");
    let made = Made::new("no-rust")
        .with(&config, "CONFIG_MODULES=y\nCONFIG_KALLSYMS=y\nCONFIG_KPROBES=y\n");
    made.says(
        "configuration",
        State::Fail,
        "CONFIG_RUST (the module is written in Rust)",
        "boot a kernel",
    );
    let made = Made::new("no-btf");
    let text =
        fs::read_to_string(made.0.join(&config)).unwrap().replace("CONFIG_DEBUG_INFO_BTF=y\n", "");
    let made = made.with(&config, &text);
    made.says(
        "configuration",
        State::Warn,
        "without CONFIG_DEBUG_INFO_BTF (types",
        "does not work",
    );
    Made::new("no-config").without(&config).says("configuration", State::Warn, "unknown", RELEASE);
}

#[test]
fn what_a_kernel_forbids() {
    let lockdown = "sys/kernel/security/lockdown";
    let made = Made::new("integrity").with(lockdown, "none [integrity] confidentiality\n");
    made.says("lockdown", State::Warn, "integrity", "-w");
    let made = Made::new("confidentiality").with(lockdown, "none integrity [confidentiality]\n");
    made.says("lockdown", State::Fail, "confidentiality", "boot without");
    let made = Made::new("xen")
        .with("sys/hypervisor/type", "xen\n")
        .with("sys/hypervisor/guest_type", "PV\n");
    made.says("hypervisor", State::Fail, "Xen PV", "HVM");
}

#[test]
fn a_kernel_without_types() {
    let made = Made::new("no-types").without("sys/kernel/btf");
    made.says("types", State::Warn, "btf/vmlinux is missing", "CONFIG_DEBUG_INFO_BTF");
}

#[test]
fn secure_boot() {
    let variable = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    let on = |name| Made::new(name).with(variable, "\u{6}\0\0\0\u{1}");
    on("accepted").says("secure boot", State::Ok, "the module was accepted", "");
    let made = on("enrol").without("sys/module/dtrace").with("var/lib/dkms/mok.pub", "");
    made.says("secure boot", State::Warn, "on", "mokutil --import /var/lib/dkms/mok.pub");
    let made = Made::new("off").with(variable, "\u{6}\0\0\0\0");
    made.says("secure boot", State::Ok, "off", "");
    let enforced = Made::new("enforced").with("sys/module/module/parameters/sig_enforce", "Y\n");
    enforced.without("sys/module/dtrace").says(
        "secure boot",
        State::Warn,
        "only signed modules",
        "must be signed",
    );
}

#[test]
fn the_key_of_the_module() {
    let file = format!("lib/modules/{RELEASE}/updates/dkms/dtrace.ko.xz");
    let enforced = |name: &str, signer: &str, keys: &str| {
        let made = Made::new(name)
            .without("sys/module/dtrace")
            .with("sys/module/module/parameters/sig_enforce", "Y\n")
            .with("proc/keys", keys)
            .with("sys/firmware/efi/fw_platform_size", "64\n")
            .with("var/lib/dkms/mok.pub", "");
        // It prints the signer of this very file only.
        let path = made.0.join(&file).display().to_string();
        let line = format!("[ \"$*\" = '-F signer {path}' ] && echo '{signer}'");
        made.script("usr/sbin/modinfo", &line);
        made
    };
    let others = "1c8a1c82 I------ 1 perm 1f030000 0 0 asymmetri Debian Secure Boot CA: 6c: X509.rsa b4 []\n";
    let with_ours = format!("{others}0c803317 I------ 1 perm 1f010000 0 0 asymmetri DKMS module signing key: 99: X509.rsa c0 []\n");
    let signer = "DKMS module signing key";
    enforced("known", signer, &with_ours).says(
        "secure boot",
        State::Ok,
        "has the module's key",
        "",
    );
    let unknown = enforced("unknown", signer, others);
    unknown.says(
        "secure boot",
        State::Fail,
        "lacks the key 'DKMS module signing key'",
        "mokutil --import /var/lib/dkms/mok.pub",
    );
    enforced("unsigned", "", &with_ours).says(
        "secure boot",
        State::Fail,
        "has no signature",
        "dkms install --force dtrace-rs/0.1.0",
    );
    enforced("unseen", signer, "1bdf17b9 I--Q--- 1 perm 1f3f0000 0 65534 keyring _uid_ses.0: 1\n")
        .says("secure boot", State::Warn, "only signed modules", "mokutil --import");
    let without_uefi = enforced("no-uefi", signer, others).without("sys/firmware");
    without_uefi.says(
        "secure boot",
        State::Fail,
        "lacks the key",
        "boot without module.sig_enforce=1",
    );
    let mut machine = Machine::at(&unknown.0, "0.1.0");
    machine.architecture = "x86_64".into();
    let (found, remedy) = doctor::refusal(&machine).unwrap();
    assert!(
        found.starts_with("secure boot off, but module.sig_enforce=1: ")
            && remedy.contains("mokutil"),
        "{found} {remedy}"
    );
    let well = Machine::at(&enforced("well-signed", signer, &with_ours).0, "0.1.0");
    assert_eq!(doctor::refusal(&well), None);
}

#[test]
fn modules() {
    let made = Made::new("other").with("sys/module/dtrace/version", "0.0.9\n");
    made.says(
        "version",
        State::Fail,
        "the loaded module is of version 0.0.9, this command of 0.1.0",
        "modprobe -r dtrace",
    );
    let made = Made::new("versionless").without("sys/module/dtrace/version");
    made.says("version", State::Fail, "version unknown", "modprobe");
    let made = Made::new("unloaded").without("sys/module/dtrace");
    made.says("module", State::Fail, "not loaded; installed as updates/dkms", "modprobe dtrace");
    assert!(mismatch(&made.0, "0.1.0").is_none());
    let dep = format!("lib/modules/{RELEASE}/modules.dep");
    let made = made.with(&dep, "kernel/fs/a.ko.xz:\n");
    made.says("module", State::Fail, "not installed", "apt install dtrace-rs-dkms");
    let made = made.with("var/lib/dkms/dtrace-rs/0.1.0/source/dkms.conf", "");
    made.says("module", State::Fail, "not built", "dkms autoinstall");
    let made = Made::new("insmod").with(&dep, "");
    made.says("module", State::Warn, "not installed", "install dtrace-rs-dkms");
}

#[test]
fn who_may() {
    let caps =
        |name, hex: &str| Made::new(name).with("proc/self/status", &format!("CapEff:\t{hex}\n"));
    caps("tracer", "000000c000000000").says("privileges", State::Ok, "without -w", "");
    caps("half", "0000004000000000").says("privileges", State::Fail, "none", "adduser USER dtrace");
    let made = Made::new("open");
    made.mode("dev/dtrace/dtrace", 0o666);
    made.says("device", State::Warn, "mode 0666", "udev");
    Made::new("node").without("dev/dtrace/dtrace").says(
        "device",
        State::Fail,
        "not there",
        "dmesg",
    );
    let made = Made::new("helper");
    made.mode("dev/dtrace/helper", 0o600);
    made.says("helper", State::Warn, "mode 0600", "0666");
}

#[test]
fn what_building_takes() {
    let tree = "var/lib/dtrace-rs";
    let dep = format!("lib/modules/{RELEASE}/modules.dep");
    let unbuilt = |name| Made::new(name).without("sys/module/dtrace").without(tree).with(&dep, "");
    let made = unbuilt("sourceless");
    made.says("rust metadata", State::Fail, "missing", "apt install linux-source-7.3");
    let made = made.with("usr/src/linux-source-7.3.tar.xz", "");
    made.says("rust metadata", State::Ok, "not there yet", "");
    let made = unbuilt("rustup");
    made.program("rustc", "rustc 1.99.0");
    made.says(
        "rustc",
        State::Fail,
        "'rustc 1.99.0', but the kernel was built by 'rustc 1.85.1",
        "of that version",
    );
    unbuilt("bare").without("usr/bin").says(
        "bindgen",
        State::Fail,
        "not installed",
        "apt install bindgen",
    );
    // If the module is installed, missing tools matter only for the next kernel.
    Made::new("built").without("usr/bin").says(
        "rustc",
        State::Warn,
        "to build the module again",
        "apt install rustc",
    );
    let made = Made::new("headless").without(&format!("lib/modules/{RELEASE}/build"));
    made.says(
        "headers",
        State::Warn,
        "not installed",
        &format!("apt install linux-headers-{RELEASE}"),
    );
}

#[test]
fn others_and_memory() {
    let made = Made::new("bpf").with(
        "sys/kernel/tracing/enabled_functions",
        "vfs_read (1) R\nours (1) kapi_entry_trampoline\n",
    );
    made.says("other tracers", State::Warn, "1 functions", "leaves out");
    let made = Made::new("huge").with("sys/devices/system/cpu/online", "0-1023\n");
    made.says("memory", State::Warn, "1024 CPUs take 8200 MB", "-b 512k");
}
