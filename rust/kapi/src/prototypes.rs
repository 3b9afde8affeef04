// SPDX-License-Identifier: GPL-2.0
//! Asks the running kernel for the prototypes of the functions that this crate calls by address.
//!
//! The kernel checks by its release (vermagic) that a module was built for it, but somebody may
//! have built another kernel with the same release, or force the load. So the description of the
//! running kernel's types (BTF) is read: it says how many arguments these functions take, and how
//! wide they are. A kernel without BTF is trusted. `helpers/prototypes.c` compares the same
//! functions with the kernel that the module is built for.

use crate::mem;
use core::ffi::CStr;
use core::mem::size_of;
use kernel::alloc::KVVec;
use kernel::bindings::{self as b, btf_type};

/// A function: its name; its result and its arguments. `p` is a pointer, a digit a number of that
/// many bytes, `v` nothing.
type Prototype<'a> = (&'a CStr, &'a [u8]);

const ALL: [Prototype<'static>; 25] = [
    (c"kallsyms_lookup_name", b"8:p"),
    (c"kallsyms_on_each_symbol", b"4:pp"),
    (c"kallsyms_lookup_size_offset", b"4:8pp"),
    (c"lookup_symbol_name", b"4:8p"),
    (c"search_exception_tables", b"p:8"),
    (c"get_kprobe", b"p:p"),
    (c"ptrace_may_access", b"1:p4"),
    (c"task_work_cancel", b"1:pp"),
    (c"smp_text_poke_batch_add", b"v:pp8p"),
    (c"smp_text_poke_batch_finish", b"v:"),
    (c"text_poke", b"p:pp8"),
    (c"smp_text_poke_sync_each_cpu", b"v:"),
    (c"perf_event_text_poke", b"v:pp8p8"),
    (c"jump_label_text_reserved", b"4:pp"),
    (c"static_call_text_reserved", b"4:pp"),
    (c"ftrace_text_reserved", b"4:pp"),
    (c"alternatives_text_reserved", b"4:pp"),
    (c"update_ftrace_direct_add", b"4:pp"),
    (c"update_ftrace_direct_del", b"4:pp"),
    (c"alloc_ftrace_hash", b"p:4"),
    (c"free_ftrace_hash", b"v:p"),
    (c"add_ftrace_hash_entry_direct", b"p:p88"),
    (c"ftrace_location", b"8:8"),
    (c"ftrace_find_rec_direct", b"8:8"),
    (c"ftrace_is_dead", b"4:"),
];

/// Returns a function that this crate calls with a prototype other than this kernel's; `None` if
/// none is known.
pub(crate) fn other(btf: &[u8]) -> Option<&'static CStr> {
    Btf::open(btf)?.other(&ALL).map(|(name, _)| name)
}

/// Tells whether a function is known to have a prototype other than `shape`.
pub(crate) fn differs(btf: &[u8], name: &CStr, shape: &CStr) -> bool {
    Btf::open(btf).is_some_and(|btf| btf.other(&[(name, shape.to_bytes())]).is_some())
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_ne_bytes(*word))
}

/// The description of a type, and everything that follows it: a `struct btf_type`.
#[derive(Clone, Copy)]
struct Type<'a>(&'a [u8]);

impl<'a> Type<'a> {
    fn name(self) -> Option<u32> {
        word(self.0, 0)
    }

    fn info(self) -> u32 {
        word(self.0, 4).unwrap_or(0)
    }

    /// Returns its size, or the number of the type that it refers to.
    fn size_or_type(self) -> Option<u32> {
        word(self.0, 8)
    }

    fn kind(self) -> u32 {
        self.info() >> 24 & 0x7f
    }

    /// Returns the number of its members. Kernels before 7.3 leave the upper 8 of these bits clear.
    fn members(self) -> usize {
        (self.info() & 0xff_ffff) as usize
    }

    /// Returns the types of the arguments of a prototype.
    fn arguments(self) -> impl Iterator<Item = Option<u32>> + 'a {
        let bytes = self.0.get(size_of::<btf_type>()..).unwrap_or(&[]);
        bytes.chunks(size_of::<b::btf_param>()).take(self.members()).map(|param| word(param, 4))
    }

    /// Returns the length of the description; `None`: its kind is unknown.
    fn len(self) -> Option<usize> {
        let more = match self.kind() {
            b::BTF_KIND_PTR | b::BTF_KIND_FWD | b::BTF_KIND_TYPEDEF => 0,
            b::BTF_KIND_VOLATILE | b::BTF_KIND_CONST | b::BTF_KIND_RESTRICT => 0,
            b::BTF_KIND_FUNC | b::BTF_KIND_FLOAT | b::BTF_KIND_TYPE_TAG => 0,
            b::BTF_KIND_INT => size_of::<u32>(),
            b::BTF_KIND_VAR => size_of::<b::btf_var>(),
            b::BTF_KIND_DECL_TAG => size_of::<b::btf_decl_tag>(),
            b::BTF_KIND_ARRAY => size_of::<b::btf_array>(),
            b::BTF_KIND_STRUCT | b::BTF_KIND_UNION => self.many::<b::btf_member>(),
            b::BTF_KIND_ENUM => self.many::<b::btf_enum>(),
            b::BTF_KIND_ENUM64 => self.many::<b::btf_enum64>(),
            b::BTF_KIND_FUNC_PROTO => self.many::<b::btf_param>(),
            b::BTF_KIND_DATASEC => self.many::<b::btf_var_secinfo>(),
            _ => return None,
        };
        size_of::<btf_type>().checked_add(more)
    }

    fn many<T>(self) -> usize {
        self.members().wrapping_mul(size_of::<T>())
    }
}

struct Btf<'a> {
    types: &'a [u8],
    strings: &'a [u8],
    /// The offset of each type in `types`. Number 0 is void, which has no description.
    at: KVVec<u32>,
}

impl<'a> Btf<'a> {
    /// Walks all types once, to learn where each is. `None`: the BTF is not understood, or there is
    /// no memory.
    fn open(btf: &'a [u8]) -> Option<Self> {
        let magic = btf.first_chunk().map(|m| u16::from_ne_bytes(*m))?;
        if u32::from(magic) != b::BTF_MAGIC || u32::from(*btf.get(2)?) != b::BTF_VERSION {
            return None;
        }
        // The members of `struct btf_header`: hdr_len at 4, type_off, type_len, str_off, str_len.
        let field = |at: usize| word(btf, at).map(|w| w as usize);
        let part = |offset: usize, len: usize| {
            let from = field(4)?.checked_add(field(offset)?)?;
            btf.get(from..from.checked_add(field(len)?)?)
        };
        let types = part(8, 12)?;
        let strings = part(16, 20)?;
        let most = (types.len() / size_of::<btf_type>()).checked_add(2)?;
        let mut at = mem::exact(most).ok()?;
        at.push_within_capacity(0).ok()?;
        let mut from = 0_usize;
        while from.checked_add(size_of::<btf_type>())? <= types.len() {
            let len = Type(types.get(from..)?).len()?;
            let end = from.checked_add(len).filter(|end| *end <= types.len())?;
            at.push_within_capacity(from as u32).ok()?;
            from = end;
        }
        Some(Self { types, strings, at })
    }

    fn get(&self, id: u32) -> Option<Type<'a>> {
        let at = *self.at.get(id as usize)?;
        self.types.get(at as usize..).map(Type)
    }

    /// Returns the letter of a type in a prototype.
    fn letter(&self, mut id: u32) -> Option<u8> {
        for _ in 0..32 {
            if id == 0 {
                return Some(b'v');
            }
            let t = self.get(id)?;
            match t.kind() {
                b::BTF_KIND_PTR => return Some(b'p'),
                b::BTF_KIND_INT | b::BTF_KIND_ENUM | b::BTF_KIND_ENUM64 => {
                    let size = t.size_or_type().filter(|size| *size < 10)?;
                    return Some(b'0' | size as u8);
                }
                b::BTF_KIND_TYPEDEF
                | b::BTF_KIND_VOLATILE
                | b::BTF_KIND_CONST
                | b::BTF_KIND_RESTRICT
                | b::BTF_KIND_TYPE_TAG => id = t.size_or_type()?,
                _ => return None,
            }
        }
        None
    }

    fn has_shape(&self, function: Type<'_>, shape: &[u8]) -> bool {
        let letter = |id: Option<u32>| self.letter(id?);
        let Some(proto) = function.size_or_type().and_then(|id| self.get(id)) else { return false };
        let [result, b':', arguments @ ..] = shape else { return false };
        proto.kind() == b::BTF_KIND_FUNC_PROTO
            && letter(proto.size_or_type()) == Some(*result)
            && proto.members() == arguments.len()
            && proto.arguments().map(letter).eq(arguments.iter().copied().map(Some))
    }

    /// Returns one of these functions that has another prototype.
    fn other<'p>(&self, all: &[Prototype<'p>]) -> Option<Prototype<'p>> {
        (1..self.at.len() as u32).find_map(|id| {
            let function = self.get(id).filter(|t| t.kind() == b::BTF_KIND_FUNC)?;
            let name = self.strings.get(function.name()? as usize..)?;
            let named = |p: &&Prototype<'_>| name.starts_with(p.0.to_bytes_with_nul());
            all.iter().filter(named).find(|p| !self.has_shape(function, p.1)).copied()
        })
    }
}
