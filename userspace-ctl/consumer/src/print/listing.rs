// SPDX-License-Identifier: GPL-2.0
//! `dtrace -l`: a row for each probe; with `-v` also its stability and arguments.

use super::put;
use abi::probe::{ProbeView, NARGS_UNKNOWN};
use abi::stability::{Attributes, ProviderAttributes};

/// Prints the head of the table.
pub fn header(out: &mut Vec<u8>) {
    put!(out, "{:>5} {:>10} {:>17} {:>33} {}\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
}

/// The widths of all columns except the last.
const WIDTHS: [usize; 4] = [5, 10, 17, 33];

/// Prints one probe. There may be 100,000 of them, so hardly anything is parsed or allocated here.
pub fn row(out: &mut Vec<u8>, probe: &ProbeView<'_>) {
    let mut digits = [0; 10];
    let mut rest = probe.id.0;
    let mut at = digits.len();
    while rest > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let [provider, module, function, name] = probe.parts;
    let columns = [&digits[at..], provider, module, function];
    if ordinary(out, columns, name).is_none() {
        for (part, width) in columns.into_iter().zip(WIDTHS) {
            put!(out, "{:>width$} ", String::from_utf8_lossy(part));
        }
        put!(out, "{}\n", String::from_utf8_lossy(name));
    }
}

/// Prints a row that is ASCII and not too long, as nearly all are; otherwise returns `None`.
fn ordinary(out: &mut Vec<u8>, columns: [&[u8]; 4], name: &[u8]) -> Option<()> {
    let mut line = [b' '; 320];
    let mut end = 0;
    for (part, width) in columns.into_iter().zip(WIDTHS) {
        end += width.max(part.len());
        line.get_mut(end - part.len()..end)?.copy_from_slice(part);
        end += 1;
    }
    line.get_mut(end..end + name.len())?.copy_from_slice(name);
    end += name.len();
    *line.get_mut(end)? = b'\n';
    let line = line.get(..=end).filter(|line| line.is_ascii())?;
    out.extend_from_slice(line);
    Some(())
}

/// Prints the lines under a row with `-v`. `types` are the types of `args[]`, if they are known;
/// `promised` are the attributes that the provider itself declares.
pub fn details(
    out: &mut Vec<u8>,
    probe: &ProbeView<'_>,
    types: Option<&[String]>,
    promised: Option<ProviderAttributes>,
) {
    let how: Vec<&str> = probe.how.words().collect();
    if !how.is_empty() {
        put!(out, "\n\tImplementation: {}\n", how.join(", "));
    }
    let usual = || ProviderAttributes::of(&String::from_utf8_lossy(probe.parts[0]));
    let promised = promised.unwrap_or_else(usual);
    let is_named = probe.parts.map(|part| !part.is_empty());
    triple(out, "Probe Description", promised.of_probes(is_named));
    triple(out, "Argument", promised.of_args());
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

/// Prints a program's stability for `-v`: the minimum over its descriptions and its statements.
pub fn stability(out: &mut Vec<u8>, title: &str, probes: Attributes, statements: Attributes) {
    put!(out, "\nStability attributes for {title}:\n");
    triple(out, "Minimum Probe Description", probes);
    triple(out, "Minimum Statement", statements);
    out.push(b'\n');
}

fn triple(out: &mut Vec<u8>, of: &str, a: Attributes) {
    put!(out, "\n\t{of} Attributes\n");
    put!(out, "\t\tIdentifier Names: {}\n", a.name.text());
    put!(out, "\t\tData Semantics:   {}\n", a.data.text());
    put!(out, "\t\tDependency Class: {}\n", a.class.text());
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::ids::ProbeId;
    use abi::probe::Techniques;

    fn probe(id: u32, parts: [&'static str; 4], nargs: u32) -> ProbeView<'static> {
        ProbeView {
            id: ProbeId(id),
            nargs,
            how: Techniques::empty(),
            parts: parts.map(str::as_bytes),
        }
    }

    #[test]
    fn rows_stand_under_the_header() {
        let mut out = Vec::new();
        header(&mut out);
        row(&mut out, &probe(1, ["dtrace", "", "", "BEGIN"], 0));
        row(&mut out, &probe(48012, ["hworld", "open_module", "open1", "entry"], 1));
        let wide = "a_function_whose_name_is_wider_than_its_column";
        row(&mut out, &probe(1234567, ["fbt", "vmlinux", wide, "return"], 2));
        row(&mut out, &probe(0, ["hw\u{f6}rld", "m", "f", "n"], 2));
        let wider = "w".repeat(300);
        let leaked: &'static str = wider.clone().leak();
        row(&mut out, &probe(7, ["fbt", "vmlinux", leaked, "entry"], 2));
        let last = format!("    7        fbt           vmlinux {wider} entry\n");
        let at = out.len() - last.len();
        assert_eq!(String::from_utf8(out.split_off(at)).unwrap(), last);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "   ID   PROVIDER            MODULE                          FUNCTION NAME\n\
             \u{20}   1     dtrace                                                     BEGIN\n\
             48012     hworld       open_module                             open1 entry\n\
             1234567        fbt           vmlinux a_function_whose_name_is_wider_than_its_column return\n\
             \u{20}   0     hw\u{f6}rld                 m                                 f n\n"
        );
    }

    #[test]
    fn verbose_says_how() {
        let how = Techniques::TRAP_DISPLACED | Techniques::CALL_RETURN;
        let mut out = Vec::new();
        details(
            &mut out,
            &ProbeView { how, ..probe(4, ["fbt", "vmlinux", "f", "return"], 2) },
            None,
            None,
        );
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with("\n\tImplementation: int3 displaced, five-byte return\n"), "{out}");
    }

    #[test]
    fn verbose() {
        let mut out = Vec::new();
        details(&mut out, &probe(4, ["hworld", "m", "f", "n"], 2), None, None);
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
            details(&mut out, &probe(4, ["fbt", "vmlinux", "f", "entry"], nargs), types, None);
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
