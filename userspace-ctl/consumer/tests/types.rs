// SPDX-License-Identifier: GPL-2.0
//! Types of an invented kernel: files in a folder like /sys/kernel/btf.

use btf::builder::Builder;
use btf::{Id, VOID};
use consumer::types::{KernelTypes, Untyped};
use d::types::{Int, StructKind, Type};
use d::world::TypeSpace;
use std::path::PathBuf;

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, Vec<u8>)]) -> Self {
        let path = std::env::temp_dir().join(format!("dtrace-btf-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (file, bytes) in files {
            std::fs::write(path.join(file), bytes).unwrap();
        }
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Builds `struct file` and the types that lead to it.
fn kernel() -> Builder {
    let mut b = Builder::new();
    let char = b.int("char", 1, true);
    let int = b.int("int", 4, true);
    let long = b.int("long", 8, true);
    let loff_t = b.typedef("loff_t", long);
    let atomic = b.structure("", 4, &[("counter", int, 0, 0)]);
    let atomic_t = b.typedef("atomic_t", atomic);
    let kind = b.enumeration("kind", &[("KIND_NONE", 0), ("KIND_ALL", -1)]);
    b.enumeration("other", &[("SAME", 1), ("BOTH", 1)]);
    b.enumeration("", &[("SAME", 2), ("BOTH", 1)]);
    let secret = b.forward("secret");
    let secret_p = b.pointer(secret);
    let name = b.array(char, 16);
    let inner = b.union("", 8, &[("pos", loff_t, 0, 0), ("raw", long, 0, 0)]);
    let file = b.structure(
        "file",
        64,
        &[
            ("name", name, 0, 0),
            ("", inner, 128, 0),
            ("low", int, 192, 3),
            ("high", int, 195, 5),
            ("count", atomic_t, 224, 0),
            ("kind", kind, 256, 0),
            ("secret", secret_p, 320, 0),
        ],
    );
    let const_file = b.constant(file);
    let file_p = b.pointer(const_file);
    let file_pp = b.pointer(file_p);
    let loff_p = b.pointer(loff_t);
    let large = b.structure("large", 24, &[]);
    let huge = b.int("__int128", 16, true);
    b.function("vfs_read", long, &[("file", file_p), ("count", loff_t), ("pos", loff_p)]);
    b.function("by_value", kind, &[("l", large), ("a", atomic_t), ("h", huge), ("f", file_pp)]);
    b.function("silent", VOID, &[]);
    let compare = b.prototype(int, &[("", file_p), ("", VOID)]);
    let compare = b.pointer(compare);
    b.function("each", large, &[("f", compare)]);
    b.function("twice", int, &[]);
    b.function("twice", long, &[]);
    b
}

fn text(types: &KernelTypes, parts: [&str; 4]) -> Vec<String> {
    let signature = types.signature(parts).unwrap();
    let arg = |a: &d::world::Arg| match a.slot {
        Some(n) => format!("{} in arg{n}", a.ty),
        None => format!("{}, nowhere", a.ty),
    };
    signature.args.iter().map(arg).collect()
}

#[test]
fn arguments_of_functions() {
    let folder = Folder::new("arguments", &[("vmlinux", kernel().finish())]);
    let types = KernelTypes::at(&folder.0);
    let entry = |f| text(&types, ["fbt", "vmlinux", f, "entry"]);
    let ret = |f| text(&types, ["fbt", "vmlinux", f, "return"]);
    let read = ["struct file * in arg0", "loff_t in arg1", "loff_t * in arg2"];
    assert_eq!(entry("vfs_read"), read);
    assert_eq!(ret("vfs_read"), ["int64_t in arg0", "long in arg1"]);
    assert_eq!(
        entry("by_value"),
        [
            "struct large, nowhere",
            "atomic_t in arg0",
            "unsigned long [2], nowhere",
            "struct file ** in arg3"
        ]
    );
    assert_eq!(ret("by_value"), ["int64_t in arg0", "enum kind in arg1"]);
    assert_eq!((entry("silent").len(), ret("silent").len()), (0, 1));
    // The address for the large return value is the first argument.
    assert_eq!(entry("each"), ["int (*)(struct file *, ...) in arg1"]);
    assert_eq!(ret("each"), ["int64_t in arg0", "struct large, nowhere"]);
    let probe = abi::probe::ProbeDesc::new(b"fbt", b"vmlinux", b"vfs_read", b"entry").unwrap();
    let spelled = ["const struct file *", "loff_t", "loff_t *"];
    assert_eq!(types.spelled(&probe).unwrap(), spelled);
}

#[test]
fn members_and_names() {
    let folder = Folder::new("members", &[("vmlinux", kernel().finish())]);
    let types = KernelTypes::at(&folder.0);
    let Some(Type::Struct(file)) = types.find(TypeSpace::Struct, "file") else { panic!() };
    assert_eq!((file.kind, file.size, &*file.tag), (StructKind::Struct, Some(64), "file"));
    let members = types.members(file.id).unwrap();
    let row = |m: &d::types::Member| (m.name.clone(), m.ty.to_string(), m.offset, m.bits);
    let rows: Vec<_> = members.iter().map(row).collect();
    let want = |name: &str, ty: &str, offset, bits| (name.into(), ty.into(), offset, bits);
    assert_eq!(
        rows,
        [
            want("name", "char [16]", 0, None),
            want("", "union {..}", 128, None),
            want("low", "int", 192, Some(3)),
            want("high", "int", 195, Some(5)),
            want("count", "atomic_t", 224, None),
            want("kind", "enum kind", 256, None),
            want("secret", "struct secret *", 320, None),
        ]
    );
    let Type::Struct(inner) = &members[1].ty else { panic!() };
    let names: Vec<_> = types.members(inner.id).unwrap().iter().map(|m| m.name.clone()).collect();
    assert_eq!(names, ["pos", "raw"]);
    assert_eq!(types.find(TypeSpace::Union, "file"), None);
    assert_eq!(
        types.find(TypeSpace::Typedef, "loff_t"),
        Int::new(8, true, "loff_t").map(Type::Int)
    );
    let Some(Type::Struct(secret)) = types.find(TypeSpace::Struct, "secret") else { panic!() };
    assert_eq!((secret.size, types.members(secret.id)), (None, None));
    let values = |types: &KernelTypes, name| {
        types.constants(name).into_iter().map(|c| c.0).collect::<Vec<u64>>()
    };
    assert_eq!(values(&types, "KIND_ALL"), [u64::MAX]);
    assert_eq!(values(&types, "BOTH"), [1]);
    assert_eq!(values(&types, "SAME").len(), 2, "which of the two?");
    assert_eq!(types.nearest(TypeSpace::Struct, "fil"), ["file"]);
}

#[test]
fn modules() {
    let base = kernel();
    let mut b = base.split();
    let secret = b.structure("secret", 8, &[("n", Id(3), 0, 0)]);
    let secret_p = b.pointer(secret);
    b.function("mod_open", VOID, &[("s", secret_p)]);
    b.enumeration("mine", &[("MINE", 5)]);
    let files = [("vmlinux", base.finish()), ("mod", b.finish()), ("broken", vec![1, 2, 3])];
    let folder = Folder::new("modules", &files);
    let types = KernelTypes::at(&folder.0);
    assert_eq!(text(&types, ["fbt", "mod", "mod_open", "entry"]), ["struct secret * in arg0"]);
    // Both files have the same struct file, so it has one number.
    let number = |types: &KernelTypes, module| {
        let signature = types.signature(["fbt", module, "vfs_read", "entry"]).unwrap();
        match &signature.args[0].ty {
            Type::Pointer(to) => match &**to {
                Type::Struct(s) => s.id,
                other => panic!("{other}"),
            },
            other => panic!("{other}"),
        }
    };
    assert_eq!(number(&types, "mod"), number(&types, "vmlinux"));
    // A module defines the struct that the kernel only declares.
    let fresh = KernelTypes::at(&folder.0);
    let Some(Type::Struct(secret)) = fresh.find(TypeSpace::Struct, "secret") else { panic!() };
    assert_eq!(secret.size, Some(8));
    assert_eq!(fresh.members(secret.id).unwrap().len(), 1);
    assert_eq!(fresh.constants("MINE").first().map(|c| c.0), Some(5));
}

#[test]
fn reasons() {
    let files = [("vmlinux", kernel().finish()), ("broken", vec![1, 2, 3])];
    let folder = Folder::new("reasons", &files);
    let types = KernelTypes::at(&folder.0);
    let why = |parts| types.signature(parts).unwrap_err().to_string();
    let ends = |parts, end: &str| {
        let why = why(parts);
        assert!(why.ends_with(end), "{why}");
    };
    ends(["fbt", "vmlinux", "nothing", "entry"], "/vmlinux: the BTF has no function of this name");
    ends(
        ["fbt", "vmlinux", "twice", "entry"],
        "/vmlinux: the BTF has 2 functions of this name with different arguments",
    );
    ends(["fbt", "vmlinux", "twice.isra.0", "entry"], "and perhaps its arguments");
    ends(["fbt", "gone", "f", "entry"], "/gone: No such file or directory");
    ends(["fbt", "broken", "f", "entry"], "/broken: damaged BTF: it does not begin with 0xeb9f");
    ends(["fbt", "../vmlinux", "f", "entry"], "../vmlinux: no module has such a name");
    assert_eq!(types.signature(["sdt", "m", "f", "n"]).unwrap_err(), Untyped::Provider);
    let none = KernelTypes::at(folder.0.join("nowhere"));
    let why = none.signature(["fbt", "mod", "f", "entry"]).unwrap_err().to_string();
    assert!(why.ends_with("/nowhere/vmlinux: No such file or directory"), "{why}");
    assert_eq!(none.find(TypeSpace::Struct, "file"), None);
}

fn compile(types: KernelTypes, text: &str) -> Result<(), String> {
    let source = d::Source::spec(d::SpecKind::Name, text);
    let world = consumer::world::AnyProbe::with_types(types);
    let compiled = d::compile(&source, &world, &d::Options::default());
    let shown = |d| d::diag::render::render(d, &source, true);
    match compiled.program {
        Some(_) => Ok(()),
        None => Err(compiled.diagnostics.iter().map(shown).collect()),
    }
}

#[test]
fn programs() {
    let folder = Folder::new("programs", &[("vmlinux", kernel().finish())]);
    let compile = |text| compile(KernelTypes::at(&folder.0), text);
    let good = [
        "fbt::vfs_read:entry { trace(args[0]->pos); trace(args[0]->high); trace(*args[2]); }",
        "fbt::vfs_read:entry /args[0]->kind == KIND_ALL/ { trace(stringof(args[0]->name)); }",
        "fbt::vfs_read:entry { trace(args[0]->count.counter); }",
        "fbt::by_value:entry { trace(args[1].counter); trace((*args[3])->low); }",
        "fbt::by_value:return { trace(args[1] == KIND_NONE); }",
        "BEGIN { trace(((struct file *)0)->pos); trace(sizeof (struct file)); }",
    ];
    for text in good {
        assert_eq!(compile(text), Ok(()), "{text}");
    }
    let bad = |text, parts: &[&str]| {
        let shown = compile(text).unwrap_err();
        parts.iter().for_each(|p| assert!(shown.contains(p), "{text}: no {p} in\n{shown}"));
    };
    bad("fbt::vfs_read:entry { trace(args[0]->poss); }", &["not a member of struct file", "pos"]);
    bad("fbt::vfs_read:entry { trace(args[3]); }", &["D_ARGS_IDX"]);
    bad("fbt::by_value:entry { trace(args[2]); }", &["D_ARGS_TYPE"]);
    bad("fbt::silent:return { trace(args[1]); }", &["D_ARGS_IDX"]);
    bad(
        "fbt::nothing:entry { trace(args[0]->pos); }",
        &["D_OP_PTR", "args[] of fbt::nothing:entry have no types", "no function of this name"],
    );
    bad("sdt:m:f:n { trace(args[0]->pos); }", &["the provider does not declare its arguments"]);
}
