// SPDX-License-Identifier: GPL-2.0
//! The types of a small kernel, and memory that holds some of them.

use std::sync::Arc;

use d::types::{Function, Int, Member, Struct, StructId, StructKind, Type};
use d::world::Symbol;
use d::{Arg, Signature, TypeSpace};

const FILE: u64 = 0x2000;
const TASK: u64 = 0x2100;
const DENTRY: u64 = 0x2200;
const PARENT: u64 = 0x2240;
const INODE: u64 = 0x2300;
const NAMES: u64 = 0x2400;

/// The arguments of the fixture's probes: `struct file *`, a user's address, numbers.
pub const ARGS: [u64; 6] = [FILE, 0x7000, 512, FILE + 24, 0xffff_fffb_0000_03e8, 0x1_0000_0007];

fn int(name: &str) -> Type {
    let (size, signed) = match name {
        "umode_t" => (2, false),
        "fmode_t" | "kuid" => (4, false),
        "loff_t" => (8, true),
        "enum pid_type" => (4, true),
        "unsigned char" => (1, false),
        known => return Type::named(known).expect(known),
    };
    Type::Int(Int::new(size, signed, name).expect(name))
}

/// Number, kind, tag, alias, size.
const STRUCTS: &[(u64, StructKind, &str, &str, Option<u32>)] = &[
    (1, StructKind::Struct, "file", "", Some(40)),
    (2, StructKind::Struct, "path", "", Some(16)),
    (3, StructKind::Struct, "dentry", "", Some(40)),
    (4, StructKind::Struct, "qstr", "", Some(16)),
    (5, StructKind::Union, "", "", Some(8)),
    (6, StructKind::Struct, "", "", Some(8)),
    (7, StructKind::Struct, "inode", "", Some(24)),
    (8, StructKind::Struct, "", "kuid_t", Some(4)),
    (9, StructKind::Struct, "task_struct", "", Some(48)),
    (10, StructKind::Struct, "file_operations", "", Some(8)),
    (11, StructKind::Struct, "vfsmount", "", None),
    (12, StructKind::Struct, "range", "", Some(8)),
    (13, StructKind::Struct, "large", "", Some(32)),
];

fn number(id: u64) -> Type {
    let (_, kind, tag, alias, size) = *STRUCTS.iter().find(|s| s.0 == id).expect("struct");
    let (tag, alias) = (tag.to_string(), alias.to_string());
    Type::Struct(Arc::new(Struct { kind, tag, alias, size, id: StructId(id) }))
}

fn tag(name: &str) -> Type {
    number(STRUCTS.iter().find(|s| s.2 == name || s.3 == name).expect(name).0)
}

pub fn find_type(space: TypeSpace, name: &str) -> Option<Type> {
    match (space, name) {
        (TypeSpace::Enum, "pid_type") => Some(int("enum pid_type")),
        (TypeSpace::Typedef, "umode_t" | "fmode_t" | "loff_t") => Some(int(name)),
        (TypeSpace::Typedef, "kuid_t") => Some(tag(name)),
        (TypeSpace::Struct, _) => {
            let found = STRUCTS.iter().find(|s| s.2 == name && s.1 == StructKind::Struct);
            found.map(|s| number(s.0))
        }
        _ => None,
    }
}

/// Returns a symbol: variables in the file above, a per-CPU one and one without a type; a function.
pub fn symbol(module: &str, name: &str) -> Option<Symbol> {
    if !matches!(module, "" | "vmlinux") {
        return None;
    }
    let (address, ty, is_per_cpu) = match name {
        "root_file" => (FILE, Some(tag("file")), false),
        "counter" => (FILE + 24, Some(int("loff_t")), false),
        "raw" => (FILE + 32, None, false),
        "vfs_read" => (0x8000, Some(Type::Function(Arc::new(read()))), false),
        "per_cpu" => (0x9000, Some(int("u32")), true),
        "__per_cpu_offset" => (0xa000, None, false),
        _ => return None,
    };
    Some(Symbol { address, ty, is_per_cpu })
}

/// Returns the type of `vfs_read`.
fn read() -> Function {
    Function {
        result: int("ssize_t"),
        params: vec![tag("file").pointer_to(), int("char").pointer_to()],
        is_variadic: false,
    }
}

pub fn nearest_types(space: TypeSpace, name: &str) -> Vec<String> {
    let names = STRUCTS.iter().map(|s| s.2.to_string()).filter(|t| !t.is_empty());
    if space == TypeSpace::Struct {
        d::diag::nearest(name, names)
    } else {
        Vec::new()
    }
}

pub fn enum_constants(name: &str) -> Vec<(u64, Type)> {
    let values: &[i64] = match name {
        "PIDTYPE_PID" => &[0],
        "PIDTYPE_TGID" => &[1],
        "PIDTYPE_NONE" => &[-1],
        "STATE_IDLE" => &[0, 3],
        _ => &[],
    };
    values.iter().map(|v| (*v as u64, int("enum pid_type"))).collect()
}

pub fn members(of: StructId) -> Option<Arc<[Member]>> {
    let m = Member::new;
    let list = match of.0 {
        1 => vec![
            m("f_path", tag("path"), 0),
            m("f_mode", int("fmode_t"), 16),
            m("f_pos", int("loff_t"), 24),
            m("f_op", tag("file_operations").pointer_to(), 32),
        ],
        2 => vec![
            m("mnt", tag("vfsmount").pointer_to(), 0),
            m("dentry", tag("dentry").pointer_to(), 8),
        ],
        3 => vec![
            m("d_flags", int("unsigned int"), 0),
            m("d_parent", tag("dentry").pointer_to(), 8),
            m("d_name", tag("qstr"), 16),
            m("d_inode", tag("inode").pointer_to(), 32),
        ],
        4 => vec![m("", number(5), 0), m("name", int("unsigned char").pointer_to(), 8)],
        5 => vec![m("", number(6), 0), m("hash_len", int("u64"), 0)],
        6 => vec![m("hash", int("u32"), 0), m("len", int("u32"), 4)],
        7 => vec![
            m("i_mode", int("umode_t"), 0),
            m("i_uid", tag("kuid_t"), 4),
            m("i_size", int("loff_t"), 8),
            m("i_ino", int("unsigned long"), 16),
        ],
        8 => vec![m("val", int("uid_t"), 0)],
        9 => vec![
            m("pid", int("pid_t"), 0),
            m("comm", int("char").array_of(16), 4),
            Member::bits("in_execve", int("unsigned int"), 160, 1),
            Member::bits("policy", int("unsigned int"), 161, 3),
            Member::bits("delta", int("int"), 164, 5),
            Member::bits("rest", int("unsigned int"), 176, 16),
            m("parent", tag("task_struct").pointer_to(), 24),
            m("prio", int("int").array_of(4), 32),
        ],
        10 => vec![m("read", Type::Function(Arc::new(read())).pointer_to(), 0)],
        12 => vec![m("start", int("u16"), 0), m("count", int("u16"), 2), m("step", int("int"), 4)],
        _ => return None,
    };
    Some(list.into())
}

/// Returns the signature of an entry or return probe of the fixture's functions.
pub fn signature(function: &str, name: &str) -> Option<Arc<Signature>> {
    let file = || tag("file").pointer_to();
    let params = match function {
        "vfs_read" | "vfs_write" => {
            vec![file(), int("char").pointer_to(), int("size_t"), int("loff_t").pointer_to()]
        }
        "dput" => vec![tag("dentry").pointer_to()],
        "do_exit" => vec![int("long")],
        "sync_all" => vec![],
        "by_value" => vec![file(), tag("large"), tag("range"), int("int"), tag("kuid_t")],
        _ => return None,
    };
    let arg = |ty, slot| Arg::new(ty, slot);
    let args = match (name, function) {
        // `large` is passed in memory: the parameters after it keep their registers.
        ("entry", "by_value") => params
            .into_iter()
            .zip([Some(0), None, Some(4), Some(5), Some(4)])
            .map(|(ty, slot)| arg(ty, slot))
            .collect(),
        ("entry", _) => params.into_iter().zip((0..).map(Some)).map(|(ty, n)| arg(ty, n)).collect(),
        _ => vec![arg(int("int64_t"), Some(0)), arg(int("ssize_t"), Some(1))],
    };
    Some(Arc::new(Signature { args }))
}

pub fn memory() -> Vec<(u64, Vec<u8>)> {
    let words = |words: &[u64]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut names = b"passwd\0".to_vec();
    names.resize(16, 0);
    names.extend(b"etc\0");
    // 42, "bash", then execve 1, policy 5, delta -3, rest 0xbeef in one word.
    let mut task = 42u32.to_le_bytes().to_vec();
    task.extend(b"bash\0behind it..");
    let bits = 1u32 | 5 << 1 | (-3i32 as u32 & 0x1f) << 4 | 0xbeef << 16;
    task.extend(bits.to_le_bytes());
    task.extend(words(&[TASK]));
    task.extend([120i32, 121, -122, 123].iter().flat_map(|p| p.to_le_bytes()));
    vec![
        (FILE, words(&[0x9000, DENTRY, 0x5d, 4096, 0x9100])),
        (TASK, task),
        (DENTRY, words(&[0x2_0008, PARENT, 6 << 32 | 0xabcd, NAMES, INODE])),
        (PARENT, words(&[0, PARENT, 3 << 32, NAMES + 16, 0])),
        (INODE, words(&[1000 << 32 | 0o100_644, 1 << 33, 99])),
        (NAMES, names),
    ]
}

/// Returns why a process has no such probe.
pub fn of_process(parts: [&str; 4]) -> Option<d::Tag> {
    use d::Tag;
    Some(match parts {
        ["pid0", ..] => Tag::ProcBadpid,
        ["pid77", ..] => Tag::ProcGrab,
        ["pid1235", ..] => Tag::ProcDyn,
        ["pid1236", ..] => Tag::ProcCreatefail,
        ["pid1237", ..] => Tag::ProcNodev,
        ["pid1234", "a.out", "main", "exit"] => Tag::ProcName,
        ["pid1234", "a.out", "main", "ffff"] => Tag::ProcOff,
        ["pid1234", "a.out", "main", "1"] => Tag::ProcAlign,
        _ => return None,
    })
}
