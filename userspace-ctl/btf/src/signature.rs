// SPDX-License-Identifier: GPL-2.0
//! Where a function's arguments are: maps parameters to the slots arg0, arg1, ... of an entry
//! probe.
//!
//! Slots 0 to 5 are the registers of the x86-64 convention; slot 6 and up are the eight-byte words
//! above the return address. A parameter takes one register, or two if it has 9 to 16 bytes. A
//! larger parameter, or one that finds too few free registers, is on the stack, while later ones
//! may still get registers. A function that returns more than 16 bytes gets the address for the
//! result in slot 0.

use crate::{Btf, Id, Type, DEPTH, VOID};
use std::fmt;

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name in the source.
    pub name: String,
    /// The type.
    pub of: Id,
    /// The slot of its (first) eight bytes; `None` if it is in no slot.
    pub slot: Option<u32>,
}

/// The result of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returns {
    /// The type.
    pub of: Id,
    /// The whole value is in `%rax`.
    pub in_register: bool,
}

/// A function's arguments and result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The parameters in order, without `...`.
    pub parameters: Vec<Parameter>,
    /// The result; `None` for void.
    pub returns: Option<Returns>,
}

/// The reason why there is no signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// There is no function of this name.
    Unknown,
    /// Several functions have this name and take different arguments; the number of prototypes.
    Ambiguous(usize),
    /// The function refers to something other than a prototype.
    Damaged,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Unknown => write!(f, "the BTF has no function of this name"),
            Missing::Ambiguous(n) => {
                write!(f, "the BTF has {n} functions of this name with different arguments")
            }
            Missing::Damaged => write!(f, "the BTF of this function is damaged"),
        }
    }
}

/// How a value is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// It is not passed, because it has no bytes.
    Nothing,
    /// In this many general registers, if that many are free.
    Registers(u32),
    /// On the stack, in this many words; `true`: starting at an even word.
    Memory(u32, bool),
    /// In a vector register.
    Vector,
    /// Not known; so the places of all later parameters are unknown, too.
    Unknown,
}

const REGISTERS: u32 = 6;

impl Signature {
    /// Returns the signature of the function of this name.
    pub fn of_function(btf: &Btf, function: &str) -> Result<Self, Missing> {
        Self::of_prototype(btf, prototype(btf, function)?).ok_or(Missing::Damaged)
    }

    /// Tells whether the types are the same; names do not matter.
    fn is_like(&self, other: &Self) -> bool {
        let types = |s: &Self| s.parameters.iter().map(|p| p.of).collect::<Vec<_>>();
        self.returns == other.returns && types(self) == types(other)
    }

    /// Returns the signature of this prototype; `None` if the number is not a prototype's.
    pub fn of_prototype(btf: &Btf, prototype: Id) -> Option<Self> {
        let Some(Type::Prototype(prototype)) = btf.get(prototype) else {
            return None;
        };
        let returned = prototype.returns;
        let class = class(btf, returned);
        let returns = (btf.strip(returned) != VOID)
            .then(|| Returns { of: returned, in_register: class == Class::Registers(1) });
        let mut places = Places::default();
        if matches!(class, Class::Memory(..)) {
            places.registers = 1;
        }
        let parameters = prototype.parameters().filter(|(_, of)| *of != VOID);
        let place = |(name, of): (&str, Id)| {
            let slot = places.next(self::class(btf, of));
            Parameter { name: name.into(), of, slot }
        };
        Some(Self { parameters: parameters.map(place).collect(), returns })
    }
}

/// Returns the prototype of the function of this name. A module's own function has precedence over
/// the kernel's. A function that is the same in both is only in the kernel's BTF.
pub fn prototype(btf: &Btf, function: &str) -> Result<Id, Missing> {
    let mut found: Vec<Id> = Vec::new();
    let mut is_own = false;
    for (id, ty) in btf.named(function) {
        let Type::Function { prototype, .. } = ty else {
            continue;
        };
        let own = id.0 >= btf.first();
        if is_own && !own {
            break;
        }
        is_own = own;
        if !found.contains(&prototype) {
            found.push(prototype);
        }
    }
    let mut signatures = found.iter().map(|&id| Signature::of_prototype(btf, id));
    match found.first() {
        None => Err(Missing::Unknown),
        Some(&one) if found.len() == 1 => Ok(one),
        Some(&one) => {
            let first = signatures.next().flatten().ok_or(Missing::Damaged)?;
            match signatures.all(|s| s.is_some_and(|s| first.is_like(&s))) {
                true => Ok(one),
                false => Err(Missing::Ambiguous(found.len())),
            }
        }
    }
}

/// The registers and words taken so far.
#[derive(Debug, Default)]
struct Places {
    registers: u32,
    words: u32,
    is_lost: bool,
}

impl Places {
    fn next(&mut self, class: Class) -> Option<u32> {
        if self.is_lost {
            return None;
        }
        match class {
            Class::Nothing | Class::Vector => None,
            Class::Registers(n) if self.registers + n <= REGISTERS => {
                self.registers += n;
                Some(self.registers - n)
            }
            Class::Registers(n) => self.on_stack(n, false),
            Class::Memory(words, is_even) => self.on_stack(words, is_even),
            Class::Unknown => {
                self.is_lost = true;
                None
            }
        }
    }

    fn on_stack(&mut self, words: u32, is_even: bool) -> Option<u32> {
        // The word above the return address is 16-byte aligned.
        let first = self.words.checked_add(u32::from(is_even) & self.words)?;
        self.words = first.checked_add(words)?;
        first.checked_add(REGISTERS)
    }
}

fn class(btf: &Btf, id: Id) -> Class {
    let id = btf.strip(id);
    match btf.get(id) {
        Some(Type::Void) => Class::Nothing,
        Some(Type::Pointer { .. } | Type::Enum(_)) => Class::Registers(1),
        // An array or a function as a parameter is passed as its address.
        Some(Type::Array { .. } | Type::Prototype(_)) => Class::Registers(1),
        Some(Type::Int { size: 0..=8, .. }) => Class::Registers(1),
        Some(Type::Int { size: 16, .. }) => Class::Registers(2),
        Some(Type::Float { size: 0..=8, .. }) => Class::Vector,
        Some(Type::Float { size: 9..=16, .. }) => Class::Memory(2, true),
        Some(Type::Struct(c) | Type::Union(c)) => {
            let mut inside = Inside { budget: 4096, ..Inside::default() };
            inside.look(btf, id, 0, DEPTH);
            let words = c.size.div_ceil(8);
            match c.size {
                _ if inside.is_unknown => Class::Unknown,
                0 => Class::Nothing,
                17.. => Class::Memory(words, inside.has_16),
                _ if inside.is_unaligned => Class::Memory(words, false),
                // Half of it may be in a vector register; kernels have no such parameters.
                _ if inside.has_float => Class::Unknown,
                _ => Class::Registers(words),
            }
        }
        _ => Class::Unknown,
    }
}

/// The contents of a struct that decide how it is passed.
#[derive(Debug, Default)]
struct Inside {
    has_float: bool,
    has_16: bool,
    is_unaligned: bool,
    is_unknown: bool,
    budget: u32,
}

impl Inside {
    /// Examines the type that lies `at` bits from the start.
    fn look(&mut self, btf: &Btf, id: Id, at: u64, depth: u32) {
        if depth == 0 || self.budget == 0 {
            self.is_unknown = true;
            return;
        }
        self.budget -= 1;
        let depth = depth - 1;
        let size = match btf.get(btf.strip(id)) {
            Some(Type::Struct(c) | Type::Union(c)) => {
                for member in c.members().filter(|m| m.bits.is_none()) {
                    self.look(btf, member.of, at.saturating_add(member.offset.into()), depth);
                }
                return;
            }
            Some(Type::Array { element, count, .. }) => {
                // The second element shows whether the elements' size keeps them aligned.
                for i in 0..u64::from(count.min(2)) {
                    let step = btf.size(element).unwrap_or(0).saturating_mul(8 * i);
                    self.look(btf, element, at.saturating_add(step), depth);
                }
                return;
            }
            Some(Type::Int { size, .. }) => size,
            Some(Type::Float { size, .. }) => {
                self.has_float = true;
                size
            }
            Some(Type::Pointer { .. }) => 8,
            Some(Type::Enum(e)) => e.size,
            _ => {
                self.is_unknown = true;
                return;
            }
        };
        self.has_16 |= size == 16;
        let bits = u64::from(size).saturating_mul(8);
        self.is_unaligned |= bits != 0 && at.checked_rem(bits) != Some(0);
    }
}
