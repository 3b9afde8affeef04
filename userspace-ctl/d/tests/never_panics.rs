// SPDX-License-Identifier: GPL-2.0
//! On any text, the compiler neither panics nor loops. It gives either a program or complaints, and
//! never a program that the kernel would refuse. A seeded generator makes the cases, so a failure
//! repeats.

mod common;

use common::Rng;
use d::{Compiler, Options, Source, SpecKind};

const TOKENS: &[&str] = &[
    "BEGIN",
    "END",
    "hworld:::",
    "fbt::vfs_*:entry",
    "nope:::x",
    "::::::",
    "{",
    "}",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ";",
    ",",
    "/",
    "/",
    "/*",
    "*/",
    "//",
    "\n",
    "#pragma D option quiet\n",
    "#pragma D option bufsize=\n",
    "#",
    "#!",
    "@",
    "@a",
    "@a[pid]",
    "=",
    "==",
    "+=",
    "<<=",
    "++",
    "--",
    "->",
    ".",
    "?",
    ":",
    "+",
    "-",
    "*",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "^^",
    "~",
    "!",
    "<",
    ">>",
    "%",
    "`",
    "self->x",
    "this->y",
    "self",
    "this",
    "x",
    "y",
    "s",
    "pid",
    "execname",
    "arg0",
    "args[0]",
    "args[1]->f_mode",
    "struct file",
    "struct s",
    "union",
    "enum",
    "loff_t",
    "(struct file *)",
    "->f_path",
    ".dentry",
    "->comm",
    "->policy",
    "int a[3];",
    "int b : 3;",
    "PIDTYPE_PID",
    "args",
    "uregs[1]",
    "timestamp",
    "0",
    "1",
    "0x7fffffffffffffff",
    "18446744073709551615",
    "99999999999999999999",
    "09",
    "1.5",
    "\"a\"",
    "\"%d %s\\n\"",
    "\"%*.*@lld\"",
    "\"\\",
    "'a'",
    "''",
    "'",
    "\"",
    "$1",
    "$$1",
    "$target",
    "$nope",
    "$",
    "trace(",
    "printf(",
    "printa(",
    "exit(",
    "tracemem(",
    "clear(",
    "normalize(",
    "trunc(",
    "stack()",
    "count()",
    "sum(",
    "lquantize(arg0, 0, 10, 1)",
    "quantize(",
    "strjoin(",
    "strlen(",
    "copyinstr(arg0)",
    "substr(",
    "alloca(8)",
    "sizeof",
    "stringof(",
    "(int)",
    "(char *)",
    "(struct foo *)",
    "int",
    "string",
    "uint64_t",
    "unsigned",
    "long",
    "struct",
    "inline",
    "typedef",
    "if",
    "else",
    "while",
    "translator",
    "int x;",
    "self string s;",
    "inline int N = 3;",
    "\u{e9}",
    "\u{1f600}",
    "\0",
    "\t",
    "BEGIN { x = 1; }",
    "xlate <shared_t> (",
    "shared->twice",
    "SECOND_LETTER",
    "provider hworld { probe entry(",
    "libprov:::go { trace(args[0]->twice); }",
    "BEGIN /pid == 1/ { @a[execname] = count(); }",
];

const PROGRAMS: &[&str] = &[
    "fbt:::entry /args[0] != 0/ { trace(args[0]); } fbt::vfs_*:entry { this->d = args[0]->f_path.dentry; printf(\"%s %d\", stringof(this->d->d_name.name), this->d->d_name.len); }",
    "struct s { int a : 3, b : 29; union { char c[4]; struct s *next; }; }; enum { A, B = 7 }; typedef struct s s_t; BEGIN { trace(((s_t *)arg0)->b); trace(&((struct s *)arg1)->c[B]); trace(sizeof (s_t)); }",
    "BEGIN { this->t = (struct task_struct *)arg0; @[this->t->comm] = sum(this->t->delta); trace((umode_t)this->t->prio[1]); trace(*(struct qstr *)arg1); }",
    "BEGIN{a=1;b=2;trace(a+b);}",
    "hworld:::  /pid == 3 && execname == \"foo\"/ { @a[execname, arg0] = sum(arg0+1); printf(\"%d %s\\n\", arg1, execname); x++; exit(0) }",
    "int x; self string s; this uint8_t c; inline int N = 6; BEGIN { x = N; self->s = execname; this->c = x; trace(this->c); }",
    "BEGIN { if (pid == 1) { trace(1); } else { trace(strjoin(\"a\", lltostr(pid))); } }",
    "BEGIN { @q = lquantize(arg0, 0, 100, 10); @c[pid] = count(); } END { printa(\"%d %@d\\n\", @c); trunc(@c, 3); normalize(@c, 2); clear(@c); }",
    "struct o { int a; string b; struct o *c; }; translator struct o < int N > { a = N; b = lltostr(N); c = xlate <struct o *> (N + 1); }; inline struct o *first = xlate <struct o *> (3); inline struct o many[int n, string s] = xlate <struct o> (n + strlen(s)); BEGIN { trace(first->c->b); this->o = first->a; trace(many[arg0, \"x\"].a); trace(xlate <struct o> (x++).b); }",
    "#pragma D attributes Stable/Stable/Common provider hworld args\n# 7 \"x.d\"\nstruct v { int a; }; translator struct v < int N > { a = N; }; provider hworld { probe entry(int n, struct file *f) : (struct v *n, struct file *f); }; hworld:::entry, libprov:::go { trace(args[0]); }",
    "#pragma D option quiet\nBEGIN, END, fbt::vfs_read:entry { p = (int *)alloca(8); p[1] = *(char *)arg0 ? -1 : ~0; trace(p[1] << 3); tracemem(arg0, 16); }",
];

fn one(text: &str, kind: SpecKind) -> bool {
    let world = common::world();
    let default_args = text.len() % 4 != 0;
    let args = vec!["d".into(), "7".into()];
    let libraries = common::libraries();
    let options = Options { args, default_args, libraries, ..Options::default() };
    let source = Source::spec(kind, text);
    let c = Compiler::new(options).compile(&source, &world);
    assert_eq!(c.program.is_some(), c.diagnostics.is_empty(), "{text}");
    for d in &c.diagnostics {
        assert!(!d.message.contains("internal error"), "{text}\n{}", d.message);
        assert!(!d.message.is_empty() && d.line >= 1);
    }
    // Drawing is slow, so draw only some.
    if let (Some(d), 0) = (c.diagnostics.first(), text.len() % 16) {
        let drawn = d::diag::render::render(d, &source, true);
        assert!(drawn.contains(d.tag.name()), "{drawn}");
    }
    if let Some(p) = &c.program {
        let bytes = d::dof::write(p, &[]);
        assert!(dof::Dof::check(&bytes).is_ok(), "{text}");
    }
    c.program.is_some()
}

#[test]
fn token_soup() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    let kinds =
        [SpecKind::Name, SpecKind::Name, SpecKind::Provider, SpecKind::Function, SpecKind::Id];
    let mut good = 0;
    for _ in 0..cases(30_000) {
        let mut text = String::new();
        let blank = rng.below(3) > 0;
        if rng.below(2) == 0 {
            text.push_str("BEGIN {");
        }
        for _ in 0..rng.below(24) {
            text.push_str(rng.pick(TOKENS));
            if blank {
                text.push(' ');
            }
        }
        if rng.below(2) == 0 {
            text.push('}');
        }
        good += usize::from(one(&text, rng.pick(&kinds)));
    }
    assert!(good > 25, "{good}");
}

#[test]
fn mutated_programs() {
    let mut rng = Rng(0xfeed_beef_1234_5671);
    let mut good = 0;
    for _ in 0..cases(15_000) {
        let mut bytes = rng.pick(PROGRAMS).as_bytes().to_vec();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len());
            match rng.below(5) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = rng.next() as u8 & 0x7f,
                2 => {
                    let other = rng.pick(PROGRAMS).as_bytes();
                    let from = rng.below(other.len());
                    let piece = &other[from..(from + rng.below(12)).min(other.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
                3 => bytes.truncate(at.max(1)),
                _ => {
                    let token = rng.pick(TOKENS);
                    bytes.splice(at..at, token.bytes());
                }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        good += usize::from(one(&String::from_utf8_lossy(&bytes), SpecKind::Name));
    }
    assert!(good > 200, "{good}");
}

/// `D_FUZZ=n` multiplies the number of cases.
fn cases(n: usize) -> usize {
    n * std::env::var("D_FUZZ").ok().and_then(|v| v.parse().ok()).unwrap_or(1)
}

#[test]
fn deep_and_long() {
    let n = 20_000;
    let cases = vec![
        format!("BEGIN {{ trace({}1{}); }}", "(".repeat(n), ")".repeat(n)),
        format!("BEGIN {{ trace({}1); }}", "-".repeat(n)),
        format!("BEGIN {{ trace({}1); }}", "!~".repeat(n)),
        format!("BEGIN {{ trace(1{}); }}", "+1".repeat(n)),
        format!("BEGIN {{ trace({}1); }}", "1+(".repeat(n)),
        format!("BEGIN {{ {} }}", "x = ".repeat(n)),
        format!("BEGIN {{ {} }}", "{".repeat(n)),
        format!("BEGIN {{ {} }}", "if (1) ".repeat(n)),
        format!("BEGIN {{ {} ; }}", "1 ? ".repeat(n)),
        format!("BEGIN {{ trace({} 1); }}", "1 ? 2 : ".repeat(n)),
        format!("BEGIN {{ {} x = 1; }}", "if (pid) {} else ".repeat(n)),
        format!("BEGIN {{ {} x = 1; }}", "if (pid) {} else ".repeat(60)),
        format!("BEGIN {{ trace({} 1); }}", "arg0 ? arg1 : ".repeat(190)),
        format!("BEGIN {{ trace({} 1); }}", "arg0 + ".repeat(190)),
        format!("BEGIN {{ {} 1; }}", "x = ".repeat(60)),
        format!(
            "{} BEGIN {{ trace(a7); }}",
            (1..8).fold("inline int a0 = arg0;".to_string(), |s, i| {
                format!("{s} inline int a{i} = a{}{};", i - 1, " + 1".repeat(150))
            })
        ),
        format!("BEGIN {{ trace({} 1 {}); }}", "strlen(lltostr(".repeat(29), "))".repeat(29)),
        format!("BEGIN {{ {} ; }}", "sizeof ".repeat(n)),
        format!("BEGIN {{ {} 1; }}", "(int)".repeat(n)),
        format!("BEGIN {{ {} 1; }}", "strlen(".repeat(n)),
        format!("BEGIN {{ {} 1; }}", "@a[".repeat(n)),
        format!("BEGIN {{ trace(x{}); }}", "[0]".repeat(n)),
        format!("BEGIN {{ trace(({}int{})0); }}", "const ".repeat(n), "*".repeat(n)),
        "struct {".repeat(n),
        "struct a { struct b *".repeat(n),
        format!("struct s {{ int a{}; }}; BEGIN {{ }}", "[2]".repeat(n)),
        format!("struct s {{ int a; }}; BEGIN {{ trace(((struct s *)0){}); }}", "->a".repeat(n)),
        (1..40).fold("struct s0 { char c; };".to_string(), |s, i| {
            format!("{s} struct s{i} {{ struct s{} a, b; }};", i - 1)
        }),
        "enum { A };".repeat(n),
        "BEGIN,".repeat(n),
        "BEGIN{}".repeat(n),
        ";".repeat(n),
        "}".repeat(n),
        "/".repeat(n),
        format!("/*{}", "*".repeat(n)),
        "#".repeat(n),
        "# \n".repeat(n),
        "@".repeat(n),
        format!("BEGIN {{ {} }}", (0..n).map(|i| format!("x{i}=1;")).collect::<String>()),
        format!(
            "BEGIN {{ trace({}); }}",
            (0..150).map(|i| format!("(x{i}=1)+")).collect::<String>() + "1"
        ),
        format!(
            "{} BEGIN {{ trace(a9); }}",
            (1..10).fold("inline int a0 = arg0;".to_string(), |s, i| {
                format!("{s} inline int a{i} = {};", vec![format!("a{}", i - 1); 9].join("+"))
            })
        ),
    ];
    // This is half of a thread's usual stack, and this is a debug build.
    let all = move || {
        for text in &cases {
            one(text, SpecKind::Name);
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(all).unwrap().join().unwrap();
}

#[test]
fn the_programs_are_good() {
    for p in PROGRAMS {
        let options = Options::default();
        let source = Source::spec(SpecKind::Name, *p);
        let c = d::compile(&source, &common::world(), &options);
        assert!(c.program.is_some(), "{p}\n{:?}", c.diagnostics);
    }
}
