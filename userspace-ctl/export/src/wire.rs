// SPDX-License-Identifier: GPL-2.0
//! The encoding of Protocol Buffers, as far as metrics and profiles need it. The tests read the
//! output with `prost`, which is only under the Apache licence and may not be linked into a program
//! under GPL-2.0.

/// A message.
pub trait Encode {
    /// Writes the fields of the message.
    fn put(&self, to: &mut Writer);

    /// Returns the message as bytes.
    fn encoded(&self) -> Vec<u8> {
        let mut to = Writer::default();
        self.put(&mut to);
        to.0
    }

    /// Returns the message behind its length.
    fn encoded_with_length(&self) -> Vec<u8> {
        let bytes = self.encoded();
        let mut to = Writer::default();
        to.varint(bytes.len() as u64);
        to.0.extend(bytes);
        to.0
    }
}

/// The wire types of fields.
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const BYTES: u64 = 2;

/// Collects the fields of a message. Each function takes the number of the field.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            // CAST: the lowest seven bits.
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn key(&mut self, field: u64, wire_type: u64) {
        self.varint(field << 3 | wire_type);
    }

    /// Writes a `bytes`, or a message that is encoded already.
    pub fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a `uint32`, `uint64` or `bool`.
    pub fn uint(&mut self, field: u64, n: u64) {
        self.key(field, VARINT);
        self.varint(n);
    }

    /// Writes the number unless it is 0, as proto3 does.
    pub fn uint_unless_0(&mut self, field: u64, n: u64) {
        if n != 0 {
            self.uint(field, n);
        }
    }

    /// Writes an `int32` or `int64`.
    pub fn int(&mut self, field: u64, n: i64) {
        self.uint(field, n as u64);
    }

    /// Writes the number unless it is 0, as proto3 does.
    pub fn int_unless_0(&mut self, field: u64, n: i64) {
        self.uint_unless_0(field, n as u64);
    }

    /// Writes a `sint32` or `sint64`: small negative numbers are short.
    pub fn sint(&mut self, field: u64, n: i64) {
        self.uint(field, ((n << 1) ^ (n >> 63)) as u64);
    }

    /// Writes a `double`.
    pub fn double(&mut self, field: u64, value: f64) {
        self.key(field, FIXED_64);
        self.0.extend(value.to_le_bytes());
    }

    /// Writes a `string`.
    pub fn text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// Writes a message.
    pub fn message(&mut self, field: u64, message: &impl Encode) {
        self.bytes(field, &message.encoded());
    }

    /// Writes a `fixed64` or `sfixed64`.
    pub fn fixed(&mut self, field: u64, n: u64) {
        self.key(field, FIXED_64);
        self.0.extend(n.to_le_bytes());
    }

    /// Writes a message whose fields `put` writes.
    pub fn nested(&mut self, field: u64, put: impl FnOnce(&mut Self)) {
        self.bytes(field, &Self::written(put));
    }

    /// Returns the fields that `put` writes.
    pub fn written(put: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut all = Self::default();
        put(&mut all);
        all.0
    }

    /// Writes a `repeated fixed64` or `double` as one packed field, unless there are none.
    pub fn packed_fixed(&mut self, field: u64, numbers: impl Iterator<Item = u64>) {
        let all: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
        if !all.is_empty() {
            self.bytes(field, &all);
        }
    }

    /// Writes numbers as one packed field, unless there are none.
    pub fn packed(&mut self, field: u64, numbers: impl Iterator<Item = u64>) {
        let mut all = Self::default();
        numbers.for_each(|n| all.varint(n));
        if !all.0.is_empty() {
            self.bytes(field, &all.0);
        }
    }
}
