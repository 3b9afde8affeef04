// SPDX-License-Identifier: GPL-2.0
//! Aggregating functions: the arithmetic both sides must compute alike.
//!
//! The kernel folds values into per-CPU words with [`AggFunc::update`]; the consumer folds CPUs
//! together with [`AggFunc::merge`]. All arithmetic wraps.

use crate::action::ActionKind;

/// Buckets of quantize: 63 negative powers, 0, 63 positive powers.
pub const QUANTIZE_BUCKETS: usize = 127;
/// Index of the bucket of 0.
pub const QUANTIZE_ZERO: usize = 63;
/// Most buckets between base and limit of lquantize.
pub const LQUANTIZE_MAX_LEVELS: u16 = u16::MAX - 2;

/// An aggregating function with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggFunc {
    /// `count()`: one word.
    Count,
    /// `min(x)`.
    Min,
    /// `max(x)`.
    Max,
    /// `avg(x)`: count, total.
    Avg,
    /// `sum(x)`.
    Sum,
    /// `stddev(x)`: count, total, sum of squares (128 bit: low, high).
    Stddev,
    /// `quantize(x[, weight])`: 127 buckets.
    Quantize,
    /// `lquantize(x, base, limit, step[, weight])`: parameters, under, levels, over.
    Lquantize(Linear),
}

/// Parameters of lquantize; word 0 of its value: step << 48 | levels << 32 | base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linear {
    /// Least value of the first bucket.
    pub base: i32,
    /// Width of a bucket.
    pub step: u16,
    /// Buckets between base and limit.
    pub levels: u16,
}

impl Linear {
    /// As it travels in the action's argument and in word 0.
    pub const fn encode(self) -> u64 {
        (self.step as u64) << 48 | (self.levels as u64) << 32 | self.base as u32 as u64
    }
    /// From the action's argument; `None` if a bucket has no width or there are no buckets.
    pub const fn decode(arg: u64) -> Option<Self> {
        let l =
            Self { base: arg as u32 as i32, step: (arg >> 48) as u16, levels: (arg >> 32) as u16 };
        if l.step == 0 || l.levels == 0 || l.levels > LQUANTIZE_MAX_LEVELS {
            None
        } else {
            Some(l)
        }
    }
    /// The word behind the parameters that counts `value`: 0 below base, levels + 1 at the limit
    /// and above.
    pub fn bucket(self, value: i64) -> usize {
        let base = i64::from(self.base);
        if value < base {
            return 0;
        }
        let level =
            (value.wrapping_sub(base) as u64).checked_div(u64::from(self.step)).unwrap_or(0);
        level.min(u64::from(self.levels)) as usize + 1
    }
    /// Least value that word `bucket` (from 1) counts.
    pub fn lower_bound(self, bucket: usize) -> i64 {
        let level = (bucket as i64).wrapping_sub(1);
        i64::from(self.base).wrapping_add(level.wrapping_mul(i64::from(self.step)))
    }
}

/// The quantize bucket of a value.
#[inline]
pub fn quantize_bucket(value: i64) -> usize {
    let magnitude = match value.unsigned_abs() {
        0 => return QUANTIZE_ZERO,
        m => (63 - m.leading_zeros() as usize).min(QUANTIZE_BUCKETS - 1 - QUANTIZE_ZERO - 1),
    };
    if value > 0 {
        QUANTIZE_ZERO + 1 + magnitude
    } else {
        QUANTIZE_ZERO - 1 - magnitude
    }
}

/// What the row of a quantize bucket says: the power of two nearest to 0 that it counts.
pub fn quantize_value(bucket: usize) -> i64 {
    match bucket {
        QUANTIZE_ZERO => 0,
        b if b > QUANTIZE_ZERO => 1i64.wrapping_shl((b - QUANTIZE_ZERO - 1) as u32),
        b => 1i64.wrapping_shl((QUANTIZE_ZERO - 1 - b) as u32).wrapping_neg(),
    }
}

impl AggFunc {
    /// From an action; `None` if the kind does not aggregate or the argument is malformed.
    pub const fn from_action(kind: ActionKind, arg: u64) -> Option<Self> {
        Some(match kind {
            ActionKind::Count => Self::Count,
            ActionKind::Min => Self::Min,
            ActionKind::Max => Self::Max,
            ActionKind::Avg => Self::Avg,
            ActionKind::Sum => Self::Sum,
            ActionKind::Stddev => Self::Stddev,
            ActionKind::Quantize => Self::Quantize,
            ActionKind::Lquantize => match Linear::decode(arg) {
                Some(l) => Self::Lquantize(l),
                None => return None,
            },
            _ => return None,
        })
    }

    /// 64-bit words of the value.
    pub const fn words(self) -> usize {
        match self {
            Self::Count | Self::Min | Self::Max | Self::Sum => 1,
            Self::Avg => 2,
            Self::Stddev => 4,
            Self::Quantize => QUANTIZE_BUCKETS,
            Self::Lquantize(l) => l.levels as usize + 3,
        }
    }

    /// Makes the words of a fresh, all-zero value neutral.
    pub fn init(self, words: &mut [u64]) {
        if let Some(first) = words.first_mut() {
            match self {
                Self::Min => *first = i64::MAX as u64,
                Self::Max => *first = i64::MIN as u64,
                Self::Lquantize(l) => *first = l.encode(),
                _ => {}
            }
        }
    }

    /// Folds a value into `words`, which has [`Self::words`] of them. `weight` counts for quantize
    /// and lquantize, 1 unless the program gives one.
    pub fn update(self, words: &mut [u64], value: i64, weight: i64) {
        let mut add = |i: usize, v: u64| {
            if let Some(w) = words.get_mut(i) {
                *w = w.wrapping_add(v);
            }
        };
        match self {
            Self::Count => add(0, 1),
            Self::Sum => add(0, value as u64),
            Self::Avg => {
                add(0, 1);
                add(1, value as u64);
            }
            Self::Stddev => {
                add(0, 1);
                add(1, value as u64);
                let square =
                    u128::from(value.unsigned_abs()).wrapping_mul(u128::from(value.unsigned_abs()));
                add128(words, square);
            }
            Self::Quantize => add(quantize_bucket(value), weight as u64),
            Self::Lquantize(l) => add(l.bucket(value) + 1, weight as u64),
            Self::Min | Self::Max => {
                if let Some(w) = words.first_mut() {
                    let old = *w as i64;
                    *w = if self == Self::Min { old.min(value) } else { old.max(value) } as u64;
                }
            }
        }
    }

    /// Folds another CPU's words into `words`.
    pub fn merge(self, words: &mut [u64], other: &[u64]) {
        match self {
            Self::Min | Self::Max => {
                if let (Some(w), Some(&o)) = (words.first_mut(), other.first()) {
                    let (a, b) = (*w as i64, o as i64);
                    *w = if self == Self::Min { a.min(b) } else { a.max(b) } as u64;
                }
            }
            Self::Stddev => {
                for i in 0..2 {
                    if let (Some(w), Some(&o)) = (words.get_mut(i), other.get(i)) {
                        *w = w.wrapping_add(o);
                    }
                }
                if let Some(&[low, high]) = other.get(2..4) {
                    add128(words, u128::from(high) << 64 | u128::from(low));
                }
            }
            _ => {
                let skip = usize::from(matches!(self, Self::Lquantize(_)));
                for (w, &o) in words.iter_mut().zip(other).skip(skip) {
                    *w = w.wrapping_add(o);
                }
            }
        }
    }
}

fn add128(words: &mut [u64], v: u128) {
    if let Some([low, high]) = words.get_mut(2..4) {
        let sum = (u128::from(*high) << 64 | u128::from(*low)).wrapping_add(v);
        *low = sum as u64;
        *high = (sum >> 64) as u64;
    }
}

/// Integer square root, for stddev.
pub fn isqrt(v: u128) -> u64 {
    if v == 0 {
        return 0;
    }
    let mut root: u128 = 0;
    let mut bit: u128 = 1 << ((127 - v.leading_zeros()) / 2 * 2);
    let mut rest = v;
    while bit != 0 {
        let trial = root.wrapping_add(bit);
        if rest >= trial {
            rest = rest.wrapping_sub(trial);
            root = (root >> 1).wrapping_add(bit);
        } else {
            root >>= 1;
        }
        bit >>= 2;
    }
    root as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn quantize_buckets() {
        for (v, b) in [(0, 63), (1, 64), (2, 65), (3, 65), (4, 66), (-1, 62), (-2, 61), (-3, 61)] {
            assert_eq!(quantize_bucket(v), b, "{v}");
        }
        assert_eq!(quantize_bucket(i64::MAX), 126);
        assert_eq!(quantize_bucket(i64::MIN), 0);
        for b in 0..QUANTIZE_BUCKETS {
            assert_eq!(quantize_bucket(quantize_value(b)), b);
        }
    }
    #[test]
    fn lquantize_buckets() {
        let l = Linear { base: -10, step: 5, levels: 4 };
        assert_eq!(Linear::decode(l.encode()), Some(l));
        for (v, b) in
            [(-11, 0), (-10, 1), (-6, 1), (-5, 2), (9, 4), (10, 5), (i64::MAX, 5), (i64::MIN, 0)]
        {
            assert_eq!(l.bucket(v), b, "{v}");
        }
        assert_eq!(l.lower_bound(1), -10);
        assert_eq!(l.lower_bound(5), 10);
        let f = AggFunc::Lquantize(l);
        let mut w = [0; 7];
        f.init(&mut w);
        f.update(&mut w, -100, 1);
        f.update(&mut w, 100, 2);
        assert_eq!(w, [l.encode(), 1, 0, 0, 0, 0, 2]);
        let v = w;
        f.merge(&mut w, &v);
        assert_eq!(w, [l.encode(), 2, 0, 0, 0, 0, 4]);
    }
    #[test]
    fn min_max_avg_stddev() {
        for (f, want) in [(AggFunc::Min, -3i64), (AggFunc::Max, 7)] {
            let mut w = [0];
            f.init(&mut w);
            for v in [5, -3, 7] {
                f.update(&mut w, v, 1);
            }
            assert_eq!(w[0] as i64, want);
        }
        let mut w = [0; 4];
        AggFunc::Stddev.update(&mut w, i64::MIN, 1);
        AggFunc::Stddev.update(&mut w, i64::MIN, 1);
        assert_eq!(w, [2, 0, 0, 1 << 63]);
        assert_eq!(isqrt(99), 9);
        assert_eq!(isqrt(u128::MAX), u64::MAX);
    }
}
