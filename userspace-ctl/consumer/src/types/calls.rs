// SPDX-License-Identifier: GPL-2.0
//! What system calls are passed, as the kernel's own sources declare it.
//!
//! The functions that serve calls take registers, and what they call with real types is mostly inlined
//! away, so the BTF does not tell. The kernel keeps the declarations for its own tracer: one file for
//! each call of 64-bit processes.
//!
//! A 32-bit process mostly passes the same, in 32 bits each. Where it does not, and where nothing is
//! declared, arguments are plain numbers.

use super::text::parse;
use super::{KernelTypes, Untyped};
use crate::error::reason;
use d::types::{Int, Type};
use d::world::{Arg, Signature};
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of a call whose declaration is not known.
const NARGS: u8 = 6;

/// Calls of 32-bit processes that are passed other things than the 64-bit call of the same name: a
/// structure with the arguments in it, another order, numbers of 64 bits in two halves.
const OTHERWISE: &[&str] = &[
    "clone",
    "fadvise64",
    "fallocate",
    "fanotify_mark",
    "mmap",
    "pread64",
    "pwrite64",
    "readahead",
    "select",
    "sync_file_range",
];

/// What the kernel declares, a text such as `const char *` for each argument.
#[derive(Debug)]
pub struct Calls {
    folder: PathBuf,
}

impl Calls {
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Of the call of a 64-bit process with this name.
    fn declared(&self, name: &str) -> Result<Vec<String>, Untyped> {
        let file = self.folder.join(format!("sys_enter_{}/format", abi::syscall::own_name(name)));
        let text = std::fs::read_to_string(&file)
            .map_err(|e| Untyped::File(file.display().to_string(), reason(&e)))?;
        Ok(fields(&text))
    }

    /// As C writes it, for `dtrace -lv`.
    pub fn spelled(&self, module: &str, name: &str, side: &str) -> Result<Vec<String>, Untyped> {
        match side {
            "return" => Ok(["long", "long", "int"].map(String::from).into()),
            _ if module == "ia32" && OTHERWISE.contains(&name) => Err(Untyped::Provider),
            _ => self.declared(name),
        }
    }

    /// What the probe passes. `Err`: the kernel declares no call at all here.
    pub fn signature(
        &self,
        types: &KernelTypes,
        [module, name, side]: [&str; 3],
    ) -> Result<Arc<Signature>, Untyped> {
        let spelled = self.spelled(module, name, side);
        let args = match spelled {
            Ok(spelled) => (0..)
                .zip(&spelled)
                .map(|(slot, text)| {
                    let ty = parse(types, text).unwrap_or(Type::Int(Int::INT64));
                    let ty = if module == "ia32" && side == "entry" { narrow(ty) } else { ty };
                    Arg::new(ty, Some(slot))
                })
                .collect(),
            Err(why) if !self.folder.is_dir() => return Err(why),
            Err(_) => {
                let number = |slot| Arg::new(Type::Int(Int::INT64), Some(slot));
                (0..NARGS).map(number).collect()
            }
        };
        Ok(Arc::new(Signature { args }))
    }
}

/// A number of 64 bits is one of 32 where a 32-bit process passes it.
fn narrow(ty: Type) -> Type {
    match ty {
        Type::Int(i) if i.size == 8 => {
            let name = if i.signed { "int" } else { "unsigned int" };
            Int::named(name).map_or(ty, Type::Int)
        }
        ty => ty,
    }
}

/// The types of the fields behind the call's number.
fn fields(format: &str) -> Vec<String> {
    let declarations = format.lines().filter_map(|line| {
        let (declaration, _) = line.trim().strip_prefix("field:")?.split_once(';')?;
        Some(declaration)
    });
    let own = declarations.skip_while(|d| !d.ends_with(" __syscall_nr")).skip(1);
    // What the tracer has copied besides.
    let own = own.filter(|d| !d.starts_with("__data_loc"));
    own.filter_map(|d| Some(d.rsplit_once(' ')?.0.replace("* *", "**"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_call() {
        let format = "name: sys_enter_openat\nID: 761\nformat:\n\
            \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
            \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
            \tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\
            \tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n\
            \tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n\
            \tfield:const void * * pages;\toffset:32;\tsize:8;\tsigned:0;\n\
            \tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\n\
            print fmt: \"field:x;\"\n";
        assert_eq!(fields(format), ["int", "const char *", "const void **"]);
        assert_eq!(fields(""), [""; 0]);
    }
}
