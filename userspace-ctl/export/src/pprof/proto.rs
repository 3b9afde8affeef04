// SPDX-License-Identifier: GPL-2.0
//! The messages of pprof's `profile.proto`. Field numbers and names are the format's.

use crate::wire::{Encode, Writer};

/// A profile.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Profile {
    /// The kinds of numbers in a sample.
    #[cfg_attr(test, prost(message, repeated, tag = "1"))]
    pub sample_type: Vec<ValueType>,
    /// Stacks with their numbers.
    #[cfg_attr(test, prost(message, repeated, tag = "2"))]
    pub sample: Vec<Sample>,
    /// The files that contain frames.
    #[cfg_attr(test, prost(message, repeated, tag = "3"))]
    pub mapping: Vec<Mapping>,
    /// Frames.
    #[cfg_attr(test, prost(message, repeated, tag = "4"))]
    pub location: Vec<Location>,
    /// Functions.
    #[cfg_attr(test, prost(message, repeated, tag = "5"))]
    pub function: Vec<Function>,
    /// All texts; the first one is empty.
    #[cfg_attr(test, prost(string, repeated, tag = "6"))]
    pub string_table: Vec<String>,
    /// Nanoseconds since 1970.
    #[cfg_attr(test, prost(int64, tag = "9"))]
    pub time_nanos: i64,
    /// The duration of tracing, in nanoseconds.
    #[cfg_attr(test, prost(int64, tag = "10"))]
    pub duration_nanos: i64,
    /// Remarks that tools print.
    #[cfg_attr(test, prost(int64, repeated, tag = "13"))]
    pub comment: Vec<i64>,
    /// The sample type that tools show first.
    #[cfg_attr(test, prost(int64, tag = "14"))]
    pub default_sample_type: i64,
}

/// A kind of number; both members are indices in the table of texts.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct ValueType {
    /// Its name.
    #[cfg_attr(test, prost(int64, tag = "1"))]
    pub r#type: i64,
    /// Its unit.
    #[cfg_attr(test, prost(int64, tag = "2"))]
    pub unit: i64,
}

/// A stack with its numbers.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Sample {
    /// Frames, the innermost first.
    #[cfg_attr(test, prost(uint64, repeated, tag = "1"))]
    pub location_id: Vec<u64>,
    /// One number for each sample type.
    #[cfg_attr(test, prost(int64, repeated, tag = "2"))]
    pub value: Vec<i64>,
    /// The further keys of the sample.
    #[cfg_attr(test, prost(message, repeated, tag = "3"))]
    pub label: Vec<Label>,
}

/// A further key of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Label {
    /// Its name.
    #[cfg_attr(test, prost(int64, tag = "1"))]
    pub key: i64,
    /// Its text, if it is one.
    #[cfg_attr(test, prost(int64, tag = "2"))]
    pub str: i64,
    /// Its number, if it is not a text.
    #[cfg_attr(test, prost(int64, tag = "3"))]
    pub num: i64,
}

/// A file that contains frames.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Mapping {
    /// The id, from 1.
    #[cfg_attr(test, prost(uint64, tag = "1"))]
    pub id: u64,
    /// Its name.
    #[cfg_attr(test, prost(int64, tag = "5"))]
    pub filename: i64,
    /// Functions are named, so tools need not look for the file.
    #[cfg_attr(test, prost(bool, tag = "7"))]
    pub has_functions: bool,
    /// Inlined functions are named, too.
    #[cfg_attr(test, prost(bool, tag = "10"))]
    pub has_inline_frames: bool,
}

/// A frame.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Location {
    /// The id, from 1.
    #[cfg_attr(test, prost(uint64, tag = "1"))]
    pub id: u64,
    /// Its file; 0 if it is unknown.
    #[cfg_attr(test, prost(uint64, tag = "2"))]
    pub mapping_id: u64,
    /// The function, after the functions that are inlined in it.
    #[cfg_attr(test, prost(message, repeated, tag = "4"))]
    pub line: Vec<Line>,
}

/// A function of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Line {
    /// The function.
    #[cfg_attr(test, prost(uint64, tag = "1"))]
    pub function_id: u64,
}

/// A function.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(prost::Message))]
#[cfg_attr(not(test), derive(Debug, Default))]
pub struct Function {
    /// The id, from 1.
    #[cfg_attr(test, prost(uint64, tag = "1"))]
    pub id: u64,
    /// The readable name.
    #[cfg_attr(test, prost(int64, tag = "2"))]
    pub name: i64,
    /// The linker's name.
    #[cfg_attr(test, prost(int64, tag = "3"))]
    pub system_name: i64,
    /// The name of its source or object.
    #[cfg_attr(test, prost(int64, tag = "4"))]
    pub filename: i64,
}

impl Encode for Profile {
    fn put(&self, to: &mut Writer) {
        self.sample_type.iter().for_each(|v| to.message(1, v));
        self.sample.iter().for_each(|v| to.message(2, v));
        self.mapping.iter().for_each(|v| to.message(3, v));
        self.location.iter().for_each(|v| to.message(4, v));
        self.function.iter().for_each(|v| to.message(5, v));
        self.string_table.iter().for_each(|v| to.text(6, v));
        to.int_unless_0(9, self.time_nanos);
        to.int_unless_0(10, self.duration_nanos);
        to.packed(13, self.comment.iter().map(|v| *v as u64));
        to.int_unless_0(14, self.default_sample_type);
    }
}

impl Encode for ValueType {
    fn put(&self, to: &mut Writer) {
        to.int_unless_0(1, self.r#type);
        to.int_unless_0(2, self.unit);
    }
}

impl Encode for Sample {
    fn put(&self, to: &mut Writer) {
        to.packed(1, self.location_id.iter().copied());
        to.packed(2, self.value.iter().map(|v| *v as u64));
        self.label.iter().for_each(|v| to.message(3, v));
    }
}

impl Encode for Label {
    fn put(&self, to: &mut Writer) {
        to.int_unless_0(1, self.key);
        to.int_unless_0(2, self.str);
        to.int_unless_0(3, self.num);
    }
}

impl Encode for Mapping {
    fn put(&self, to: &mut Writer) {
        to.uint_unless_0(1, self.id);
        to.int_unless_0(5, self.filename);
        to.uint_unless_0(7, self.has_functions.into());
        to.uint_unless_0(10, self.has_inline_frames.into());
    }
}

impl Encode for Location {
    fn put(&self, to: &mut Writer) {
        to.uint_unless_0(1, self.id);
        to.uint_unless_0(2, self.mapping_id);
        self.line.iter().for_each(|v| to.message(4, v));
    }
}

impl Encode for Line {
    fn put(&self, to: &mut Writer) {
        to.uint_unless_0(1, self.function_id);
    }
}

impl Encode for Function {
    fn put(&self, to: &mut Writer) {
        to.uint_unless_0(1, self.id);
        to.int_unless_0(2, self.name);
        to.int_unless_0(3, self.system_name);
        to.int_unless_0(4, self.filename);
    }
}
