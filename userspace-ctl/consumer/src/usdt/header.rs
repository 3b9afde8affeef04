// SPDX-License-Identifier: GPL-2.0
//! `-h`: writes a C header for declared providers.
//!
//! Each probe gets two macros. One calls a function that exists nowhere; the other asks whether the
//! probe is enabled. `-G` finds these calls and removes them.

use super::{BETWEEN, CALL, QUESTION};
use d::program::DeclaredProbe;
use d::types::{Int, StructKind, Type};
use d::Provider;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Names of integers that a C program has; all other names come from D or from the declaration
/// itself.
const OF_C: &[&str] = &[
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "short",
    "unsigned short",
    "char",
    "signed char",
    "unsigned char",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "intptr_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uintptr_t",
    "size_t",
    "ssize_t",
    "off_t",
    "time_t",
    "pid_t",
    "uid_t",
    "gid_t",
    "mode_t",
    "dev_t",
    "ino_t",
];

/// Returns the header; `file` is its file name.
pub fn write(providers: &[Provider], file: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let guard: String = file.chars().map(upper).collect();
    let mut out = format!(
        "/* Made by dtrace -h: do not edit. */\n\
         #ifndef _DTRACE_{guard}\n#define _DTRACE_{guard}\n\n\
         #include <stdint.h>\n#include <sys/types.h>\n\n\
         /* -D_DTRACE_VERSION=0 builds a program without its probes. */\n\
         #ifndef _DTRACE_VERSION\n#define _DTRACE_VERSION 1\n#endif\n\n\
         /* A 32-bit program has notes of its probes. */\n\
         #if _DTRACE_VERSION && !defined(__LP64__)\n#include <sys/sdt.h>\n#endif\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    );
    for provider in providers {
        one(provider, &mut out);
    }
    let _ = write!(out, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n");
    out
}

fn one(provider: &Provider, out: &mut String) {
    let name = &provider.name;
    let _ = write!(out, "\n#if _DTRACE_VERSION\n");
    let mut known = BTreeSet::new();
    let all = provider.probes.iter().flat_map(|p| &p.natives);
    all.for_each(|ty| tags(ty, &mut known));
    if !known.is_empty() {
        out.push('\n');
    }
    for tag in known {
        let _ = writeln!(out, "{tag};");
    }
    let _ = write!(out, "\n#ifdef __LP64__\n");
    for probe in &provider.probes {
        let types: Vec<String> = probe.natives.iter().map(of_c).collect();
        let types = if types.is_empty() { "void".to_string() } else { types.join(", ") };
        let (list, is, probe) = (list(probe), macro_name(name, probe), &probe.name);
        let _ = write!(
            out,
            "\nextern void {CALL}{name}{BETWEEN}{probe}({types});\n\
             extern int {QUESTION}{name}{BETWEEN}{probe}(void);\n\
             #define {is}({list}) \\\n\t{CALL}{name}{BETWEEN}{probe}({list})\n\
             #define {is}_ENABLED() \\\n\t{QUESTION}{name}{BETWEEN}{probe}()\n"
        );
    }
    let _ = write!(out, "\n#else\n");
    provider.probes.iter().for_each(|probe| narrow(name, probe, out));
    let _ = write!(out, "\n#endif\n\n#else\n\n");
    for probe in &provider.probes {
        let (list, is) = (list(probe), macro_name(name, probe));
        let _ =
            write!(out, "#define {is}({list}) do {{ }} while (0)\n#define {is}_ENABLED() (0)\n");
    }
    let _ = write!(out, "\n#endif\n");
}

/// Writes the macros of a 32-bit program: the probe is a note, and its question reads a counter.
fn narrow(provider: &str, probe: &DeclaredProbe, out: &mut String) {
    let (list, is, name) = (list(probe), macro_name(provider, probe), &probe.name);
    let places: Vec<String> = (1..=probe.natives.len()).map(|n| format!("_SDT_ARG({n})")).collect();
    let places = if places.is_empty() { "\"\"".into() } else { places.join(" \" \" ") };
    let variable = |(n, ty): (usize, &Type)| {
        let ty = match ty {
            Type::Array(of, _) => of_c(&Type::Pointer(of.clone())),
            _ => of_c(ty),
        };
        let space = if ty.ends_with('*') { "" } else { " " };
        format!("\t{ty}{space}_dtrace{n} = (arg{n}); \\\n")
    };
    let variables: String = probe.natives.iter().enumerate().map(variable).collect();
    let operands =
        (0..probe.natives.len()).map(|n| format!("_SDT_VARIABLE({}, _dtrace{n})", n + 1));
    let operands = operands.collect::<Vec<_>>().join(", ");
    let counter = format!("{provider}_{name}_semaphore");
    let _ = write!(
        out,
        "\nunsigned short volatile {counter}\n\t__attribute__((weak, section(\".probes\"), \
         visibility(\"hidden\")));\n\
         #define {is}({list}) do {{ \\\n{variables}\t_SDT_COUNTED_PROBE({provider}, {name}, \
         {places}, ({operands})); \\\n}} while (0)\n\
         #define {is}_ENABLED() \\\n\t__builtin_expect({counter}, 0)\n"
    );
}

/// Returns the macro's name: `TOY_TICK_MORE` for `tick__more`.
fn macro_name(provider: &str, probe: &DeclaredProbe) -> String {
    format!("{provider}_{}", probe.name.replace("__", "_")).to_ascii_uppercase()
}

/// Returns the names of a macro's arguments.
fn list(probe: &DeclaredProbe) -> String {
    let names: Vec<String> = (0..probe.natives.len()).map(|n| format!("arg{n}")).collect();
    names.join(", ")
}

/// Collects the structs and unions that a type names.
fn tags(ty: &Type, into: &mut BTreeSet<String>) {
    match ty {
        Type::Struct(s) if !s.tag.is_empty() => drop(into.insert(s.to_string())),
        Type::Pointer(to) | Type::Array(to, _) => tags(to, into),
        _ => {}
    }
}

/// Returns a type in C's spelling. The macro passes pointers on unchanged, so their targets may be
/// const.
fn of_c(ty: &Type) -> String {
    match ty {
        Type::Pointer(to) => match &**to {
            Type::Int(_) | Type::Void => format!("const {} *", of_c(to)),
            Type::Struct(s) if matches!(s.kind, StructKind::Struct | StructKind::Union) => {
                format!("const {s} *")
            }
            _ => plain(ty).to_string(),
        },
        Type::String => "const char *".into(),
        _ => plain(ty).to_string(),
    }
}

/// Returns the same type with names that C has.
fn plain(ty: &Type) -> Type {
    match ty {
        Type::Int(int) if !OF_C.contains(&int.name) => {
            let same = OF_C.iter().filter_map(|name| Int::named(name)).find(|i| i == int);
            Type::Int(same.unwrap_or(*int))
        }
        Type::Pointer(to) => Type::Pointer(Arc::new(plain(to))),
        Type::Array(of, n) => Type::Array(Arc::new(plain(of)), *n),
        Type::String => Type::Pointer(Arc::new(Type::Int(Int::CHAR))),
        other => other.clone(),
    }
}
