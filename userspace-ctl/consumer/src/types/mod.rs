// SPDX-License-Identifier: GPL-2.0
//! The types of the running kernel and of its modules, from the files of `/sys/kernel/btf`.
//!
//! A file is opened for the first question that needs it. A program without types reads none, a
//! question about `fbt::vfs_read:entry` reads the kernel's file, and one about a module's function
//! also reads the module's. The arguments of system calls come from [`calls`].

mod calls;
mod import;
mod text;
mod variables;

use crate::error::reason;
use crate::sys;
use abi::probe::ProbeDesc;
use btf::signature::{prototype, Missing};
use btf::{Btf, Id};
use calls::Calls;
use d::types::{Member, StructId, Type};
use d::world::{Arg, Signature, TypeSpace};
use import::Importer;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kernel proper: the name of its file, and of its probes' module.
pub const KERNEL: &str = "vmlinux";

/// The number of argument slots; the kernel side reads no more of a caller's stack.
const SLOTS: u32 = 32;

/// The reason why types are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untyped {
    /// A file cannot be read, or is damaged: path, reason.
    File(String, String),
    /// The file has no types for this function: path, reason.
    Function(String, Missing),
    /// A copy of a function that the compiler changed, perhaps with its arguments: `foo.isra.0`.
    Clone,
    /// The provider does not declare its arguments; only functions have declarations.
    Provider,
}

impl fmt::Display for Untyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untyped::File(path, why) => write!(f, "{path}: {why}"),
            Untyped::Function(path, why) => write!(f, "{path}: {why}"),
            Untyped::Clone => write!(f, "the compiler changed it, and perhaps its arguments"),
            Untyped::Provider => write!(f, "the provider does not declare its arguments"),
        }
    }
}

/// The kind of probe, which decides which part of a function's types it passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Entry,
    Return,
    /// A tracepoint, which passes the parameters after the first one; the first is the caller's.
    Tracepoint,
}

/// One file's types. Its place in the list is part of the numbers of its structs.
#[derive(Debug, Clone)]
struct Blob {
    module: String,
    types: Result<Arc<Btf>, Untyped>,
}

/// Returns the content of a file of types.
fn bytes(path: &Path) -> std::io::Result<Cow<'static, [u8]>> {
    match sys::map_sysfs(&File::open(path)?) {
        Ok(mapped) => Ok(mapped.into()),
        Err(_) => Ok(std::fs::read(path)?.into()),
    }
}

/// The types of a kernel.
#[derive(Debug)]
pub struct KernelTypes {
    folder: PathBuf,
    calls: Calls,
    /// The kernel's file first, then those of modules in order of opening; failures are remembered.
    blobs: RefCell<Vec<Blob>>,
    members: RefCell<HashMap<StructId, Arc<[Member]>>>,
    /// Types by their names, also names that do not exist.
    found: RefCell<HashMap<(TypeSpace, String), Option<Type>>>,
    constants: RefCell<HashMap<String, Vec<(u64, Type)>>>,
    signatures: RefCell<HashMap<(StructId, Side), Arc<Signature>>>,
    of_calls: RefCell<HashMap<[String; 3], Arc<Signature>>>,
}

impl Default for KernelTypes {
    fn default() -> Self {
        Self::at("/sys/kernel/btf")
    }
}

impl KernelTypes {
    /// Reads types from the files in this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            blobs: RefCell::default(),
            members: RefCell::default(),
            found: RefCell::default(),
            constants: RefCell::default(),
            signatures: RefCell::default(),
            of_calls: RefCell::default(),
            calls: Calls::at("/sys/kernel/tracing/events/syscalls".into()),
        }
    }

    /// Uses the declarations of system calls in this folder.
    pub fn with_calls(self, folder: impl Into<PathBuf>) -> Self {
        Self { calls: Calls::at(folder.into()), ..self }
    }

    fn path(&self, module: &str) -> String {
        self.folder.join(module).display().to_string()
    }

    /// Returns the place in the list and the types of a module.
    fn blob(&self, module: &str) -> (u32, Result<Arc<Btf>, Untyped>) {
        let known = self.blobs.borrow().iter().position(|b| b.module == module);
        let place = known.unwrap_or_else(|| {
            // The kernel's file is always the first in the list.
            let base = (module != KERNEL).then(|| self.blob(KERNEL).1);
            let types = self.open(module, base);
            let mut blobs = self.blobs.borrow_mut();
            blobs.push(Blob { module: module.into(), types });
            blobs.len() - 1
        });
        let types = self.blobs.borrow().get(place).map(|b| b.types.clone());
        (place as u32, types.unwrap_or(Err(Untyped::Provider)))
    }

    /// Returns the reason why the kernel's file has no types, if that is so.
    pub fn missing(&self) -> Option<String> {
        self.blob(KERNEL).1.err().map(|why| why.to_string())
    }

    fn open(
        &self,
        module: &str,
        base: Option<Result<Arc<Btf>, Untyped>>,
    ) -> Result<Arc<Btf>, Untyped> {
        let fail = |why: String| Untyped::File(self.path(module), why);
        if module.contains('/') || module.starts_with('.') {
            return Err(fail("no module has such a name".into()));
        }
        let base = base.transpose()?;
        let bytes = bytes(&self.folder.join(module)).map_err(|e| fail(reason(&e)))?;
        let read = match base {
            None => Btf::read(bytes),
            Some(base) => Btf::read_split(bytes, base),
        };
        read.map(Arc::new).map_err(|e| fail(e.to_string()))
    }

    /// Returns the kernel's types, then each module's, opened while the caller iterates.
    fn all(&self) -> impl Iterator<Item = (u32, Arc<Btf>)> + '_ {
        let modules = std::iter::once_with(|| {
            let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.filter_map(|e| e.file_name().into_string().ok()).collect();
            names.retain(|n| n != KERNEL);
            names.sort();
            names
        });
        let names = std::iter::once(KERNEL.to_string()).chain(modules.flatten());
        names.filter_map(|name| {
            let (place, types) = self.blob(&name);
            Some((place, types.ok()?))
        })
    }

    /// Returns a function's prototype.
    fn function(&self, module: &str, function: &str) -> Result<(Importer, Id), Untyped> {
        let module = if module.is_empty() { KERNEL } else { module };
        let (place, btf) = self.blob(module);
        let btf = btf?;
        let id = prototype(&btf, function).map_err(|why| match why {
            Missing::Unknown if function.contains('.') => Untyped::Clone,
            why => Untyped::Function(self.path(module), why),
        })?;
        Ok((Importer::new(place, btf), id))
    }

    /// Returns the arguments of a probe with these four parts.
    pub fn signature(&self, parts: [&str; 4]) -> Result<Arc<Signature>, Untyped> {
        if let ["syscall", call @ ..] = parts {
            return self.call(call);
        }
        let (from, id, side) = self.probe(parts)?;
        let key = (from.number(id), side);
        if let Some(known) = self.signatures.borrow().get(&key) {
            return Ok(known.clone());
        }
        let declared = self.declared(parts, &from, id)?;
        let own = usize::from(side == Side::Tracepoint);
        let args = match side {
            Side::Entry | Side::Tracepoint => {
                let arg = |p: &btf::Parameter| {
                    let ty = from.ty(p.of);
                    // A slot cannot hold a larger value.
                    let is_whole = ty.size(0).is_some_and(|size| size <= 8);
                    let slot = p.slot.and_then(|n| n.checked_sub(own as u32));
                    let slot = slot.filter(|&n| is_whole && n < SLOTS);
                    Arg::new(ty, slot.and_then(|n| u8::try_from(n).ok()))
                };
                declared.parameters.iter().skip(own).map(arg).collect()
            }
            Side::Return => {
                let offset = Arg::new(Type::Int(d::types::Int::INT64), Some(0));
                let value =
                    declared.returns.map(|r| Arg::new(from.ty(r.of), r.in_register.then_some(1)));
                [Some(offset), value].into_iter().flatten().collect()
            }
        };
        let signature = Arc::new(Signature { args });
        self.signatures.borrow_mut().insert(key, signature.clone());
        Ok(signature)
    }

    /// Returns the arguments of a probe of a system call.
    fn call(&self, parts: [&str; 3]) -> Result<Arc<Signature>, Untyped> {
        let key = parts.map(String::from);
        if let Some(known) = self.of_calls.borrow().get(&key) {
            return Ok(known.clone());
        }
        let signature = self.calls.signature(self, parts)?;
        self.of_calls.borrow_mut().insert(key, signature.clone());
        Ok(signature)
    }

    /// Returns the argument types in C's spelling, for `dtrace -lv`.
    pub fn spelled(&self, probe: &ProbeDesc) -> Result<Vec<String>, Untyped> {
        let parts = probe.parts().map(String::from_utf8_lossy);
        let parts = parts.each_ref().map(|p| &**p);
        if let ["syscall", module, name, side] = parts {
            return self.calls.spelled(module, name, side);
        }
        let (from, id, side) = self.probe(parts)?;
        let declared = self.declared(parts, &from, id)?;
        Ok(match side {
            Side::Entry => declared.parameters.iter().map(|p| from.spell(p.of)).collect(),
            Side::Tracepoint => {
                declared.parameters.iter().skip(1).map(|p| from.spell(p.of)).collect()
            }
            Side::Return => {
                let value = declared.returns.map(|r| from.spell(r.of));
                std::iter::once("int64_t".into()).chain(value).collect()
            }
        })
    }

    fn probe(&self, parts: [&str; 4]) -> Result<(Importer, Id, Side), Untyped> {
        let [provider, module, function, name] = parts;
        if ["sdt", ""] == [provider, function] {
            // The kernel has a stub function with the signature of each tracepoint.
            let (from, id) = self.function(module, &format!("__probestub_{name}"))?;
            return Ok((from, id, Side::Tracepoint));
        }
        let side = match (provider, name) {
            ("fbt", "entry") => Side::Entry,
            ("fbt", "return") => Side::Return,
            _ => return Err(Untyped::Provider),
        };
        let (from, id) = self.function(module, function)?;
        Ok((from, id, side))
    }

    fn declared(
        &self,
        parts: [&str; 4],
        from: &Importer,
        id: Id,
    ) -> Result<btf::Signature, Untyped> {
        let damaged = || Untyped::Function(self.path(parts[1]), Missing::Damaged);
        from.signature(id).ok_or_else(damaged)
    }

    /// Returns the type of this name; for a struct its definition if there is one.
    pub fn find(&self, space: TypeSpace, name: &str) -> Option<Type> {
        let key = (space, name.to_string());
        if let Some(known) = self.found.borrow().get(&key) {
            return known.clone();
        }
        let found = self.look_for(space, name);
        self.found.borrow_mut().insert(key, found.clone());
        found
    }

    fn look_for(&self, space: TypeSpace, name: &str) -> Option<Type> {
        let mut declared = None;
        // The kernel comes first; from a module only the module's own types are new.
        for (place, btf) in self.all() {
            let found = btf.own_named(name).filter(|(_, ty)| import::is_in(ty, space));
            for (id, ty) in found {
                let found = Some(Importer::new(place, btf.clone()).ty(id));
                if !matches!(ty, btf::Type::Forward { .. }) {
                    return found;
                }
                declared = declared.or(found);
            }
        }
        declared
    }

    /// Returns the type of a kernel variable or function, and whether each CPU has its own copy.
    /// BTF has all functions but only the per-CPU variables; `variables` declares some others.
    pub fn symbol(&self, module: &str, name: &str) -> Option<(Type, bool)> {
        let from = |(place, btf): (u32, Arc<Btf>)| {
            let importer = Importer::new(place, btf.clone());
            btf.named(name).find_map(|(id, ty)| match ty {
                btf::Type::Variable { of, .. } => Some((importer.ty(of), btf.is_per_cpu(id))),
                btf::Type::Function { .. } => Some((importer.ty(id), false)),
                _ => None,
            })
        };
        let declared = || Some((variables::declared(name, self)?, false));
        let of = |module: &str| {
            let (place, btf) = self.blob(module);
            from((place, btf.ok()?))
        };
        match module {
            "" => of(KERNEL).or_else(declared).or_else(|| self.all().skip(1).find_map(from)),
            KERNEL => of(KERNEL).or_else(declared),
            module => of(module),
        }
    }

    /// Returns the members of a struct from these files.
    pub fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        if let Some(known) = self.members.borrow().get(&of) {
            return Some(known.clone());
        }
        let (importer, id) = self.importer(of)?;
        let members: Arc<[Member]> = importer.members(id)?.into();
        self.members.borrow_mut().insert(of, members.clone());
        Some(members)
    }

    /// Returns the values of an enum constant, each value once. The kernel's enums decide, or else
    /// those of the first module that has the name.
    pub fn constants(&self, name: &str) -> Vec<(u64, Type)> {
        if let Some(known) = self.constants.borrow().get(name) {
            return known.clone();
        }
        let found = self.look_for_constants(name);
        self.constants.borrow_mut().insert(name.into(), found.clone());
        found
    }

    fn look_for_constants(&self, name: &str) -> Vec<(u64, Type)> {
        for (place, btf) in self.all() {
            let mut values: Vec<(u64, Type)> = Vec::new();
            for (value, id) in btf.own_constants(name) {
                if values.iter().all(|known| known.0 != value) {
                    values.push((value, Importer::new(place, btf.clone()).ty(id)));
                }
            }
            if !values.is_empty() {
                return values;
            }
        }
        Vec::new()
    }

    /// Returns all constants of an enumeration from these files.
    pub fn enumerators(&self, of: StructId) -> Vec<(String, u64)> {
        match self.importer(of) {
            Some((importer, id)) => importer.enumerators(id),
            None => Vec::new(),
        }
    }

    /// Returns the importer that made a type, and the type's number there.
    fn importer(&self, of: StructId) -> Option<(Importer, Id)> {
        let (place, id) = import::place(of);
        let btf = self.blobs.borrow().get(place as usize)?.types.clone().ok()?;
        Some((Importer::new(place, btf), id))
    }

    /// Returns the kernel's type names that are similar to this one.
    pub fn nearest(&self, space: TypeSpace, name: &str) -> Vec<String> {
        let Ok(btf) = self.blob(KERNEL).1 else {
            return Vec::new();
        };
        let types = (1..btf.end()).filter_map(|id| btf.get(Id(id)));
        let names = types.filter(|ty| import::is_in(ty, space)).filter_map(|ty| ty.name());
        d::diag::nearest(name, names.map(String::from))
    }
}
