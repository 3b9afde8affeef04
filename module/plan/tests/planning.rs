// SPDX-License-Identifier: GPL-2.0
//! Enablings: the statements and clauses of a program, and the state after a refusal.

use abi::probe::glob;
use plan::enabling::Enabling;
use plan::matching::{Found, Matcher};
use plan::probe::{Draft, Offer, ProbeTable, Special};
use plan::shortcut::Counts;
use plan::Error;

fn dof(program: &str) -> Vec<u8> {
    let world = d::world::Fixture::new(&["t:m:f:n"]);
    let source = d::Source::script("test.d", program);
    let compiled = d::compile(&source, &world, &d::Options::default());
    let done = compiled.program.unwrap_or_else(|| panic!("{program}: {:?}", compiled.diagnostics));
    d::dof::write(&done, &[])
}

fn plan(program: &str) -> mem::KBox<Enabling> {
    let mut enabling = Enabling::new().unwrap();
    enabling.add(&dof(program), || Ok(()), &mut || Ok(())).unwrap();
    enabling
}

/// The shortcuts that some clauses have.
#[test]
fn simple_clauses_have_shortcuts() {
    let cases = [
        ("t:m:f:n { @ = count(); }", "lean counts"),
        ("t:m:f:n { @[probefunc] = count(); }", "lean counts"),
        ("t:m:f:n /pid == 12/ { @ = count(); }", "gate lean counts"),
        ("t:m:f:n /arg0 == 12/ { @ = count(); }", "lean"),
        ("t:m:f:n { @[execname] = count(); }", "lean"),
        ("t:m:f:n { @ = sum(arg0); }", "lean"),
        ("t:m:f:n { trace(arg0); }", "lean"),
        ("t:m:f:n { self->t = timestamp; }", "lean"),
        ("t:m:f:n { printf(\"%s %d\", execname, arg1); }", "lean"),
        ("t:m:f:n /pid == 12/ { trace(stringof(arg0)); }", "gate"),
        ("t:m:f:n { @[arg0] = count(); trace(arg0); }", ""),
        ("t:m:f:n { stack(); }", ""),
        ("t:m:f:n { x = 1; }", ""),
        ("t:m:f:n { exit(0); }", ""),
    ];
    for (program, wanted) in cases {
        let enabling = plan(program);
        let shortcut = &enabling.statements[0].clause.shortcut;
        let found = [
            (shortcut.gate.is_some(), "gate"),
            (shortcut.lean.is_some(), "lean"),
            (shortcut.counts != Counts::No, "counts"),
        ];
        let found: Vec<&str> = found.iter().filter(|f| f.0).map(|f| f.1).collect();
        assert_eq!(found.join(" "), wanted, "{program}");
    }
}

/// The counts of everything that an enabling has.
fn size(e: &Enabling) -> [usize; 6] {
    let vars = &e.vars;
    let words = vars.global.words() + vars.thread.words() + vars.local.words();
    let by_ref = vars.largest();
    [e.statements.len(), e.formats.len(), e.aggs.len(), words, by_ref, e.key_words]
}

#[test]
fn without_memory_an_enabling_stays_as_it_was() {
    // One compiler, so that the variables have different ids.
    let mut compiler = d::Compiler::new(d::Options::default());
    let mut dof = |program: &str| {
        let world = d::world::Fixture::new(&["t:m:f:n"]);
        let compiled = compiler.compile(&d::Source::script("test.d", program), &world);
        d::dof::write(&compiled.program.unwrap(), &[])
    };
    let first = dof("BEGIN { g = 1; printf(\"one\\n\"); @a = count(); }");
    let second = dof(concat!(
        "BEGIN { s = \"text\"; self->x = 2; } ",
        "t:m:f:n /self->x/ { printf(\"%s\", execname); ",
        "@b[probefunc, arg0] = quantize(arg1); trace(s); }",
    ));
    let mut enabling = Enabling::new().unwrap();
    enabling.add(&first, || Ok(()), &mut || Ok(())).unwrap();
    let before = size(&enabling);
    let mut refusals = 0;
    for n in 0.. {
        mem::fail_after(Some(n));
        let added = enabling.add(&second, || Ok(()), &mut || Ok(()));
        mem::fail_after(None);
        match added {
            Ok(at) => {
                assert_eq!(at, 1);
                break;
            }
            Err(Error::Memory) => {}
            Err(e) => panic!("request {n}: {e}"),
        }
        refusals += 1;
        assert_eq!(size(&enabling), before, "request {n}");
    }
    assert!(refusals > 30, "only {refusals} requests");
    assert!(size(&enabling)[0] > before[0]);
}

#[test]
fn destructive_programs_need_leave() {
    let text = "#pragma D option destructive\nt:m:f:n { stop(); }";
    let mut enabling = Enabling::new().unwrap();
    let refused = enabling.add(&dof(text), || Err(Error::MayNotDestroy), &mut || Ok(()));
    assert!(matches!(refused, Err(Error::MayNotDestroy)));
    assert!(enabling.statements.is_empty() && !enabling.is_destructive());
    enabling.add(&dof(text), || Ok(()), &mut || Ok(())).unwrap();
    assert!(enabling.is_destructive());
    // Another program's option does not hide these actions from the check when tracing starts.
    let harmless = dof("#pragma D option destructive=0\nt:m:f:n { trace(1); }");
    enabling.add(&harmless, || Err(Error::MayNotDestroy), &mut || Ok(())).unwrap();
    assert!(enabling.is_destructive());
    // The caller is not asked for other programs.
    let mut other = Enabling::new().unwrap();
    let harmless = dof("t:m:f:n { trace(1); }");
    other.add(&harmless, || Err(Error::MayNotDestroy), &mut || Ok(())).unwrap();
}

#[test]
fn a_caller_that_gives_up_leaves_an_enabling_as_it_was() {
    let mut enabling = plan("t:m:f:n { g = 1; printf(\"one\\n\"); }");
    let before = size(&enabling);
    let mut left = 2;
    let mut go_on = || match left {
        0 => Err(Error::NoSuch("caller")),
        _ => {
            left -= 1;
            Ok(())
        }
    };
    let text = "t:m:f:n { @a = count(); } t:m:f:n { printf(\"two\"); } t:m:f:n { @c = count(); }";
    let added = enabling.add(&dof(text), || Ok(()), &mut go_on);
    assert!(matches!(added, Err(Error::NoSuch("caller"))));
    assert_eq!(size(&enabling), before);
    // The same when it gives up later.
    let mark = enabling.mark().unwrap();
    enabling.add(&dof(text), || Ok(()), &mut || Ok(())).unwrap();
    assert_ne!(size(&enabling), before);
    enabling.back_to(mark);
    assert_eq!(size(&enabling), before);
}

#[test]
fn a_format_of_megabytes_is_refused() {
    let program = |n| dof(&format!("t:m:f:n {{ printf(\"{}\"); }}", "x".repeat(n)));
    let add = |n| Enabling::new().unwrap().add(&program(n), || Ok(()), &mut || Ok(()));
    assert!(add(1 << 16).is_ok());
    let refused = add((1 << 16) + 1).unwrap_err().to_string();
    assert!(refused.contains("65536 bytes"), "{refused}");
}

/// Returns a table and the names of its probes, by position; some are retired.
fn table(functions: usize) -> (ProbeTable<()>, Vec<Option<[String; 4]>>) {
    let mut table = ProbeTable::new(10_000);
    let mut names = Vec::new();
    for (provider, module, kinds) in
        [("fbt", "vmlinux", 2), ("fbt", "ext4", 2), ("syscall", "", 1), ("wide", "m", 9)]
    {
        let mut draft =
            Draft::new(3, [provider.as_bytes(), module.as_bytes()], functions, 0).unwrap();
        for n in 0..functions {
            // Some functions share a name, also neighbours.
            let function = format!("f{}_{}", n % 7, n / 3);
            for kind in 0..kinds {
                let name = ["entry", "return", "a", "b", "c", "d", "e", "f", "g"][kind];
                let how = abi::probe::Techniques::empty();
                let (function, name) = (function.as_bytes(), name.as_bytes());
                draft.add(&Offer { function, name, nargs: 0, cookie: 0, how }).unwrap();
                let parts = [provider.as_bytes(), module.as_bytes(), function, name];
                names.push(Some(parts.map(|p| String::from_utf8(p.into()).unwrap())));
            }
        }
        table.add(&draft, None, |_| None).unwrap();
    }
    for at in (0..names.len()).step_by(11) {
        table.remove(abi::ids::ProbeId::from_index(at)).unwrap();
        names[at] = None;
    }
    (table, names)
}

#[test]
fn matching_finds_what_a_plain_search_finds() {
    let patterns = [
        ["", "", "", ""],
        ["fbt", "", "", ""],
        ["fbt", "vmlinux", "f3_5", "entry"],
        ["", "", "f3_5", ""],
        ["*", "e*", "f?_1*", "return"],
        ["sys*", "", "", "entry"],
        ["wide", "m", "f1_*", "g"],
        ["", "", "", "nothing"],
        ["", "", "no_function", ""],
    ];
    // With and without an index.
    for functions in [10, 200] {
        let (table, names) = table(functions);
        let mut all = 0;
        for pattern in patterns {
            let matcher = Matcher::new(abi::ids::ProbeId::NONE, pattern.map(str::as_bytes));
            let mut found = Vec::new();
            table_find(&matcher, &table, &mut found);
            let is_wanted = |parts: &[String; 4]| {
                let same =
                    |(p, t): (&&str, &String)| p.is_empty() || glob(p.as_bytes(), t.as_bytes());
                pattern.iter().zip(parts).all(same)
            };
            let at = |(at, parts): (usize, &Option<[String; 4]>)| {
                parts.as_ref().filter(|p| is_wanted(p)).map(|_| at)
            };
            let wanted: Vec<usize> = names.iter().enumerate().filter_map(at).collect();
            assert_eq!(found, wanted, "{pattern:?} of {functions}");
            all += found.len();
        }
        assert!(all > functions);
    }
}

/// Finds probes in pieces of three, as the ioctl does, by searches of a hundred comparisons.
fn table_find(matcher: &Matcher<'_>, table: &ProbeTable<()>, found: &mut Vec<usize>) {
    let mut from = 0;
    loop {
        let before = found.len();
        let (Found::All(end) | Found::Some(end)) = matcher
            .find(table, from, 100, |probe| {
                if found.len() - before == 3 {
                    return Ok(false);
                }
                found.push(probe.id().index().unwrap());
                Ok(true)
            })
            .unwrap();
        if end >= table.end() {
            return;
        }
        assert!(end > from);
        from = end;
    }
}

#[test]
fn ids_are_used_again_where_nobody_knows_them() {
    let mut table = ProbeTable::<()>::new(8);
    let group = |n: usize| {
        let mut draft = Draft::new(0, [b"p", b"m"], n, 0).unwrap();
        for n in 0..n {
            let name = [b'a' + n as u8];
            let how = abi::probe::Techniques::empty();
            draft.add(&Offer { function: b"f", name: &name, nargs: 0, cookie: 0, how }).unwrap();
        }
        draft
    };
    let free = |_| None;
    assert_eq!(table.add(&group(3), None, free).unwrap(), 0);
    assert_eq!(table.add(&group(3), None, free).unwrap(), 3);
    // Only two places are left, at the end.
    assert!(matches!(table.add(&group(3), None, free), Err(Error::TooMany(_))));
    let (old, serial) = (table.remove_segment(0).unwrap(), table.serial());
    // A consumer still knows the probe at 1, so only position 2 is free there, which is too little.
    let known = |ids: std::ops::Range<usize>| ids.contains(&1).then_some(1);
    assert!(matches!(table.add(&group(3), None, known), Err(Error::TooMany(_))));
    assert_eq!(table.add(&group(2), None, known).unwrap(), 6);
    assert_eq!(table.add(&group(3), None, free).unwrap(), 0);
    // The serial number tells the old probe at a position from the new one.
    let new = table.get(abi::ids::ProbeId::from_index(1)).unwrap();
    let is_old = |p: &plan::probe::Probe<()>| p.serial() < serial;
    assert!(old.iter().all(|p| is_old(p)) && !is_old(new));
}

#[test]
fn special_probes_are_matched_by_name_only() {
    for (parts, wanted) in [
        (["dtrace", "", "", "BEGIN"], true),
        (["", "", "", "BEGIN"], true),
        (["dtrace", "", "", ""], true),
        (["", "", "", ""], false),
        (["dtrace", "", "f", "BEGIN"], false),
        (["fbt", "", "", "BEGIN"], false),
    ] {
        let matcher = Matcher::new(abi::ids::ProbeId::NONE, parts.map(str::as_bytes));
        assert_eq!(matcher.matches_special(Special::Begin), wanted, "{parts:?}");
    }
}
