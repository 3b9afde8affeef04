// SPDX-License-Identifier: GPL-2.0
//! Signatures: whether the kernel demands them, and whether it knows the key that signed the module.

use crate::module::Found;
use crate::{Check, Machine};

/// The public part of the key with which DKMS signs.
const DKMS_KEY: &str = "var/lib/dkms/mok.pub";

/// Returns the state of Secure Boot; `None` without UEFI.
fn secure_boot(machine: &Machine) -> Option<bool> {
    let variable = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    // The variable begins with four bytes of attributes.
    let value = std::fs::read(machine.path(variable)).ok().and_then(|b| b.get(4).copied());
    value.map(|v| v == 1)
}

pub(super) fn is_secure_boot(machine: &Machine) -> bool {
    secure_boot(machine) == Some(true)
}

/// What the kernel will make of the installed module's signature.
enum Signature {
    /// The kernel has the key of this name.
    Known(String),
    /// The kernel lacks the key of this name.
    Unknown(String),
    /// The module has no signature.
    None,
    /// No module, no modinfo, or no permission to list the kernel's keys.
    Untold,
}

impl Signature {
    fn of(machine: &Machine, module: &Found) -> Self {
        let signer = module.file.as_ref().and_then(|file| {
            machine.signer(&machine.path(format!("lib/modules/{}/{file}", machine.release())))
        });
        let keys = machine.text("proc/keys").unwrap_or_default();
        // The kernel's own key is always there, so no line means no permission to see any.
        let mut keys = keys.lines().filter(|l| l.contains(" asymmetri ")).peekable();
        match (signer, keys.peek().is_some()) {
            (Some(signer), _) if signer.is_empty() => Self::None,
            (Some(signer), true) if keys.any(|k| k.contains(&format!(" {signer}: "))) => {
                Self::Known(signer)
            }
            (Some(signer), true) => Self::Unknown(signer),
            _ => Self::Untold,
        }
    }
}

pub(super) fn check(machine: &Machine, module: &Found) -> Check {
    let subject = "secure boot";
    let is_on = is_secure_boot(machine);
    let enforced = machine.text("sys/module/module/parameters/sig_enforce").as_deref() == Some("Y");
    if !is_on && !enforced {
        let is_uefi = secure_boot(machine).is_some();
        return Check::ok(subject, if is_uefi { "off" } else { "off (no UEFI)" });
    }
    let found = match (is_on, enforced) {
        (true, true) => "on; only signed modules are loaded",
        (true, false) => "on",
        _ => "off, but module.sig_enforce=1: only signed modules are loaded",
    };
    if module.is_loaded {
        return Check::ok(subject, format!("{found}; the module was accepted"));
    }
    let has_key = machine.has(DKMS_KEY);
    let enrol = |key: &str| match machine.has("sys/firmware/efi") {
        true => format!(
            "mokutil --import {key} asks for a password; reboot, choose `Enroll MOK`, and enter it"
        ),
        false => "boot without module.sig_enforce=1: without UEFI, no key can be enrolled".into(),
    };
    match Signature::of(machine, module) {
        Signature::Known(key) => {
            Check::ok(subject, format!("{found}; the kernel has the module's key, '{key}'"))
        }
        Signature::Unknown(key) => Check::fail(
            subject,
            format!("{found}; the kernel lacks the key '{key}', which signed the module"),
            match has_key {
                true => enrol(&format!("/{DKMS_KEY}")),
                false => enrol("CERTIFICATE.der"),
            },
        ),
        Signature::None => Check::fail(
            subject,
            format!("{found}; the installed module has no signature"),
            match has_key {
                true => format!(
                    "sign it with the key of DKMS: dkms build --force dtrace-rs/{0} -k {1} && dkms install --force dtrace-rs/{0} -k {1}",
                    machine.command,
                    machine.release()
                ),
                false => "install dtrace-rs-dkms, which signs it, or build the package with `make module-deb SIGN_KEY= SIGN_CERT=`".into(),
            },
        ),
        Signature::Untold if has_key => Check::warn(
            subject,
            found,
            format!("DKMS signs with its own key, which must be enrolled once: {}", enrol(&format!("/{DKMS_KEY}"))),
        ),
        Signature::Untold => Check::warn(
            subject,
            found,
            "the module must be signed: DKMS makes a key when it first builds, see docs/install.md",
        ),
    }
}
