// SPDX-License-Identifier: GPL-2.0
//! The whole table of subroutines: each number has its name, and a call does what the name says.
//! The table is repeated here so that the one in the contract cannot change unnoticed.

mod common;

use common::{compile, data, Datum};

enum Does {
    Int(i64),
    Text(&'static str),
    /// The kernel gives the answer: the test sees only that the call has the right number.
    Asks,
    /// Linux has nothing like it.
    Refused,
}
use Does::{Asks, Int, Refused, Text};

const JSON: &str = r#""{\"a\": [1, {\"b\": \"x y\"}], \"n\": -2}""#;

fn table() -> Vec<(&'static str, String, Does)> {
    let row = |name, call: &str, does| (name, call.to_string(), does);
    vec![
        row("rand", "rand() >= 0", Int(1)),
        row("mutex_owned", "mutex_owned((void *)arg0)", Asks),
        row("mutex_owner", "mutex_owner((void *)arg0) == NULL", Asks),
        row("mutex_type_adaptive", "mutex_type_adaptive((void *)arg0)", Asks),
        row("mutex_type_spin", "mutex_type_spin((void *)arg0)", Asks),
        row("rw_read_held", "rw_read_held((void *)arg0)", Asks),
        row("rw_write_held", "rw_write_held((void *)arg0)", Asks),
        row("rw_iswriter", "rw_iswriter((void *)arg0)", Asks),
        row("copyin", "*(char *)copyin(0x1001, 1)", Int(101)),
        row("copyinstr", "copyinstr(0x1000, 4)", Text("hel")),
        row("speculation", "speculation()", Asks),
        row("progenyof", "progenyof(1)", Asks),
        row("strlen", "strlen(\"hello\")", Int(5)),
        row("copyout", "(copyout((void *)\"x\", 0x1000, 1), 3)", Int(3)),
        row("copyoutstr", "(copyoutstr(\"x\", 0x1000, 2), 4)", Int(4)),
        row("alloca", "(p = (int *)alloca(8), *p = 7, p[0] + p[1])", Int(7)),
        row("bcopy", "(q = (char *)alloca(8), bcopy(\"ab\", q, 2), q[1])", Int(98)),
        row("copyinto", "(r = (char *)alloca(8), copyinto(0x1001, 1, r), r[0])", Int(101)),
        row("msgdsize", "msgdsize((void *)arg0)", Refused),
        row("msgsize", "msgsize((void *)arg0)", Refused),
        row("getmajor", "getmajor(0x800001)", Int(8)),
        row("getminor", "getminor(0x800001)", Int(1)),
        row("ddi_pathname", "ddi_pathname((void *)arg0, 0)", Refused),
        row("strjoin", "strjoin(\"ab\", \"cd\")", Text("abcd")),
        row("lltostr", "lltostr(-255, 16)", Text("0xffffffffffffff01")),
        row("basename", "basename(\"/usr/bin/\")", Text("bin")),
        row("dirname", "dirname(\"/usr/bin/\")", Text("/usr")),
        row("cleanpath", "cleanpath(\"/usr/./x/../bin\")", Text("/usr/bin")),
        row("strchr", "strchr(\"abcb\", 'b')", Text("bcb")),
        row("strrchr", "strrchr(\"abcb\", 'b')", Text("b")),
        row("strstr", "strstr(\"abcb\", \"cb\")", Text("cb")),
        row("strtok", "(strtok(\"a,bc;d\", \",;\"), strtok(NULL, \",;\"))", Text("bc")),
        row("substr", "substr(\"abcdef\", -3, 2)", Text("de")),
        row("index", "index(\"abcabc\", \"c\", 3)", Int(5)),
        row("rindex", "rindex(\"abcabc\", \"c\", 4)", Int(2)),
        row("htons", "htons(0x1234)", Int(0x3412)),
        row("htonl", "htonl(0x12345678) == 0x78563412", Int(1)),
        row("htonll", "htonll(0x123456789abcdef0) == 0xf0debc9a78563412", Int(1)),
        row("ntohs", "ntohs(0x1234)", Int(0x3412)),
        row("ntohl", "ntohl(0x12345678) == 0x78563412", Int(1)),
        row("ntohll", "ntohll(0x123456789abcdef0) == 0xf0debc9a78563412", Int(1)),
        row(
            "inet_ntop",
            "(a = (int *)alloca(4), *a = 0x0100007f, inet_ntop(2, a))",
            Text("127.0.0.1"),
        ),
        row(
            "inet_ntoa",
            "(b = (int *)alloca(4), *b = 0x0200a8c0, inet_ntoa(b))",
            Text("192.168.0.2"),
        ),
        row("inet_ntoa6", "(c = (char *)alloca(16), c[15] = 1, inet_ntoa6(c))", Text("::1")),
        row("toupper", "toupper(\"aB1\")", Text("AB1")),
        row("tolower", "tolower(\"aB1\")", Text("ab1")),
        row("getf", "getf(1) == NULL", Asks),
        row("json", &format!("json({JSON}, \"a[1].b\")"), Text("x y")),
        row("strtoll", "strtoll(\"-0x1f\", 16)", Int(-31)),
        row("d_path", "d_path((void *)arg0)", Asks),
        row("mnt_path", "mnt_path((void *)arg0)", Asks),
        row(
            "link_ntop",
            "(d = (char *)alloca(6), d[5] = 1, link_ntop(1, d))",
            Text("00:00:00:00:00:01"),
        ),
        row("memstr", "(e = (char *)alloca(4), e[0] = 'a', memstr(e, 'x', 4))", Text("axx")),
    ]
}

#[test]
fn every_number_has_its_name_and_its_meaning() {
    let rows = table();
    assert_eq!(rows.len(), 53);
    for (number, (name, call, does)) in (0u16..49).chain(1024..1028).zip(&rows) {
        let subr = abi::dif::Subr::from_id(number).expect("in the contract");
        assert_eq!(subr.name(), *name);
        let program = format!("BEGIN {{ trace({call}); }}");
        let (_, compiled) = compile(&program);
        if let Refused = does {
            let said: Vec<_> = compiled.diagnostics.iter().map(|d| d.message.clone()).collect();
            assert!(
                said.iter().any(|m| m.contains("is not available on Linux")),
                "{name}: {said:?}"
            );
            continue;
        }
        let found =
            compiled.program.unwrap_or_else(|| panic!("{call}: {:?}", compiled.diagnostics));
        let calls = |word: &&u32| **word >> 8 == 47 << 16 | u32::from(number);
        assert!(found.objects().flat_map(|o| &o.text).any(|w| calls(&w)), "{name}: not called");
        let got = data(&program);
        match does {
            Int(want) => assert_eq!(got, [Datum::Int(*want)], "{call}"),
            Text(want) => assert_eq!(got, [Datum::Str(want.to_string())], "{call}"),
            Asks | Refused => {}
        }
    }
}
