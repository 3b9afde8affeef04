// SPDX-License-Identifier: GPL-2.0
//! The file that `dtrace -A` writes for the module to find when it loads, and that `dtrace -a` gets
//! back from the module.
//!
//! Behind the DOF, where the kernel does not look, the file holds the source of the DOF. The
//! command that claims the tracing compiles the source again to learn what the records mean.

use crate::error::{reason, Error};
use abi::dof::Header;
use serde::{Deserialize, Serialize};
use std::path::Path;
use zerocopy::{FromBytes, IntoBytes};

/// The path where the module looks. An initramfs may also contain the file.
pub const FILE: &str = "/lib/firmware/dtrace/anonymous.dof";

/// The source of an enabling.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The command line.
    pub words: Vec<String>,
    /// The scripts: name and text.
    pub scripts: Vec<(String, String)>,
}

/// Returns the DOF with its origin appended.
pub fn pack(mut dof: Vec<u8>, origin: &Origin) -> Vec<u8> {
    let behind = serde_json::to_vec(origin).unwrap_or_default();
    let size = dof.len() + behind.len();
    if let Ok((head, _)) = Header::mut_from_prefix(&mut dof) {
        head.file_size = size as u64;
    }
    dof.extend(behind);
    dof
}

/// Separates a file into the original DOF and its origin.
pub fn unpack(bytes: &[u8]) -> Result<(Vec<u8>, Origin), Error> {
    let failed = |why: &str| Error::new("failed to read the anonymous enabling", why);
    let (mut head, _) =
        Header::read_from_prefix(bytes).map_err(|_| failed("it is shorter than a DOF"))?;
    let size = usize::try_from(head.load_size).unwrap_or(usize::MAX);
    let (dof, behind) =
        bytes.split_at_checked(size).ok_or_else(|| failed("it ends within its DOF"))?;
    let origin = serde_json::from_slice(behind)
        .map_err(|_| failed("`dtrace -A` did not write it: the text of the program is missing"))?;
    head.file_size = head.load_size;
    let rest = dof.get(head.as_bytes().len()..).unwrap_or_default();
    Ok(([head.as_bytes(), rest].concat(), origin))
}

/// Writes the file where the kernel looks for it, completely or not at all.
pub fn store(bytes: &[u8]) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::new(format!("failed to write {FILE}"), reason(&e));
    let new = format!("{FILE}.new");
    if let Some(folder) = Path::new(FILE).parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(&new, bytes).map_err(failed)?;
    std::fs::rename(&new, FILE).map_err(failed)
}

/// Removes the file; returns false if there was none.
pub fn remove() -> Result<bool, Error> {
    match std::fs::remove_file(FILE) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(Error::new(format!("failed to remove {FILE}"), reason(&e))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_dof_with_its_origin() {
        let dof = d::dof::write(&d::Program::default(), &[]);
        let origin = Origin {
            words: vec!["dtrace".into(), "-A".into()],
            scripts: vec![("x.d".into(), "BEGIN".into())],
        };
        let file = pack(dof.clone(), &origin);
        assert!(dof::Dof::check(&file).is_ok());
        assert_eq!(unpack(&file).unwrap(), (dof.clone(), origin));
        assert!(unpack(&dof).is_err() && unpack(&file[..10]).is_err());
    }
}
