// SPDX-License-Identifier: GPL-2.0
//! The messages of pprof's `profile.proto`. Field numbers and names are the format's.

use prost::Message;

/// A profile.
#[derive(Clone, PartialEq, Message)]
pub struct Profile {
    /// What each number of a sample counts.
    #[prost(message, repeated, tag = "1")]
    pub sample_type: Vec<ValueType>,
    /// Stacks with their numbers.
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<Sample>,
    /// Files that frames are in.
    #[prost(message, repeated, tag = "3")]
    pub mapping: Vec<Mapping>,
    /// Frames.
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<Location>,
    /// Functions.
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<Function>,
    /// All texts; the first one is empty.
    #[prost(string, repeated, tag = "6")]
    pub string_table: Vec<String>,
    /// Nanoseconds since 1970.
    #[prost(int64, tag = "9")]
    pub time_nanos: i64,
    /// Nanoseconds that were traced.
    #[prost(int64, tag = "10")]
    pub duration_nanos: i64,
    /// Remarks that tools print.
    #[prost(int64, repeated, tag = "13")]
    pub comment: Vec<i64>,
    /// The sample type that tools show first.
    #[prost(int64, tag = "14")]
    pub default_sample_type: i64,
}

/// A kind of number; both members are places in the table of texts.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct ValueType {
    /// Its name.
    #[prost(int64, tag = "1")]
    pub r#type: i64,
    /// Its unit.
    #[prost(int64, tag = "2")]
    pub unit: i64,
}

/// A stack with its numbers.
#[derive(Clone, PartialEq, Message)]
pub struct Sample {
    /// Frames, the innermost first.
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    /// One for each sample type.
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
    /// What else is known of it.
    #[prost(message, repeated, tag = "3")]
    pub label: Vec<Label>,
}

/// A further key of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub struct Label {
    /// Its name.
    #[prost(int64, tag = "1")]
    pub key: i64,
    /// Its text, if it is one.
    #[prost(int64, tag = "2")]
    pub str: i64,
    /// Its number otherwise.
    #[prost(int64, tag = "3")]
    pub num: i64,
}

/// A file that frames are in.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Mapping {
    /// From 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Its name.
    #[prost(int64, tag = "5")]
    pub filename: i64,
    /// Functions are named, so tools need not look for the file.
    #[prost(bool, tag = "7")]
    pub has_functions: bool,
    /// So are inlined ones.
    #[prost(bool, tag = "10")]
    pub has_inline_frames: bool,
}

/// A frame.
#[derive(Clone, PartialEq, Message)]
pub struct Location {
    /// From 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Its file; 0 if it is unknown.
    #[prost(uint64, tag = "2")]
    pub mapping_id: u64,
    /// The function, after the functions that are inlined in it.
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<Line>,
}

/// A function of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub struct Line {
    /// The function.
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
}

/// A function.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct Function {
    /// From 1.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// As people read it.
    #[prost(int64, tag = "2")]
    pub name: i64,
    /// As the linker knows it.
    #[prost(int64, tag = "3")]
    pub system_name: i64,
    /// Of its source or object.
    #[prost(int64, tag = "4")]
    pub filename: i64,
}
