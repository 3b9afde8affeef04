// SPDX-License-Identifier: GPL-2.0
//! A written blob can be read again. A damaged blob is refused or misread, without a panic.

use btf::builder::Builder;
use btf::signature::Missing;
use btf::{Btf, Damage, Id, Signature, Type, VOID};
use proptest::prelude::*;
use std::sync::Arc;

/// A bit of everything.
fn sample() -> Builder {
    let mut b = Builder::new();
    let int = b.int("int", 4, true);
    let char = b.int("char", 1, true);
    let long = b.int("unsigned long", 8, false);
    let size_t = b.typedef("size_t", long);
    let const_char = b.constant(char);
    let name = b.pointer(const_char);
    let inner = b.union("", 8, &[("a", int, 0, 0), ("b", long, 0, 0)]);
    let file = b.structure(
        "file",
        24,
        &[("name", name, 0, 0), ("", inner, 64, 0), ("low", int, 128, 3), ("high", int, 131, 5)],
    );
    let file_p = b.pointer(file);
    b.enumeration("colour", &[("RED", -1), ("GREEN", 7)]);
    b.enumeration64("wide", &[("BIG", 1 << 40)]);
    b.forward("secret");
    let line = b.array(char, 16);
    let lines = b.array(line, 4);
    b.typedef("lines_t", lines);
    let user = b.type_tag("user", char);
    let buffer = b.pointer(user);
    b.function("vfs_read", long, &[("file", file_p), ("buf", buffer), ("count", size_t)]);
    let callback = b.prototype(int, &[("", file_p), ("", VOID)]);
    let callback = b.pointer(callback);
    b.function("each", VOID, &[("f", callback)]);
    let volatile = b.volatile(int);
    b.raw(14, false, "counter", volatile.0, 0, &[1]);
    b.raw(15, false, ".data..percpu", 8, 1, &[volatile.0, 0, 8]);
    b.raw(16, false, "double", 8, 0, &[]);
    b.raw(17, false, "bpf_fastcall", file.0, 0, &[2]);
    b.raw(11, false, "", file_p.0, 0, &[]);
    b
}

fn id(btf: &Btf, name: &str) -> Id {
    btf.named(name).next().unwrap_or_else(|| panic!("{name}")).0
}

#[test]
fn members_variants_sizes() {
    let btf = sample().read().unwrap();
    let Some((_, Type::Struct(file))) = btf.named("file").next() else { panic!() };
    let got: Vec<_> = file.members().map(|m| (m.name, m.offset, m.bits)).collect();
    assert_eq!(
        got,
        [("name", 0, None), ("", 64, None), ("low", 128, Some(3)), ("high", 131, Some(5))]
    );
    let Some((_, Type::Enum(colour))) = btf.named("colour").next() else { panic!() };
    let got: Vec<_> = colour.variants().map(|v| (v.name, v.value as i64)).collect();
    assert_eq!((colour.signed, got), (true, vec![("RED", -1), ("GREEN", 7)]));
    let Some((_, Type::Enum(wide))) = btf.named("wide").next() else { panic!() };
    let got: Vec<_> = wide.variants().map(|v| (v.name, v.value)).collect();
    assert_eq!((wide.size, got), (8, vec![("BIG", 1 << 40)]));
    let values = |name| btf.constants(name).map(|(v, _)| v as i64).collect::<Vec<_>>();
    assert_eq!((values("RED"), values("BIG"), values("BLUE")), (vec![-1], vec![1 << 40], vec![]));
    let sizes = ["lines_t", "file", "size_t", "secret", "vfs_read"].map(|n| btf.size(id(&btf, n)));
    assert_eq!(sizes, [Some(64), Some(24), Some(8), None, None]);
    assert_eq!(btf.functions().collect::<Vec<_>>(), ["vfs_read", "each"]);
}

/// BTF from before Linux 4.20 keeps widths in the integer types.
#[test]
fn old_bit_fields() {
    let mut b = Builder::new();
    let three = b.raw(1, false, "unsigned int", 4, 0, &[2 << 16 | 3]);
    b.raw(4, false, "s", 4, 1, &[0, three.0, 8]);
    let btf = b.read().unwrap();
    let Some((_, Type::Struct(s))) = btf.named("s").next() else { panic!() };
    let got: Vec<_> = s.members().map(|m| (m.offset, m.bits)).collect();
    assert_eq!(got, [(10, Some(3))]);
}

#[test]
fn spelling() {
    let mut b = sample();
    let int = Id(1);
    let p = b.pointer(int);
    let pp = b.pointer(p);
    let const_p = b.constant(p);
    let const_pp = b.pointer(const_p);
    let array = b.array(p, 3);
    let to_array = b.pointer(array);
    let nameless = b.structure("", 0, &[]);
    let returns = b.prototype(p, &[]);
    let of_function = b.pointer(returns);
    let volatile = b.volatile(int);
    let both = b.constant(volatile);
    let gone = b.pointer(Id(4096));
    let btf = b.read().unwrap();
    let table = [
        (VOID, "void"),
        (pp, "int **"),
        (const_p, "int *const"),
        (const_pp, "int *const *"),
        (array, "int *[3]"),
        (to_array, "int *(*)[3]"),
        (nameless, "struct {...}"),
        (of_function, "int *(*)(void)"),
        (both, "const volatile int"),
        (gone, "<damaged> *"),
    ];
    for (id, text) in table {
        assert_eq!(btf.spell(id), text);
    }
    assert_eq!(btf.spell(id(&btf, "vfs_read")), "unsigned long (struct file *, char *, size_t)");
    assert_eq!(btf.spell(id(&btf, "each")), "void (int (*)(struct file *, ...))");
}

#[test]
fn modules_continue_the_kernel() {
    let base = sample();
    let mut b = base.split();
    let file = Id(8);
    let mine = b.structure("mine", 8, &[("file", file, 0, 0)]);
    let mine_p = b.pointer(mine);
    b.function("open", VOID, &[("m", mine_p)]);
    b.structure("file", 4, &[]);
    let kernel = Arc::new(base.read().unwrap());
    let btf = Btf::read_split(b.finish(), kernel.clone()).unwrap();
    let files: Vec<_> = btf.named("file").map(|(id, _)| id).collect();
    assert_eq!(files.len(), 2, "own and the kernel's");
    assert!(files[0].0 >= btf.first() && files[1] == file);
    assert_eq!(btf.spell(id(&btf, "open")), "void (struct mine *)");
    assert_eq!(btf.functions().collect::<Vec<_>>(), ["open"]);
    assert!(kernel.named("mine").next().is_none());
    // The first queries search the strings, the later ones use hashes: the results are the same.
    for time in 0..20 {
        let found: Vec<_> = btf.named("file").map(|(id, _)| id).collect();
        assert_eq!(found, files, "question {time}");
        let own: Vec<_> = btf.own_named("file").map(|(id, _)| id).collect();
        assert_eq!(own, files[..1], "question {time}");
        assert_eq!(btf.named("mine").count(), 1, "question {time}");
        assert_eq!(btf.named("ile").count() + btf.named("").count(), 0, "question {time}");
    }
    // This is the kernel's own function, seen from the module.
    assert!(Signature::of_function(&btf, "vfs_read").is_ok());
    assert_eq!(Signature::of_function(&btf, "nowhere"), Err(Missing::Unknown));
}

fn slots(btf: &Btf, function: &str) -> Vec<Option<u32>> {
    Signature::of_function(btf, function).unwrap().parameters.iter().map(|p| p.slot).collect()
}

#[test]
fn arguments_lie_where_the_convention_says() {
    let mut b = Builder::new();
    let int = b.int("int", 4, true);
    let long = b.int("long", 8, true);
    let huge = b.int("__int128", 16, true);
    let pair = b.structure("pair", 16, &[("a", long, 0, 0), ("b", long, 64, 0)]);
    let small = b.structure("small", 4, &[("a", int, 0, 0)]);
    let large = b.structure("large", 24, &[("p", pair, 0, 0), ("c", long, 128, 0)]);
    let packed = b.structure("packed", 12, &[("a", int, 0, 0), ("b", long, 32, 0)]);
    let empty = b.structure("empty", 0, &[]);
    let even = b.structure("even", 32, &[("a", huge, 0, 0), ("b", huge, 128, 0)]);
    let float = b.raw(16, false, "double", 8, 0, &[]);
    let hidden = b.forward("hidden");
    let n = |name: &'static str, of| (name, of);
    b.function("scalars", int, &[("", int); 8]);
    b.function("with_pair", int, &[n("a", int), n("p", pair), n("b", int)]);
    let five = [n("", long), n("", long), n("", long), n("", long), n("", long)];
    // One register is left: the pair goes to the stack, and the integer after it still gets the
    // register.
    b.function("no_room", int, &[&five[..], &[n("p", pair), n("x", int), n("y", int)]].concat());
    b.function("with_large", int, &[n("l", large), n("a", int)]);
    b.function(
        "large_then_stack",
        int,
        &[&five[..], &[n("a", int), n("l", large), n("b", int)]].concat(),
    );
    b.function("others", int, &[n("p", packed), n("e", empty), n("d", float), n("a", small)]);
    b.function("aligned", int, &[n("l", large), n("e", even), n("i", int)]);
    b.function("gives_large", large, &[n("a", int)]);
    b.function("gives_pair", pair, &[n("a", int)]);
    b.function("gives_small", small, &[]);
    b.function("lost", VOID, &[n("a", int), n("h", hidden), n("b", int)]);
    b.function("dots", VOID, &[n("a", int), n("", VOID)]);
    let btf = b.read().unwrap();
    let is = |function: &str, expected: &[u32]| {
        let expected: Vec<_> = expected.iter().map(|&s| (s != 99).then_some(s)).collect();
        assert_eq!(slots(&btf, function), expected, "{function}");
    };
    is("scalars", &[0, 1, 2, 3, 4, 5, 6, 7]);
    is("with_pair", &[0, 1, 3]);
    is("no_room", &[0, 1, 2, 3, 4, 6, 5, 8]);
    is("with_large", &[6, 0]);
    is("large_then_stack", &[0, 1, 2, 3, 4, 5, 6, 9]);
    is("others", &[6, 99, 99, 0]);
    is("aligned", &[6, 10, 0]);
    is("gives_large", &[1]);
    is("gives_pair", &[0]);
    is("lost", &[0, 99, 99]);
    is("dots", &[0]);
    let returns = |f: &str| Signature::of_function(&btf, f).unwrap().returns.map(|r| r.in_register);
    assert_eq!(returns("scalars"), Some(true));
    assert_eq!(returns("gives_small"), Some(true));
    assert_eq!(returns("gives_pair"), Some(false));
    assert_eq!(returns("gives_large"), Some(false));
    assert_eq!(returns("lost"), None);
}

#[test]
fn of_several_functions_all_must_agree() {
    let mut b = Builder::new();
    let int = b.int("int", 4, true);
    let long = b.int("long", 8, true);
    b.function("same", int, &[("a", int)]);
    b.function("same", int, &[("b", int)]);
    b.function("differ", int, &[("a", int)]);
    b.function("differ", int, &[("a", long)]);
    let btf = b.read().unwrap();
    assert_eq!(slots(&btf, "same"), [Some(0)]);
    assert_eq!(Signature::of_function(&btf, "differ"), Err(Missing::Ambiguous(2)));
    // A module's own function has precedence, whatever function of this name the kernel has.
    let mut m = b.split();
    m.function("differ", int, &[("a", int), ("b", int)]);
    let module = Btf::read_split(m.finish(), Arc::new(btf)).unwrap();
    assert_eq!(slots(&module, "differ"), [Some(0), Some(1)]);
}

#[test]
fn damage_is_named() {
    let good = sample().finish();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        Btf::read(bytes).unwrap_err().to_string()
    };
    assert_eq!(with(0, 0), "damaged BTF: it does not begin with 0xeb9f");
    assert_eq!(with(2, 2), "damaged BTF: the version is not 1");
    assert_eq!(with(4, 8), "damaged BTF: the header is shorter than 24 bytes");
    assert_eq!(with(15, 1), "damaged BTF: the types reach past the end");
    assert_eq!(with(24 + 7, 99), "BTF type 1 is of kind 99; known are 1 to 19");
    let cut = |n| Btf::read(good[..n].to_vec()).unwrap_err();
    assert_eq!(cut(10), Damage::Header("the header is cut off"));
    assert_eq!(cut(good.len() - 1), Damage::Header("the strings reach past the end"));
}

/// A future kind is skipped by the table of layouts, which Linux 7.2 and later can write.
#[test]
fn newer_kinds() {
    let mut b = Builder::new();
    b.raw(21, false, "new", 0, 2, &[1, 2, 3, 4, 5]);
    b.int("int", 4, true);
    assert_eq!(b.read().unwrap_err(), Damage::Kind { id: 1, kind: 21 });
    let old = b.finish();
    let mut layouts = vec![0; 22 * 4];
    layouts[21 * 4..][..2].copy_from_slice(&[4, 8]);
    let mut bytes = old[..24].to_vec();
    bytes[4] = 32;
    bytes.extend((old.len() as u32 - 24).to_le_bytes());
    bytes.extend((layouts.len() as u32).to_le_bytes());
    bytes.extend(&old[24..]);
    bytes.extend(layouts);
    let btf = Btf::read(bytes).unwrap();
    assert!(matches!(btf.get(Id(1)), Some(Type::Other { name: "new", kind: 21 })));
    assert_eq!(id(&btf, "int"), Id(2));
}

#[test]
fn circles_end() {
    let mut b = Builder::new();
    b.typedef("loop", Id(1));
    b.pointer(Id(2));
    b.array(Id(3), 2);
    b.structure("inside", 8, &[("me", Id(4), 0, 0)]);
    b.prototype(Id(5), &[("", Id(5)), ("", Id(5))]);
    b.constant(Id(6));
    b.function("f", Id(4), &[("a", Id(4)), ("b", Id(3)), ("c", Id(1))]);
    walk(&b.read().unwrap());
}

/// Makes every query about every type.
fn walk(btf: &Btf) {
    for id in (0..btf.end() + 2).map(Id) {
        match btf.get(id) {
            Some(Type::Struct(c) | Type::Union(c)) => assert!(c.members().count() < 1 << 24),
            Some(Type::Enum(e)) => assert!(e.variants().count() < 1 << 24),
            Some(ty @ Type::Function { prototype, .. }) => {
                if let Some(name) = ty.name() {
                    let _ = Signature::of_function(btf, name);
                }
                let _ = Signature::of_prototype(btf, prototype);
            }
            _ => {}
        }
        let _ = (btf.size(id), btf.strip(id), btf.spell(id));
        let _ = Signature::of_prototype(btf, id);
    }
    assert!(btf.functions().count() <= btf.end() as usize);
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let good = sample().finish();
    let len = good.len();
    let byte = (0..len, any::<u8>());
    (prop::collection::vec(byte, 1..12), 0..len).prop_map(move |(changes, cut)| {
        let mut bytes = good.clone();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        // One in eight is also truncated.
        if cut % 8 == 0 {
            bytes.truncate(cut);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..Default::default() })]

    #[test]
    fn mutated_bytes_do_not_panic(bytes in mutated()) {
        let kernel = Arc::new(sample().read().unwrap());
        if let Ok(btf) = Btf::read(bytes.clone()) {
            walk(&btf);
        }
        if let Ok(btf) = Btf::read_split(bytes, kernel) {
            walk(&btf);
        }
    }

    #[test]
    fn any_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut blob = vec![0x9f, 0xeb, 1, 0, 24, 0, 0, 0];
        blob.extend(bytes);
        if let Ok(btf) = Btf::read(blob) {
            walk(&btf);
        }
    }
}
