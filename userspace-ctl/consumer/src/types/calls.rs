// SPDX-License-Identifier: GPL-2.0
//! The arguments of system calls, as the kernel's own sources declare them.
//!
//! The functions that serve calls take registers, and the functions with the real types are mostly
//! inlined, so BTF lacks these types. The kernel keeps the declarations for its own tracer: one
//! file for each call of 64-bit processes.
//!
//! A 32-bit process mostly passes the same arguments, in 32 bits each. Where it does not, and where
//! no declaration exists, arguments are plain numbers.

use super::text::parse;
use super::{KernelTypes, Untyped};
use crate::error::reason;
use d::types::{Int, Type};
use d::world::{Arg, Signature};
use std::path::PathBuf;
use std::sync::Arc;

/// The number of arguments of a call without a known declaration.
const NARGS: u8 = 6;

/// Calls whose arguments in 32-bit processes differ from those of the 64-bit call of the same name:
/// a structure with the arguments, another order, or 64-bit numbers in two halves.
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

/// The kernel's declarations, with a text such as `const char *` for each argument.
#[derive(Debug)]
pub struct Calls {
    folder: PathBuf,
}

impl Calls {
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the declaration of the 64-bit call with this name.
    fn declared(&self, name: &str) -> Result<Vec<String>, Untyped> {
        let file = self.folder.join(format!("sys_enter_{}/format", abi::syscall::own_name(name)));
        let text = std::fs::read_to_string(&file)
            .map_err(|e| Untyped::File(file.display().to_string(), reason(&e)))?;
        Ok(fields(&text))
    }

    /// Returns the types in C's spelling, for `dtrace -lv`.
    pub fn spelled(&self, module: &str, name: &str, side: &str) -> Result<Vec<String>, Untyped> {
        match side {
            "return" => Ok(["long", "long", "int"].map(String::from).into()),
            _ if module == "ia32" && OTHERWISE.contains(&name) => Err(Untyped::Provider),
            _ => self.declared(name),
        }
    }

    /// Returns the arguments of a probe. `Err`: this kernel declares no calls at all.
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

/// Makes a 64-bit number a 32-bit one, as a 32-bit process passes it.
fn narrow(ty: Type) -> Type {
    match ty {
        Type::Int(i) if i.size == 8 => {
            let name = if i.signed { "int" } else { "unsigned int" };
            Int::named(name).map_or(ty, Type::Int)
        }
        ty => ty,
    }
}

/// Returns the types of the fields behind the call's number.
fn fields(format: &str) -> Vec<String> {
    let declarations = format.lines().filter_map(|line| {
        let (declaration, _) = line.trim().strip_prefix("field:")?.split_once(';')?;
        Some(declaration)
    });
    let own = declarations.skip_while(|d| !d.ends_with(" __syscall_nr")).skip(1);
    // Fields that the tracer adds are no arguments.
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
