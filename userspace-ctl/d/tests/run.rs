// SPDX-License-Identifier: GPL-2.0
//! Runs D text: through DOF, the module's reader, its verifier and its interpreter, to data.

mod common;

use abi::action::ActionKind;
use abi::fault::FaultKind;
use common::{compile, complaints, data, dof_of, fire, Datum, Host};

fn int(e: &str) -> i64 {
    match data(&format!("BEGIN {{ trace({e}); }}")).as_slice() {
        [Datum::Int(v)] => *v,
        other => panic!("{e}: {other:?}"),
    }
}

fn text(e: &str) -> String {
    match data(&format!("BEGIN {{ trace({e}); }}")).as_slice() {
        [Datum::Str(s)] => s.clone(),
        other => panic!("{e}: {other:?}"),
    }
}

#[test]
fn the_seeds_three_objects() {
    let (_, c) = compile("BEGIN{a=1;b=2;trace(a+b);}");
    let words: Vec<Vec<u32>> = c.program.unwrap().objects().map(|o| o.text.clone()).collect();
    assert_eq!(
        words,
        [
            vec![0x25000001, 0x2a050001, 0x23000001],
            vec![0x25000001, 0x2a050101, 0x23000001],
            vec![0x29050001, 0x29050102, 0x07010201, 0x23000001],
        ]
    );
    assert_eq!(data("BEGIN{a=1;b=2;trace(a+b);}"), [Datum::Int(3)]);
}

/// In a preprocessor's output, C that D cannot use is ignored inside system headers.
#[test]
fn headers_of_the_system() {
    const HEADER: &str = r#"
typedef struct opaque opaque_t;
typedef unsigned int pid_t;
extern int printf (const char *, ...);
extern char *optarg;
static inline int twice (int x) { if (x) { return x * 2; } return 0; }
struct { _Imaginary float z; } odd;
enum { FIRST = 7, SECOND };
struct pair { opaque_t *next; int a; char b [3]; };
__weird__ (1) junk;
"#;
    let program = |flag: &str, use_: &str| {
        format!("# 1 \"/usr/include/x.h\" 1 {flag}\n{HEADER}# 2 \"own.d\" 2\nBEGIN {{ trace({use_}); }}")
    };
    for (use_, want) in [("sizeof (struct pair)", 16), ("SECOND", 8), ("sizeof (opaque_t *)", 8)] {
        assert_eq!(data(&program("3 4", use_)), [Datum::Int(want)], "{use_}");
    }
    for wrong in ["optarg", "sizeof (odd)", "twice(1)"] {
        assert_eq!(complaints(&program("3 4", wrong)).len(), 1, "{wrong}");
    }
    assert!(complaints(&program("", "1")).len() > 4);
}

#[test]
fn integer_expressions() {
    for (e, want) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 / 3", 3),
        ("-10 / 3", -3),
        ("-10 % 3", -1),
        ("1 << 4 | 1", 17),
        ("~0", -1),
        ("!5", 0),
        ("!0", 1),
        ("5 ^ 3", 6),
        ("1 ^^ 1", 0),
        ("1 ^^ 0", 1),
        ("0 || 2", 1),
        ("1 && 0", 0),
        ("3 > 2 ? 10 : 20", 10),
        ("(1, 2)", 2),
        ("sizeof(int)", 4),
        ("sizeof (uint64_t)", 8),
        ("sizeof (string)", 256),
        ("(char)200", -56),
        ("(unsigned char)200", 200 - 256),
        ("(int)(unsigned char)200", 200),
        ("-1 < 1u", 0),
        ("-1 < 1", 1),
        ("-1L < 1u", 1),
        ("'a'", 97),
        ("pid", 42),
        ("pid == 42 && uid == 1000", 1),
        ("pid == 42 && uid == 1001", 0),
        ("pid == 41 || uid == 1000", 1),
        ("pid != 42 || !(uid == 1000)", 0),
        ("arg0 + arg9", 209),
        ("args[1]", 101),
        ("pid ? arg1 : arg2", 101),
        ("pid - 43 >> 1", -1),
        ("(uint32_t)(pid - 43) >> 31", 1),
        ("pid - 43 < 0", 1),
        ("(unsigned)pid - 43 < 0", 0),
        ("(unsigned)pid - 43 > 0", 1),
        ("(char)(pid + 100) < 0", 1),
        ("(int64_t)(pid * 100000000)", -94967296),
        ("pid ^^ uid", 0),
        ("0 ^^ uid", 1),
        ("NULL == 0", 1),
    ] {
        assert_eq!(int(e), want, "{e}");
    }
}

#[test]
fn memory() {
    for (e, want) in [
        ("*(char *)0x1000", 104),
        ("*(char *)0x1006", -128),
        ("*(unsigned char *)0x1006 + 0", 128),
        ("*(int *)0x1008 + 0", -2),
        ("*(uint32_t *)0x1008 > 0", 1),
        ("((char *)0x1000)[1]", 101),
        ("*((short *)0x1000 + 1) == 0x6c6c", 1),
        ("(int *)0x1008 - (int *)0x1000", 2),
        ("&((int *)0x1000)[3] == (int *)0x100c", 1),
        ("*&*(char *)0x1000", 104),
        ("strlen(stringof(0x1000))", 5),
        ("*(char *)copyin(0x1001, 1)", 101),
    ] {
        assert_eq!(int(e), want, "{e}");
    }
    assert_eq!(text("stringof(0x1000)"), "hello");
    assert_eq!(text("(string)0x1001"), "ello");
    assert_eq!(data("BEGIN { tracemem(0x1000, 3); }"), [Datum::Bytes(b"hel".to_vec())]);
    assert_eq!(data("BEGIN { trace(*(int *)8); }"), [Datum::Fault(FaultKind::BadAddr)]);
    // Scratch memory can be written.
    let program = "BEGIN { p = (int *)alloca(16); p[1] = 7; p[1] += 5; ++p[1]; x = p[1]++; trace(p[1] * 100 + x); }";
    // The memory lasts for the whole clause.
    assert_eq!(data(program), [Datum::Int(1413)]);
    assert_eq!(data("BEGIN { *(int *)0x1000 = 1; }"), [Datum::Fault(FaultKind::BadAddr)]);
}

#[test]
fn strings() {
    for (e, want) in [
        ("\"a\" \"b\"", "ab"),
        ("execname", "date"),
        ("strjoin(execname, \"!\")", "date!"),
        ("strjoin(strjoin(\"a\", \"b\"), strjoin(\"c\", \"d\"))", "abcd"),
        ("substr(\"hello\", 1, 3)", "ell"),
        ("substr(\"hello\", -2)", "lo"),
        ("lltostr(-5)", "-5"),
        ("lltostr(255, 16)", "0xff"),
        ("copyinstr(0x1000)", "hello"),
        ("copyinstr(0x1000, 3)", "he"),
        ("basename(\"/usr/bin/date\")", "date"),
        ("pid == 42 ? \"yes\" : \"no\"", "yes"),
        ("pid == 41 ? \"yes\" : \"no\"", "no"),
        ("toupper(execname)", "DATE"),
        ("strtok(\"a b\", \" \")", "a"),
        ("inet_ntoa((int *)0x1006)", "128.255.254.255"),
    ] {
        assert_eq!(text(e), want, "{e}");
    }
    for (e, want) in [
        ("execname == \"date\"", 1),
        ("execname != \"date\"", 0),
        ("execname < \"datf\"", 1),
        ("execname > \"dat\"", 1),
        ("\"b\" <= \"a\"", 0),
        ("strtok(\"\", \" \") == NULL", 1),
        ("strlen(execname)", 4),
        ("index(\"hello\", \"l\")", 2),
        ("strtoll(\"12\")", 12),
        ("execname == \"date\" ^^ pid == 42", 0),
    ] {
        assert_eq!(int(e), want, "{e}");
    }
}

#[test]
fn variables() {
    for (program, want) in [
        ("BEGIN { x = 5; x += 3; x *= 2; x--; trace(x); }", vec![15]),
        ("BEGIN { x = 5; trace(x++); trace(x); trace(++x); trace(--x); trace(x--); trace(x); }", vec![5, 6, 7, 6, 6, 5]),
        ("BEGIN { n++; n++; trace(n); }", vec![2]),
        ("BEGIN { n -= 5; trace(n); }", vec![-5]),
        ("BEGIN { self->x = 7; this->x = 8; x = 9; trace(self->x * 100 + this->x * 10 + x); }", vec![789]),
        ("int8_t c; BEGIN { c = 127; c++; trace(c < 0); trace((int)c); }", vec![1, -128]),
        ("uint8_t c; BEGIN { c = 255; c++; trace((int)c); c--; trace((int)c); }", vec![0, 255]),
        ("int x; BEGIN { x = 0x7fffffff; x += 1; trace(x < 0); }", vec![1]),
        ("unsigned x; BEGIN { x--; trace(x > 0); }", vec![1]),
        ("uint64_t z; BEGIN { z = -1; trace(z > 1); trace(z >> 63); }", vec![1, 1]),
        ("self int v; this uint16_t w; BEGIN { self->v = 70000; this->w = self->v; trace((int)this->w); }", vec![4464]),
        ("inline int N = 6; BEGIN { trace(N * N); }", vec![36]),
        ("typedef unsigned char byte; byte b; BEGIN { b = 300; trace((int)b); }", vec![44]),
        ("BEGIN { a = b = 3; trace(a + b); }", vec![6]),
        ("BEGIN { x = 1; x <<= 4; x |= 1; x ^= 3; x &= 0xfe; x %= 7; x /= 2; trace(x); }", vec![2]),
    ] {
        let want: Vec<Datum> = want.into_iter().map(Datum::Int).collect();
        assert_eq!(data(program), want, "{program}");
    }
    assert_eq!(
        data("string s; BEGIN { s = \"abc\"; t = s; s = \"x\"; trace(s); trace(t); self->u = execname; trace(self->u); s = 0; trace(s); }"),
        ["x", "abc", "date", ""].map(|s| Datum::Str(s.into()))
    );
}

#[test]
fn predicates_and_clauses() {
    let program = "
        BEGIN /pid == 42/ { trace(1); }
        BEGIN /pid == 41/ { trace(2); }
        BEGIN, END /execname == \"date\" && arg0 / 2 == 50/ { trace(3); }
        BEGIN /(arg0 / 10) / (arg1)/ { trace(4); }
        BEGIN /self->nope = 1/ { trace(5); }
        BEGIN
    ";
    assert_eq!(data(program), [1, 3, 3, 5].map(Datum::Int));
}

#[test]
fn if_and_else() {
    let program = |pid: i32| {
        format!(
            "BEGIN /uid == 1000/ {{
                trace(0);
                if (pid == {pid}) {{ trace(1); x = 5; if (x > 4) trace(2); else {{ trace(3); }} }}
                else if (pid > 40) trace(4);
                else {{ trace(5); }}
                trace(6);
            }}"
        )
    };
    assert_eq!(data(&program(42)), [0, 1, 2, 6].map(Datum::Int));
    assert_eq!(data(&program(43)), [0, 4, 6].map(Datum::Int));
    // A condition is evaluated once: changes made in the branch do not matter.
    let once = "BEGIN { x = 1; if (x) { x = 0; trace(1); trace(x); } else { trace(2); } }";
    assert_eq!(data(once), [1, 0].map(Datum::Int));
    assert_eq!(data("BEGIN /pid == 1/ { if (1) trace(1); else trace(2); trace(3); }"), []);
    // A fault ends the whole clause, not only the part in which it happens; the next clause runs.
    let fault = Datum::Fault(FaultKind::DivZero);
    for faulty in ["if (1 / (pid - 42)) trace(1); else trace(2);", "if (pid) x = 1 / (pid - 42);"] {
        let program =
            format!("BEGIN {{ trace(0); {faulty} trace(3); }} BEGIN {{ if (1) trace(4); }}");
        assert!(data(&program).ends_with(&[fault.clone(), Datum::Int(4)]), "{program}");
        assert!(!data(&program).contains(&Datum::Int(3)));
    }
    // Two descriptions, one probe: the clause fires twice, one after the other.
    let twice = "BEGIN, dtrace:::BEGIN { if (++n == 1) trace(1); else trace(2); trace(n); }";
    assert_eq!(data(twice), [1, 1, 2, 2].map(Datum::Int));
}

#[test]
fn aggregations() {
    let program = "BEGIN {
        @a = count(); @b[execname, pid] = sum(arg0); @c[pid] = max(pid - 50);
        @d = quantize(arg0); @e = lquantize(arg0, 0, 100, 10); @b[\"x\", arg0] = sum(1);
    }";
    let agg = |kind, key: &[Datum], v| Datum::Agg(kind, key.to_vec(), v);
    let (date, x) = (Datum::Str("date".into()), Datum::Str("x".into()));
    assert_eq!(
        data(program),
        [
            agg(ActionKind::Count, &[], 0),
            agg(ActionKind::Sum, &[date, Datum::Int(42)], 100),
            agg(ActionKind::Max, &[Datum::Int(42)], -8),
            agg(ActionKind::Quantize, &[], 100),
            agg(ActionKind::Lquantize, &[], 100),
            agg(ActionKind::Sum, &[x, Datum::Int(100)], 1),
        ]
    );
    let (_, c) = compile(program);
    let p = c.program.unwrap();
    let names: Vec<(u32, &str, usize)> =
        p.aggregations.iter().map(|a| (a.number, a.name.as_str(), a.keys.len())).collect();
    assert_eq!(names, [(1, "a", 0), (2, "b", 2), (3, "c", 1), (4, "d", 0), (5, "e", 0)]);
    let sizes: Vec<u32> = p.objects().map(|o| o.rtype.size).collect();
    // execname, pid, arg0 | pid, (pid - 50 widened) | arg0 | arg0 | "x", arg0 as pid_t, 1
    assert_eq!(sizes, [256, 4, 8, 4, 8, 8, 8, 256, 4, 8]);
}

#[test]
fn copyout_is_destructive() {
    let program = "BEGIN { copyoutstr(execname, 0x2000, 3); }";
    let (_, c) = compile(program);
    assert!(c.program.unwrap().is_destructive);
    let mut host = Host::new();
    fire(&dof_of(program), &mut host);
    assert_eq!(host.copied_out.concat_bytes(), b"da\0");
    assert!(!compile("BEGIN { trace(1); }").1.program.unwrap().is_destructive);
}

trait ConcatBytes {
    fn concat_bytes(&self) -> Vec<u8>;
}
impl ConcatBytes for Vec<(u64, Vec<u8>)> {
    fn concat_bytes(&self) -> Vec<u8> {
        self.iter().flat_map(|(_, b)| b.clone()).collect()
    }
}

#[test]
fn registers_last_for_deep_expressions() {
    // Right-leaning: the operand that needs more registers goes first, so two registers suffice.
    let deep = (0..50).fold("arg0".to_string(), |e, i| format!("arg{} + ({e})", i % 10));
    assert!(int(&deep) > 0);
    // A full binary tree of depth n needs n + 1 registers: 6 fit, 7 do not.
    fn tree(n: usize) -> String {
        if n == 0 {
            "arg0".into()
        } else {
            format!("({} * {})", tree(n - 1), tree(n - 1))
        }
    }
    int(&tree(6));
    let tags = complaints(&format!("BEGIN {{ trace({}); }}", tree(7)));
    assert!(tags[0].starts_with("[D_NOREG]"), "{tags:?}");
}

#[test]
fn programs_share_names() {
    let mut compiler = d::Compiler::new(d::Options::default());
    let world = common::world();
    let mut host = Host::new();
    let mut one = |text: &str| {
        let source = d::Source::spec(d::SpecKind::Name, text);
        let c = compiler.compile(&source, &world);
        assert!(c.diagnostics.is_empty(), "{:?}", c.diagnostics);
        let p = c.program.unwrap();
        let data = fire(&d::dof::write(&p, &[]), &mut host);
        let clause = p.clauses[0].uarg;
        (data, p.first_statement, p.statements.len(), p.aggregations.len(), clause)
    };
    assert_eq!(one("BEGIN { a = 5; @x = count(); }").1, 0);
    let (data, first, len, aggs, clause) = one("END { trace(a); @y[a] = sum(a); }");
    assert_eq!((data[0].clone(), first, len, aggs, clause), (Datum::Int(5), 1, 1, 2, 1));
    let (_, first, _, aggs, clause) = one("END { printa(@x); }");
    assert_eq!((first, aggs, clause), (2, 2, 2));
}

#[test]
fn options_travel() {
    let text =
        "#!/usr/sbin/dtrace -s\n#pragma D option quiet\n#pragma D option bufsize=64k\nBEGIN {}\n";
    let source = d::Source::script("x.d", text);
    let c = d::compile(&source, &common::world(), &d::Options::default());
    let p = c.program.unwrap();
    use abi::option::OptionId::{Bufsize, Quiet, Strsize};
    assert_eq!(p.options, [(Quiet, 1), (Bufsize, 64 << 10)]);
    let bytes = d::dof::write(&p, &[(Strsize, 100)]);
    let dof = dof::Dof::check(&bytes).ok().unwrap();
    let options: Vec<(u32, u64)> =
        dof.options().map(|o| o.ok().unwrap()).map(|o| (o.option, o.value)).collect();
    assert_eq!(options, [(Quiet as u32, 1), (Bufsize as u32, 64 << 10), (Strsize as u32, 100)]);
}

#[test]
fn dof_carries_the_program() {
    let text = "BEGIN, hworld::open1: /pid/ { printf(\"%d %s\\n\", pid, execname); printf(\"x\"); printa(\"%@d\\n\", @a); }";
    assert!(complaints(text)[0].contains("undefined aggregation: @a"));
    let text = format!("BEGIN {{ @a[pid] = lquantize(arg0, 0, 10, 2); }} {text}");
    let bytes = dof_of(&text);
    let dof = dof::Dof::check(&bytes).ok().unwrap();
    let statements: Vec<_> = dof.statements().map(|s| s.ok().unwrap()).collect();
    let names: Vec<String> = statements
        .iter()
        .map(|s| s.pattern.parts.map(|p| String::from_utf8_lossy(p).into_owned()).join(":"))
        .collect();
    assert_eq!(names, [":::BEGIN", ":::BEGIN", "hworld::open1:"]);
    assert_eq!(statements.iter().map(|s| s.uarg).collect::<Vec<_>>(), [0, 1, 1]);
    // One clause, two descriptions: predicate and actions are written once.
    assert_eq!(statements[1].clause, statements[2].clause);
    let actions: Vec<_> = statements[2]
        .actions
        .iter()
        .map(|a| a.ok().unwrap())
        .map(|a| (a.kind, a.format.map(|f| String::from_utf8_lossy(f).into_owned()), a.uarg))
        .collect();
    let format = |s: &str| Some(s.to_string());
    assert_eq!(
        actions,
        [
            (ActionKind::Printf, format("%d %s\n"), 0),
            (ActionKind::Printf, None, 0),
            (ActionKind::Printf, format("x"), 1),
            (ActionKind::Printa, format("%@d\n"), 2),
        ]
    );
    let first: Vec<_> = statements[0].actions.iter().map(|a| a.ok().unwrap()).collect();
    assert_eq!((first[1].ntuple, first[1].uarg), (1, 1));
    let linear = abi::aggregation::Linear::decode(first[1].arg).unwrap();
    assert_eq!((linear.base, linear.step, linear.levels), (0, 2, 5));
}
