// SPDX-License-Identifier: GPL-2.0
//! `args[]` of thousands of probes at once: equal codes are merged, the number of different codes
//! is limited, and ids name the probes of each code.

use std::sync::Arc;

use d::types::{Int, Struct, StructId, StructKind, Type};
use d::{Arg, Compiled, Matches, Options, Probe, ProbePattern, Signature, Source, SpecKind, World};

/// This many functions, each with its own type for `args[0]`.
struct Many {
    count: u32,
    ty: fn(u32) -> Option<Type>,
}

impl World for Many {
    fn matches(&self, _: &ProbePattern) -> Matches {
        Matches { count: self.count as usize, nargs: None }
    }
    fn probes(&self, _: &ProbePattern) -> Vec<Probe> {
        let parts = |id| ["fbt", "m", &format!("f{id}"), "entry"].map(String::from);
        (1..=self.count).map(|id| Probe { id, parts: parts(id), nargs: None }).collect()
    }
    fn probe_signature(&self, probe: &Probe) -> Option<Arc<Signature>> {
        let args = (self.ty)(probe.id).map(|ty| Arg::new(ty, Some(0)));
        Some(Arc::new(Signature { args: args.into_iter().collect() }))
    }
}

fn pointer(id: u32) -> Option<Type> {
    let s = Struct {
        kind: StructKind::Struct,
        tag: format!("s{id}"),
        alias: String::new(),
        size: Some(id),
        id: StructId(u64::from(id)),
    };
    Some(Type::Struct(Arc::new(s)).pointer_to())
}

fn compile(world: &Many, text: &str) -> Compiled {
    let source = Source::spec(SpecKind::Name, text);
    d::compile(&source, world, &Options::default())
}

fn addresses(c: &Compiled) -> Vec<Vec<String>> {
    let program = c.program.as_ref().unwrap_or_else(|| panic!("{:?}", c.diagnostics));
    program.clauses.iter().map(|c| c.probes.iter().map(ToString::to_string).collect()).collect()
}

#[test]
fn equal_codes_are_one() {
    let world = Many { count: 3_000, ty: pointer };
    let c =
        compile(&world, "fbt:::entry /args[0] != NULL/ { trace(args[0]); @[args[0]] = count(); }");
    assert_eq!(addresses(&c), [["fbt:::entry"]]);
    assert!(c.notes.is_empty());
    // An `if` makes three clauses, whatever the number of types; the types share their variables.
    let c =
        compile(&world, "fbt:::entry { if (args[0] != NULL) { trace(1); } else { trace(2); } }");
    assert_eq!(addresses(&c), vec![["fbt:::entry"]; 3]);
}

#[test]
fn different_codes_go_to_their_probes() {
    // The code contains the size of the type pointed to.
    let world = Many { count: 3, ty: pointer };
    let c = compile(&world, "fbt:::entry { trace(args[0] + 1); } BEGIN { trace(2); }");
    assert_eq!(addresses(&c), [["1"], ["2"], ["3"], [":::BEGIN"]]);
    let program = c.program.unwrap();
    let numbers: Vec<u64> = program.clauses.iter().map(|c| c.uarg).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    let statements: Vec<u64> = program.statements.iter().map(|s| s.number).collect();
    assert_eq!(statements, [0, 1, 2, 3]);
    for (clause, statement) in program.clauses.iter().zip(&program.statements) {
        assert_eq!(clause.actions[0].uarg, statement.number);
    }
}

#[test]
fn who_lacks_it_is_left_out() {
    let world = Many { count: 10, ty: |id| if id % 5 == 0 { None } else { pointer(id) } };
    let c = compile(&world, "fbt:::entry { trace(args[0]); }");
    assert_eq!(addresses(&c), [["1", "2", "3", "4", "6", "7", "8", "9"]]);
    assert_eq!(c.notes.len(), 1);
    assert!(c.notes[0].message.contains("2 probes of fbt:::entry are left out"), "{:?}", c.notes);
}

#[test]
fn there_is_an_end() {
    let mixed = |id| if id % 2 == 0 { pointer(id) } else { Some(Type::Int(Int::LONG)) };
    for (count, fits) in [(24_000, true), (24_001, false)] {
        let c = compile(&Many { count, ty: mixed }, "fbt:::entry { trace(args[0]); }");
        match c.program {
            Some(program) if fits => {
                assert_eq!(program.clauses.len(), 2);
                assert!(dof::Dof::check(&d::dof::write(&program, &[])).is_ok());
            }
            None if !fits => assert_eq!(c.diagnostics[0].tag, d::Tag::ArgsMulti),
            _ => panic!("{count}: {:?}", c.diagnostics),
        }
    }
}

#[test]
fn the_probe_that_does_not_fit_is_named() {
    let mixed = |id| if id == 7 { Some(Type::Int(Int::LONG)) } else { pointer(id) };
    let c = compile(&Many { count: 9, ty: mixed }, "fbt:::entry { this->x = *args[0]; }");
    assert_eq!(c.diagnostics.len(), 1, "{:?}", c.diagnostics);
    // The second probe's type is the first that differs from the variable's.
    assert!(c.diagnostics[0].notes[0].contains("fbt:m:f2:entry"), "{:?}", c.diagnostics);
    let c = compile(&Many { count: 9, ty: mixed }, "fbt:::entry { trace(sizeof (*args[0])); }");
    assert!(c.diagnostics[0].notes[0].contains("fbt:m:f7:entry"), "{:?}", c.diagnostics);
}
