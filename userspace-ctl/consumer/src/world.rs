// SPDX-License-Identifier: GPL-2.0
//! Answers the compiler's questions with the kernel's help; [`AnyProbe`] answers for `-e` without a
//! device.

use crate::kernel::{pattern, Kernel};
use crate::symbol::Symbols;
use crate::types::{KernelTypes, KERNEL};
use crate::user::declared::ProgramDeclarations;
use crate::user::ProcessProbes;
use crate::why::{self, Machine};
use abi::probe::NARGS_UNKNOWN;
use abi::stability::ProviderAttributes;
use d::types::{Member, StructId, Type};
use d::world::{Declaration, Probe, Signature, Symbol, TypeSpace, Why};
use d::{Compiled, Compiler, Matches, ProbePattern, Source, World};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// A world that can make what a program needs before the compiler asks about it.
pub trait Prepare: World {
    /// Makes the probes that these descriptions mean in processes. A world without processes makes
    /// none.
    fn prepare(&mut self, descriptions: Vec<ProbePattern>) {
        let _ = descriptions;
    }
}

/// Compiles a program after making the probes that it means in processes.
pub fn compile<W: Prepare>(compiler: &mut Compiler, source: &Source, world: &mut W) -> Compiled {
    let read = compiler.read(source, world);
    world.prepare(read.descriptions());
    compiler.compile_read(read, world)
}

/// The probes and types of a kernel. Only [`Prepare::prepare`] changes anything in the kernel.
pub struct KernelWorld<'k> {
    kernel: RefCell<&'k mut dyn Kernel>,
    types: KernelTypes,
    machine: Machine,
    process_probes: ProcessProbes,
    declared: ProgramDeclarations,
}

impl<'k> KernelWorld<'k> {
    /// Makes a world that asks this kernel.
    pub fn new(kernel: &'k mut dyn Kernel) -> Self {
        Self::with_types(kernel, KernelTypes::default())
    }

    /// Makes a world with the types of another kernel than the running one.
    pub fn with_types(kernel: &'k mut dyn Kernel, types: KernelTypes) -> Self {
        let (kernel, machine) = (RefCell::new(kernel), Machine::here());
        Self {
            kernel,
            types,
            machine,
            process_probes: ProcessProbes::default(),
            declared: ProgramDeclarations::default(),
        }
    }

    /// Uses another machine for questions that the kernel cannot answer.
    pub fn with_machine(self, machine: Machine) -> Self {
        Self { machine, ..self }
    }

    /// Makes the probes of processes by these.
    pub fn with_process_probes(self, process_probes: ProcessProbes) -> Self {
        Self { process_probes, ..self }
    }

    /// Returns what the programs want of processes. Its messages include those about declarations.
    pub fn into_process_probes(mut self) -> ProcessProbes {
        self.process_probes.tell_too(self.declared.take_told());
        self.process_probes
    }
}

/// Returns a symbol's address, with its type if the kernel's types have it. `at` returns the
/// address of `name` or `module:name`.
fn symbol(
    types: &KernelTypes,
    module: &str,
    name: &str,
    at: impl Fn(&str) -> Option<u64>,
) -> Option<Symbol> {
    let address = match module {
        "" => at(name)?,
        KERNEL => at(name).filter(|a| at("_end").is_none_or(|end| *a < end))?,
        module => at(&format!("{module}:{name}"))?,
    };
    let (ty, is_per_cpu) = types.symbol(module, name).map_or((None, false), |(t, p)| (Some(t), p));
    // On older kernels the per-CPU area begins at 0, and `at` finds no start symbol.
    let is_template = || {
        let templates = at("__per_cpu_end").map(|end| at("__per_cpu_start").unwrap_or(0)..end);
        templates.is_some_and(|t| t.contains(&address))
    };
    Some(Symbol { address, ty, is_per_cpu: is_per_cpu || is_template() })
}

impl Prepare for KernelWorld<'_> {
    fn prepare(&mut self, descriptions: Vec<ProbePattern>) {
        self.process_probes.prepare(*self.kernel.get_mut(), descriptions);
    }
}

impl World for KernelWorld<'_> {
    fn called(&self, wanted: ProbePattern) -> ProbePattern {
        self.process_probes.called(wanted)
    }

    fn matches(&self, p: &ProbePattern) -> Matches {
        let count = pattern(p).and_then(|p| self.kernel.borrow_mut().count(&p).ok());
        count.map_or_else(Matches::default, |c| Matches {
            count: c.probes as usize,
            nargs: (c.nargs != NARGS_UNKNOWN).then_some(c.nargs),
        })
    }

    fn why(&self, wanted: &ProbePattern) -> Option<Why> {
        let of_process = self.process_probes.why(wanted);
        of_process.or_else(|| Some(why::why(*self.kernel.borrow_mut(), &self.machine, wanted)))
    }

    fn probes(&self, wanted: &ProbePattern) -> Vec<Probe> {
        let Some(pattern) = pattern(wanted) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        // A kernel that fails here counts as having no probes.
        let _ = self.kernel.borrow_mut().each_probe(&pattern, &mut |p| {
            let parts = p.parts.map(|part| String::from_utf8_lossy(part).into_owned());
            let nargs = (p.nargs != NARGS_UNKNOWN).then_some(p.nargs);
            found.push(Probe { id: p.id.0, parts, nargs });
            true
        });
        found
    }

    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        self.types.signature(probe.parts.each_ref().map(String::as_str)).ok()
    }

    fn declaration(&self, probe: &Probe) -> Option<Arc<Declaration>> {
        self.declared.declaration(probe.parts.each_ref().map(String::as_str))
    }

    fn promised(&self, provider: &str) -> Option<ProviderAttributes> {
        self.declared.promised(provider)
    }

    fn untyped(&self, probe: &Probe) -> Option<String> {
        let why = self.types.signature(probe.parts.each_ref().map(String::as_str)).err()?;
        Some(why.to_string())
    }

    fn no_types(&self) -> Option<String> {
        self.types.missing()
    }

    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        self.types.find(space, name)
    }

    fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        self.types.members(of)
    }

    fn enum_constants(&self, name: &str) -> Vec<(u64, Type)> {
        self.types.constants(name)
    }

    fn enumerators(&self, of: StructId) -> Vec<(String, u64)> {
        self.types.enumerators(of)
    }

    fn symbol(&self, module: &str, name: &str) -> Option<Symbol> {
        let at = |name: &str| self.kernel.borrow_mut().symbol(name).ok().flatten();
        symbol(&self.types, module, name, at)
    }

    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        self.types.nearest(space, name)
    }

    fn has_module(&self, name: &str) -> bool {
        // Matches the kernel proper, also by its names on other systems.
        matches!(name, KERNEL | "kernel" | "unix" | "genunix")
            || Path::new("/sys/module").join(name).is_dir()
    }
}

/// A world in which every description matches, to compile without a device (`-e`). By default it
/// still uses the types of the running kernel.
#[derive(Debug, Default)]
pub struct AnyProbe {
    types: KernelTypes,
    symbols: Symbols,
}

impl AnyProbe {
    /// Makes a world with the types of another kernel than the running one.
    pub fn with_types(types: KernelTypes) -> Self {
        Self { types, ..Self::default() }
    }
}

impl Prepare for AnyProbe {}

impl World for AnyProbe {
    fn matches(&self, _: &ProbePattern) -> Matches {
        Matches { count: 1, nargs: None }
    }

    fn probes(&self, wanted: &ProbePattern) -> Vec<Probe> {
        let parts = wanted.parts();
        if parts.iter().any(|p| abi::probe::is_glob(p.as_bytes())) {
            return Vec::new();
        }
        vec![Probe { id: 0, parts: parts.map(String::from), nargs: None }]
    }

    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        self.types.signature(probe.parts.each_ref().map(String::as_str)).ok()
    }

    fn untyped(&self, probe: &Probe) -> Option<String> {
        let why = self.types.signature(probe.parts.each_ref().map(String::as_str)).err()?;
        Some(why.to_string())
    }

    fn no_types(&self) -> Option<String> {
        self.types.missing()
    }

    fn find_type(&self, space: TypeSpace, name: &str) -> Option<Type> {
        self.types.find(space, name)
    }

    fn members(&self, of: StructId) -> Option<Arc<[Member]>> {
        self.types.members(of)
    }

    fn enum_constants(&self, name: &str) -> Vec<(u64, Type)> {
        self.types.constants(name)
    }

    fn enumerators(&self, of: StructId) -> Vec<(String, u64)> {
        self.types.enumerators(of)
    }

    fn symbol(&self, module: &str, name: &str) -> Option<Symbol> {
        symbol(&self.types, module, name, |name| self.symbols.address(name))
    }

    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        self.types.nearest(space, name)
    }
}
