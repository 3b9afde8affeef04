// SPDX-License-Identifier: GPL-2.0
//! Run-time options: one row for each, with its number, name, unit, default and bounds.

/// The meaning of a value's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: `4m`, `16k`.
    Size,
    /// A rate or a period, kept as the ns between two events: `101hz`, `100ms`.
    Rate,
    /// A number.
    Count,
    /// `yes` or `no`; without a text, yes.
    Flag,
    /// `switch`, `fill`, `ring` (0, 1, 2).
    Policy,
    /// `auto`, `manual` (0, 1).
    Resize,
    /// A CPU id.
    Cpu,
}

/// Value of an option that is not set and has no default.
pub const UNSET: u64 = u64::MAX - 1;

/// Values of `bufpolicy`.
pub mod policy {
    /// Buffers are taken from time to time; a record is dropped if its buffer is full.
    pub const SWITCH: u64 = 0;
    /// Buffers are taken at the end; the first full one ends the tracing.
    pub const FILL: u64 = 1;
    /// Buffers are taken at the end; new records overwrite the oldest ones.
    pub const RING: u64 = 2;
}

/// Calls a macro with every option: `(number, Variant, "name", Unit, default, least, most)`.
#[macro_export]
macro_rules! for_each_option {
    ($m:ident) => {
        $m! {
            (0, Bufsize, "bufsize", Size, 4 << 20, 1, 16 << 30),
            (1, Bufpolicy, "bufpolicy", Policy, 0, 0, 2),
            (2, Dynvarsize, "dynvarsize", Size, 1 << 20, 1, 16 << 30),
            (3, Aggsize, "aggsize", Size, 4 << 20, 1, 16 << 30),
            (4, Specsize, "specsize", Size, 32 << 10, 0, 32 << 20),
            (5, Nspec, "nspec", Count, 1, 0, 1 << 16),
            (6, Strsize, "strsize", Size, 256, 2, 64 << 10),
            (7, Cleanrate, "cleanrate", Rate, 9_900_990, 200_000, 60_000_000_000),
            (8, Cpu, "cpu", Cpu, u64::MAX - 1, 0, 1 << 16),
            (9, Bufresize, "bufresize", Resize, 0, 0, 1),
            (10, Grabanon, "grabanon", Flag, 0, 0, 1),
            (11, Flowindent, "flowindent", Flag, 0, 0, 1),
            (12, Quiet, "quiet", Flag, 0, 0, 1),
            (13, Stackframes, "stackframes", Count, 20, 0, 512),
            (14, Ustackframes, "ustackframes", Count, 20, 0, 512),
            (15, Aggrate, "aggrate", Rate, 1_000_000_000, 1_000_000, 3_600_000_000_000),
            (16, Switchrate, "switchrate", Rate, 1_000_000_000, 1_000_000, 3_600_000_000_000),
            (17, Statusrate, "statusrate", Rate, 1_000_000_000, 1_000_000, 3_600_000_000_000),
            (18, Destructive, "destructive", Flag, 0, 0, 1),
            (19, Stackindent, "stackindent", Count, 14, 0, 1024),
            (20, Rawbytes, "rawbytes", Flag, 0, 0, 1),
            (21, Jstackframes, "jstackframes", Count, 50, 0, 512),
            (22, Jstackstrsize, "jstackstrsize", Size, 512, 0, 64 << 10),
            (23, Aggsortkey, "aggsortkey", Flag, 0, 0, 1),
            (24, Aggsortrev, "aggsortrev", Flag, 0, 0, 1),
            (25, Aggsortpos, "aggsortpos", Count, 0, 0, 1 << 16),
            (26, Aggsortkeypos, "aggsortkeypos", Count, 0, 0, 1 << 16),
            (27, Temporal, "temporal", Flag, 1, 0, 1),
            (28, Agghist, "agghist", Flag, 0, 0, 1),
            (29, Aggpack, "aggpack", Flag, 0, 0, 1),
            (30, Aggzoom, "aggzoom", Flag, 0, 0, 1),
            (31, Demangle, "demangle", Flag, 1, 0, 1),
            (32, Inlined, "inlined", Flag, 1, 0, 1),
            (33, Aggrows, "aggrows", Count, u64::MAX - 1, 0, 1 << 24),
        }
    };
}

macro_rules! define_options {
    ($(($num:literal, $variant:ident, $name:literal, $unit:ident, $default:expr, $min:expr, $max:expr)),* $(,)?) => {
        /// A run-time option; its number travels in DOF.
        #[allow(missing_docs, reason = "the D name is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum OptionId { $($variant = $num),* }
        impl OptionId {
            /// Every option.
            pub const ALL: &[OptionId] = &[$(OptionId::$variant),*];
            /// Returns the option with this number.
            pub const fn from_number(n: u32) -> Option<OptionId> {
                match n { $($num => Some(OptionId::$variant),)* _ => None }
            }
            /// Returns the name that follows `-x`.
            pub const fn name(self) -> &'static str {
                match self { $(OptionId::$variant => $name),* }
            }
            /// Returns the unit of its text.
            pub const fn unit(self) -> Unit {
                match self { $(OptionId::$variant => Unit::$unit),* }
            }
            /// Returns the value if nobody sets one.
            pub const fn default(self) -> u64 {
                match self { $(OptionId::$variant => $default),* }
            }
            /// Tells whether it may change during tracing. Only the consumer reads such an option.
            pub const fn is_dynamic(self) -> bool {
                use OptionId::*;
                matches!(
                    self,
                    Flowindent
                        | Quiet
                        | Aggrate
                        | Switchrate
                        | Statusrate
                        | Stackindent
                        | Rawbytes
                        | Aggsortkey
                        | Aggsortrev
                        | Aggsortpos
                        | Aggsortkeypos
                        | Agghist
                        | Aggpack
                        | Aggzoom
                        | Aggrows
                )
            }
            /// Returns the least and the greatest value that it accepts.
            pub const fn bounds(self) -> (u64, u64) {
                match self { $(OptionId::$variant => ($min, $max)),* }
            }
        }
    };
}
for_each_option!(define_options);

/// All options of a consumer.
#[derive(Debug, Clone)]
pub struct Options([u64; OptionId::ALL.len()]);

impl Default for Options {
    fn default() -> Self {
        let mut values = [0; OptionId::ALL.len()];
        for (v, id) in values.iter_mut().zip(OptionId::ALL) {
            *v = id.default();
        }
        Self(values)
    }
}

impl Options {
    /// Returns the current value.
    pub fn get(&self, id: OptionId) -> u64 {
        self.0.get(id as usize).copied().unwrap_or(UNSET)
    }
    /// Sets a value. Returns false, and changes nothing, if it is out of bounds.
    pub fn set(&mut self, id: OptionId, value: u64) -> bool {
        let (least, most) = id.bounds();
        let ok = value >= least && value <= most;
        if let (true, Some(v)) = (ok, self.0.get_mut(id as usize)) {
            *v = value;
        }
        ok
    }
}
