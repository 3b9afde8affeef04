// SPDX-License-Identifier: GPL-2.0
//! Writes small blobs, for the tests of this crate and of its users.

use crate::{Btf, Id};

/// A blob under construction. Each method appends a type and returns its number.
#[derive(Debug, Clone)]
pub struct Builder {
    types: Vec<u8>,
    strings: Vec<u8>,
    next: u32,
    first_string: u32,
}

impl Default for Builder {
    fn default() -> Self {
        Self { types: Vec::new(), strings: vec![0], next: 1, first_string: 0 }
    }
}

impl Builder {
    /// Starts a kernel's blob.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a module's blob on top of this one, to which nothing may be added any more.
    pub fn split(&self) -> Self {
        Self {
            types: Vec::new(),
            strings: vec![0],
            next: self.next,
            first_string: self.first_string.saturating_add(self.strings.len() as u32),
        }
    }

    /// Returns the blob.
    pub fn finish(&self) -> Vec<u8> {
        let (types, strings) = (self.types.len() as u32, self.strings.len() as u32);
        let mut out = vec![0x9f, 0xeb, 1, 0];
        for word in [24, 0, types, types, strings] {
            out.extend(u32::to_le_bytes(word));
        }
        out.extend(&self.types);
        out.extend(&self.strings);
        out
    }

    /// Reads the finished blob. For a split one, use [`Btf::read_split`].
    pub fn read(&self) -> Result<Btf, crate::Damage> {
        Btf::read(self.finish())
    }

    fn text(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let at = self.first_string.saturating_add(self.strings.len() as u32);
        self.strings.extend(text.as_bytes());
        self.strings.push(0);
        at
    }

    /// Appends any type: kind, its flag, name, size or other type, number of parts, the words that
    /// follow.
    pub fn raw(
        &mut self,
        kind: u32,
        flag: bool,
        name: &str,
        of: u32,
        parts: u32,
        more: &[u32],
    ) -> Id {
        let info = u32::from(flag) << 31 | kind << 24 | parts;
        let name = self.text(name);
        for word in [name, info, of].iter().chain(more) {
            self.types.extend(word.to_le_bytes());
        }
        let id = self.next;
        self.next = id.saturating_add(1);
        Id(id)
    }

    /// Appends an integer.
    pub fn int(&mut self, name: &str, size: u32, signed: bool) -> Id {
        let encoding = u32::from(signed) | u32::from(name == "_Bool") << 2;
        self.raw(1, false, name, size, 0, &[encoding << 24 | size << 3])
    }
    /// Appends a pointer.
    pub fn pointer(&mut self, to: Id) -> Id {
        self.raw(2, false, "", to.0, 0, &[])
    }
    /// Appends an array.
    pub fn array(&mut self, element: Id, count: u32) -> Id {
        self.raw(3, false, "", 0, 0, &[element.0, element.0, count])
    }
    /// Appends a struct with members: name, type, bit offset, width of a bit field or 0.
    pub fn structure(&mut self, name: &str, size: u32, members: &[(&str, Id, u32, u32)]) -> Id {
        self.composite(4, name, size, members)
    }
    /// Appends a union; its members are given in the same form.
    pub fn union(&mut self, name: &str, size: u32, members: &[(&str, Id, u32, u32)]) -> Id {
        self.composite(5, name, size, members)
    }
    fn composite(
        &mut self,
        kind: u32,
        name: &str,
        size: u32,
        members: &[(&str, Id, u32, u32)],
    ) -> Id {
        let words = members
            .iter()
            .flat_map(|&(name, of, offset, bits)| [self.text(name), of.0, bits << 24 | offset]);
        let more: Vec<u32> = words.collect();
        self.raw(kind, true, name, size, members.len() as u32, &more)
    }
    /// Appends an enum of 32 bits.
    pub fn enumeration(&mut self, name: &str, values: &[(&str, i32)]) -> Id {
        let words = values.iter().flat_map(|&(name, value)| [self.text(name), value as u32]);
        let more: Vec<u32> = words.collect();
        let is_signed = values.iter().any(|v| v.1 < 0);
        self.raw(6, is_signed, name, 4, values.len() as u32, &more)
    }
    /// Appends an enum of 64 bits.
    pub fn enumeration64(&mut self, name: &str, values: &[(&str, u64)]) -> Id {
        let words = values
            .iter()
            .flat_map(|&(name, value)| [self.text(name), value as u32, (value >> 32) as u32]);
        let more: Vec<u32> = words.collect();
        self.raw(19, false, name, 8, values.len() as u32, &more)
    }
    /// Appends a declaration of a struct.
    pub fn forward(&mut self, name: &str) -> Id {
        self.raw(7, false, name, 0, 0, &[])
    }
    /// Appends a typedef.
    pub fn typedef(&mut self, name: &str, of: Id) -> Id {
        self.raw(8, false, name, of.0, 0, &[])
    }
    /// Appends a `const`.
    pub fn constant(&mut self, of: Id) -> Id {
        self.raw(10, false, "", of.0, 0, &[])
    }
    /// Appends a `volatile`.
    pub fn volatile(&mut self, of: Id) -> Id {
        self.raw(9, false, "", of.0, 0, &[])
    }
    /// Appends a prototype. A parameter with no name and type `void` is `...`.
    pub fn prototype(&mut self, returns: Id, parameters: &[(&str, Id)]) -> Id {
        let words = parameters.iter().flat_map(|&(name, of)| [self.text(name), of.0]);
        let more: Vec<u32> = words.collect();
        self.raw(13, false, "", returns.0, parameters.len() as u32, &more)
    }
    /// Appends a function with its prototype.
    pub fn function(&mut self, name: &str, returns: Id, parameters: &[(&str, Id)]) -> Id {
        let prototype = self.prototype(returns, parameters);
        self.raw(12, false, name, prototype.0, 1, &[])
    }
    /// Appends a type tag.
    pub fn type_tag(&mut self, name: &str, of: Id) -> Id {
        self.raw(18, false, name, of.0, 0, &[])
    }
}
