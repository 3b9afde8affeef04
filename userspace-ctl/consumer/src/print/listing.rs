// SPDX-License-Identifier: GPL-2.0
//! `dtrace -l`: a row per probe; with `-v` its stability and arguments.

use super::put;
use abi::probe::{ProbeDesc, NARGS_UNKNOWN};
use abi::stability::{Attributes, Class, Stability};

/// The head of the table.
pub fn header(out: &mut Vec<u8>) {
    put!(out, "{:>5} {:>10} {:>17} {:>33} {}\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
}

/// One probe.
pub fn row(out: &mut Vec<u8>, probe: &ProbeDesc) {
    let [provider, module, function, name] = probe.parts().map(String::from_utf8_lossy);
    put!(out, "{:>5} {provider:>10} {module:>17} {function:>33} {name}\n", probe.id.0);
}

/// What stands under a row with `-v`; `types` are those of `args[]`, if they are known.
pub fn details(out: &mut Vec<u8>, probe: &ProbeDesc, types: Option<&[String]>) {
    let (of_probe, of_args) = attributes(&String::from_utf8_lossy(probe.parts()[0]));
    triple(out, "Probe Description", of_probe);
    triple(out, "Argument", of_args);
    put!(out, "\n\tArgument Types\n");
    let untyped = match probe.nargs {
        NARGS_UNKNOWN => 0,
        n => n.min(64) as usize,
    };
    let untyped = vec!["int64_t".to_string(); untyped];
    let types = types.unwrap_or(&untyped);
    if types.is_empty() {
        put!(out, "\t\tNone\n");
    }
    for (i, ty) in types.iter().enumerate() {
        put!(out, "\t\targs[{i}]: {ty}\n");
    }
    out.push(b'\n');
}

fn triple(out: &mut Vec<u8>, of: &str, a: Attributes) {
    put!(out, "\n\t{of} Attributes\n");
    put!(out, "\t\tIdentifier Names: {}\n", a.name.text());
    put!(out, "\t\tData Semantics:   {}\n", a.data.text());
    put!(out, "\t\tDependency Class: {}\n", a.class.text());
}

/// What a provider promises of its probes and of their arguments. The least stable of the four
/// parts of a name decides: a probe that carries a kernel function's name is private.
fn attributes(provider: &str) -> (Attributes, Attributes) {
    let a = |name, data, class| Attributes { name, data, class };
    match provider {
        "dtrace" => {
            let stable = a(Stability::Stable, Stability::Stable, Class::Common);
            (stable, stable)
        }
        _ => (
            a(Stability::Private, Stability::Private, Class::Unknown),
            a(Stability::Private, Stability::Private, Class::Isa),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::ids::ProbeId;

    fn probe(id: u32, parts: [&str; 4], nargs: u32) -> ProbeDesc {
        let [p, m, f, n] = parts.map(str::as_bytes);
        ProbeDesc { id: ProbeId(id), nargs, ..ProbeDesc::new(p, m, f, n).unwrap() }
    }

    #[test]
    fn rows_stand_under_the_header() {
        let mut out = Vec::new();
        header(&mut out);
        row(&mut out, &probe(1, ["dtrace", "", "", "BEGIN"], 0));
        row(&mut out, &probe(48012, ["hworld", "open_module", "open1", "entry"], 1));
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "   ID   PROVIDER            MODULE                          FUNCTION NAME\n\
             \u{20}   1     dtrace                                                     BEGIN\n\
             48012     hworld       open_module                             open1 entry\n"
        );
    }

    #[test]
    fn verbose() {
        let mut out = Vec::new();
        details(&mut out, &probe(4, ["hworld", "m", "f", "n"], 2), None);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\n\tProbe Description Attributes\n\
             \t\tIdentifier Names: Private\n\
             \t\tData Semantics:   Private\n\
             \t\tDependency Class: Unknown\n\
             \n\tArgument Attributes\n\
             \t\tIdentifier Names: Private\n\
             \t\tData Semantics:   Private\n\
             \t\tDependency Class: ISA\n\
             \n\tArgument Types\n\
             \t\targs[0]: int64_t\n\
             \t\targs[1]: int64_t\n\n"
        );
    }
    #[test]
    fn argument_types() {
        let tail = |nargs, types: Option<&[String]>| {
            let mut out = Vec::new();
            details(&mut out, &probe(4, ["fbt", "vmlinux", "f", "entry"], nargs), types);
            let out = String::from_utf8(out).unwrap();
            out.split_once("Argument Types\n").unwrap().1.to_string()
        };
        let types = ["struct file *", "size_t"].map(String::from);
        let typed = "\t\targs[0]: struct file *\n\t\targs[1]: size_t\n\n";
        assert_eq!(tail(NARGS_UNKNOWN, Some(&types)), typed);
        assert_eq!(tail(6, Some(&[])), "\t\tNone\n\n");
        assert_eq!(tail(NARGS_UNKNOWN, None), "\t\tNone\n\n");
    }
}
