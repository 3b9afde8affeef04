// SPDX-License-Identifier: GPL-2.0
//! A kernel of a hundred lines: it takes the DOF that the compiler wrote, reads it with the
//! module's reader, checks it with the module's verifier, and runs every clause in the module's
//! interpreter.
#![allow(dead_code, reason = "each test uses its part")]

pub mod types;

use std::collections::HashMap;
use std::convert::Infallible;

use abi::action::ActionKind;
use abi::dif::Builtin;
use d::library::{Libraries, Library};
use d::world::Fixture;
use d::{Compiled, Matches, Options, Probe, ProbePattern, Source, SpecKind, TypeSpace, World};
use dif::asm::Object;
use dif::{addr, Clause, Env, Key, Raised, Scope, Space, Var};

/// Pseudo-random numbers, repeatable from the seed.
pub struct Rng(pub u64);
impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// The contents of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    /// A value, extended by its sign from its size.
    Int(i64),
    Str(String),
    Bytes(Vec<u8>),
    /// An aggregating action: kind, key, value.
    Agg(ActionKind, Vec<Datum>, i64),
    /// A fault ended the clause.
    Fault(abi::fault::FaultKind),
}

/// A variable and, for an associative array, the keys.
type Place = (Scope, u16, Vec<Result<u64, Vec<u8>>>);

fn place(v: &Var, keys: &[Key<'_>]) -> Place {
    let own = |key: &Key<'_>| match key {
        Key::Value(v) => Ok(*v),
        Key::Bytes(bytes) => Err(bytes.to_vec()),
    };
    (v.scope, v.id, keys.iter().map(own).collect())
}

#[derive(Debug, Default)]
pub struct Host {
    pub builtins: HashMap<u16, u64>,
    pub strings: HashMap<u16, String>,
    pub args: Vec<u64>,
    /// Address to bytes: kernel and user memory alike.
    pub memory: Vec<(u64, Vec<u8>)>,
    values: HashMap<Place, u64>,
    /// Variables by reference are stored one after the other in region 0x10.
    slots: HashMap<Place, u64>,
    region: Vec<u8>,
    texts: HashMap<u16, u64>,
    pub copied_out: Vec<(u64, Vec<u8>)>,
}

const REGION: u8 = addr::ENV_FIRST;

impl Host {
    pub fn new() -> Self {
        let mut h = Host::default();
        let b = &mut h.builtins;
        b.insert(Builtin::Pid.id(), 42);
        b.insert(Builtin::Tid.id(), 43);
        b.insert(Builtin::Ppid.id(), 1);
        b.insert(Builtin::Uid.id(), 1000);
        b.insert(Builtin::Timestamp.id(), 1_000_000_007);
        for (i, b) in (0..10u64).zip(Builtin::Arg0.id()..) {
            h.builtins.insert(b, 100 + i);
        }
        h.args = (0..10).map(|i| 100 + i).collect();
        let s = &mut h.strings;
        for (b, t) in [
            (Builtin::Execname, "date"),
            (Builtin::Probeprov, "dtrace"),
            (Builtin::Probename, "BEGIN"),
        ] {
            s.insert(b.id(), t.into());
        }
        h.memory = types::memory();
        h.memory.push((0x1000, b"hello\0\x80\xff\xfe\xff\xff\xff\xff\xff\xff\xff".to_vec()));
        h
    }

    /// Makes a host for a firing with the arguments of the fixture's functions.
    pub fn typed() -> Self {
        let mut host = Host { args: types::ARGS.to_vec(), ..Self::new() };
        host.builtins.extend((Builtin::Arg0.id()..).zip(types::ARGS));
        host
    }

    fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = self.region.len() as u64;
        self.region.extend_from_slice(bytes);
        addr::make(REGION, at)
    }
}

impl Host {
    fn slot(&mut self, v: &Var, keys: &[Key<'_>]) -> u64 {
        let key = place(v, keys);
        if let Some(at) = self.slots.get(&key) {
            return *at;
        }
        let at = self.put(&vec![0; v.ty.size as usize]);
        self.slots.insert(key, at);
        at
    }
}

impl Env for Host {
    fn builtin(&mut self, b: Builtin, index: u64) -> Result<u64, Raised> {
        if b == Builtin::Args {
            return Ok(self.args.get(index as usize).copied().unwrap_or(0));
        }
        if let Some(at) = self.texts.get(&b.id()) {
            return Ok(*at);
        }
        if let Some(text) = self.strings.get(&b.id()) {
            let bytes = format!("{text}\0").into_bytes();
            let at = self.put(&bytes);
            self.texts.insert(b.id(), at);
            return Ok(at);
        }
        Ok(self.builtins.get(&b.id()).copied().unwrap_or(0))
    }
    fn load_var(&mut self, v: &Var) -> Result<u64, Raised> {
        if v.ty.is_by_ref() && !v.ty.is_string() {
            return Ok(self.slot(v, &[]));
        }
        self.load_tuple(v, &[])
    }
    fn store_var(&mut self, v: &Var, value: u64) -> Result<(), Raised> {
        self.store_tuple(v, &[], value)
    }
    fn ref_var_for_store(&mut self, v: &Var) -> Result<Option<u64>, Raised> {
        Ok(Some(self.slot(v, &[])))
    }
    fn load_tuple(&mut self, v: &Var, keys: &[Key<'_>]) -> Result<u64, Raised> {
        let from = if v.ty.is_by_ref() { &self.slots } else { &self.values };
        Ok(from.get(&place(v, keys)).copied().unwrap_or(0))
    }
    fn store_tuple(&mut self, v: &Var, keys: &[Key<'_>], value: u64) -> Result<(), Raised> {
        let key = place(v, keys);
        if v.ty.is_by_ref() {
            self.slots.remove(&key);
        } else {
            self.values.insert(key, value);
        }
        Ok(())
    }
    fn store_ref(&mut self, v: &Var, keys: &[Key<'_>], bytes: &[u8]) -> Result<(), Raised> {
        let at = self.slot(v, keys);
        let mut all = bytes.to_vec();
        all.resize(v.ty.size as usize, 0);
        self.store(at, &all)
    }
    fn load(&mut self, _: Space, at: u64, into: &mut [u8]) -> Result<(), Raised> {
        let (start, bytes) = match addr::split(at) {
            Some((REGION, offset)) => (at - offset, &self.region),
            _ => match self.memory.iter().find(|(a, b)| (*a..a + b.len() as u64).contains(&at)) {
                Some((a, b)) => (*a, b),
                None => return Err(Raised::bad_addr(at)),
            },
        };
        let from = (at - start) as usize;
        let bytes = bytes.get(from..from + into.len()).ok_or(Raised::bad_addr(at))?;
        into.copy_from_slice(bytes);
        Ok(())
    }
    fn store(&mut self, at: u64, bytes: &[u8]) -> Result<(), Raised> {
        let Some((REGION, offset)) = addr::split(at) else { return Err(Raised::bad_addr(at)) };
        let from = offset as usize;
        let into = self.region.get_mut(from..from + bytes.len()).ok_or(Raised::bad_addr(at))?;
        into.copy_from_slice(bytes);
        Ok(())
    }
    fn copyout(&mut self, at: u64, bytes: &[u8]) -> Result<(), Raised> {
        self.copied_out.push((at, bytes.to_vec()));
        Ok(())
    }
    fn random(&mut self) -> u64 {
        4
    }
}

/// Copies an object out of the DOF.
fn owned(o: &dof::Difo<'_>) -> Object {
    Object {
        text: o.text().collect(),
        inttab: o.ints().collect(),
        strtab: o.strings.to_vec(),
        vars: o.vars().collect(),
        rtype: o.rtype,
    }
}

pub const STRSIZE: usize = 256;

/// Runs one object; returns the whole value, and the datum as recorded.
fn run(
    object: Object,
    clause: &mut Clause<'_>,
    host: &mut Host,
) -> Result<(u64, Datum), dif::Fault> {
    let rules = dif::Rules { allow_destructive: true, ..dif::Rules::DEFAULT };
    let mut errors = Vec::new();
    let verified = dif::verify(object, &rules, &mut |e| errors.push(e.to_string()));
    let verified = verified.unwrap_or_else(|| panic!("{errors:?}"));
    let Ok(verified) = dif::Program::new(verified, |all| Ok::<Vec<_>, Infallible>(all.collect()));
    let value = dif::run(&verified, clause, host)?;
    let ty = dif::Difo::rtype(&**verified);
    let datum = if ty.is_string() {
        let mut text = vec![0; ty.size as usize];
        let n = dif::fetch_str(&verified, clause, host, value, &mut text)?;
        Datum::Str(String::from_utf8_lossy(&text[..n]).into())
    } else if ty.is_by_ref() {
        let mut bytes = vec![0; ty.size as usize];
        dif::fetch_bytes(&verified, clause, host, value, &mut bytes)?;
        Datum::Bytes(bytes)
    } else {
        Datum::Int(match ty.size {
            1 => i64::from(value as i8),
            2 => i64::from(value as i16),
            4 => i64::from(value as i32),
            _ => value as i64,
        })
    };
    Ok((value, datum))
}

/// Fires every clause of the enabling once, in order.
pub fn fire(dof: &[u8], host: &mut Host) -> Vec<Datum> {
    let dof = dof::Dof::check(dof).unwrap_or_else(|e| panic!("{e:?}"));
    let mut out = Vec::new();
    // `this->` variables and scratch belong to one firing of one probe; here all clauses share
    // them.
    let (mut scratch, mut kept) = (vec![0; 32 << 10], 0);
    for s in dof.statements() {
        let s = s.unwrap_or_else(|e| panic!("{e:?}"));
        let mut clause = Clause::within(&mut scratch, STRSIZE, &mut kept);
        if let Err(fault) = statement(&s, &mut clause, host, &mut out) {
            out.push(Datum::Fault(fault.kind));
        }
    }
    out
}

fn statement(
    s: &dof::Statement<'_>,
    clause: &mut Clause<'_>,
    host: &mut Host,
    out: &mut Vec<Datum>,
) -> Result<(), dif::Fault> {
    if let Some(p) = &s.predicate {
        if run(owned(p), clause, host)?.0 == 0 {
            return Ok(());
        }
    }
    let mut data = Vec::new();
    for a in s.actions.iter() {
        let a = a.unwrap_or_else(|e| panic!("{e:?}"));
        let ran = match &a.difo {
            Some(o) => Some((run(owned(o), clause, host)?, o.rtype)),
            None => None,
        };
        if a.kind.is_aggregating() {
            let at = data.len() - a.ntuple as usize;
            // A weight has no size and is not part of the key.
            let key = data.split_off(at).into_iter().flatten().collect();
            data.push(Some(Datum::Agg(a.kind, key, ran.map_or(0, |((v, _), _)| v as i64))));
        } else {
            // A stack has no object, but it may be a key.
            data.push(ran.and_then(|((_, datum), ty)| (ty.size != 0).then_some(datum)));
        }
    }
    out.extend(data.into_iter().flatten());
    Ok(())
}

/// Some probes, with the types of [`types`].
pub struct TestWorld(pub Fixture);

impl World for TestWorld {
    fn matches(&self, pattern: &ProbePattern) -> Matches {
        self.0.matches(pattern)
    }
    fn why(&self, pattern: &ProbePattern) -> Option<d::world::Why> {
        let verdict = Some((types::of_process(pattern.parts())?, "no".to_string()));
        Some(d::world::Why { verdict, ..d::world::Why::default() })
    }
    fn nearest(&self, pattern: &ProbePattern) -> Vec<String> {
        self.0.nearest(pattern)
    }
    fn providers(&self) -> Vec<String> {
        self.0.providers()
    }
    fn probes(&self, pattern: &ProbePattern) -> Vec<Probe> {
        self.0.probes(pattern)
    }
    fn probe_signature(&self, probe: &Probe) -> Option<std::sync::Arc<d::Signature>> {
        let [provider, _, function, name] = &probe.parts;
        (provider == "fbt").then(|| types::signature(function, name)).flatten()
    }
    fn find_type(&self, space: TypeSpace, name: &str) -> Option<d::types::Type> {
        types::find_type(space, name)
    }
    fn members(&self, of: d::types::StructId) -> Option<std::sync::Arc<[d::types::Member]>> {
        types::members(of)
    }
    fn enum_constants(&self, name: &str) -> Vec<(u64, d::types::Type)> {
        types::enum_constants(name)
    }
    fn symbol(&self, module: &str, name: &str) -> Option<d::world::Symbol> {
        types::symbol(module, name)
    }
    fn nearest_types(&self, space: TypeSpace, name: &str) -> Vec<String> {
        types::nearest_types(space, name)
    }
}

/// A library with each kind of declaration.
pub fn libraries() -> Libraries {
    let text = "/* A library. */
typedef struct shared { int twice; char letter; int broken; } shared_t;
translator shared_t < int N > {
\ttwice = 2 * N;
\tletter = FIRST_LETTER;
\tbroken = nothing;
};
enum letters { FIRST_LETTER = 'a', SECOND_LETTER };
inline shared_t *shared = xlate <shared_t *> (4);
provider libprov { probe go(int n) : (shared_t *s); probe stop(char *s) : (shared_t *s); };
";
    Libraries::new(vec![Library { name: "page.d".into(), text: text.into() }])
}

pub fn world() -> TestWorld {
    let mut w = Fixture::new(&[
        "hworld:open_module:open1:entry",
        "hworld:read_module:read1:entry",
        "fbt:vmlinux:vfs_read:entry",
        "fbt:vmlinux:vfs_write:entry",
        "fbt:vmlinux:vfs_read:return",
        "fbt:vmlinux:dput:entry",
        "fbt:vmlinux:do_exit:entry",
        "fbt:vmlinux:sync_all:entry",
        "fbt:vmlinux:by_value:entry",
        "fbt:vmlinux:nameless:entry",
        "libprov:::go",
        "libprov:::stop",
        "pid1234:a.out:main:entry",
    ]);
    // Only hworld's probes know the number of their arguments.
    for (parts, nargs) in &mut w.probes {
        if parts[0] == "hworld" {
            *nargs = Some(2);
        }
    }
    TestWorld(w)
}

pub fn compile(text: &str) -> (Source, Compiled) {
    let source = Source::spec(SpecKind::Name, text);
    let compiled = d::compile(&source, &world(), &Options::default());
    (source, compiled)
}

/// Returns the DOF of a program that must compile.
pub fn dof_of(text: &str) -> Vec<u8> {
    let (source, compiled) = compile(text);
    let complaints: Vec<String> =
        compiled.diagnostics.iter().map(|d| d::diag::render::render(d, &source, true)).collect();
    let program = compiled.program.unwrap_or_else(|| panic!("{text}\n{}", complaints.join("\n")));
    d::dof::write(&program, &[])
}

/// Returns the data of a program that must compile.
pub fn data(text: &str) -> Vec<Datum> {
    fire(&dof_of(text), &mut Host::new())
}

/// Returns the complaints about a program as `[tag] message`.
pub fn complaints(text: &str) -> Vec<String> {
    let (_, compiled) = compile(text);
    assert_eq!(compiled.program.is_none(), !compiled.diagnostics.is_empty());
    compiled.diagnostics.iter().map(|d| format!("[{}] {}", d.tag.name(), d.message)).collect()
}
