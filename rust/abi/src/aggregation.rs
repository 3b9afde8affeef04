// SPDX-License-Identifier: GPL-2.0
//! Aggregating functions: the arithmetic that both sides must compute alike.
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
    /// `llquantize(x, factor, low, high, nsteps[, weight])`: parameters, under, buckets, over.
    Llquantize(LogLinear),
}

/// Parameters of llquantize; word 0 of its value: factor << 48 | low << 32 | high << 16 | steps.
/// The numbers of one *magnitude* m, from factor^m to factor^(m + 1), are counted in buckets of
/// equal width. `steps` such buckets would reach from 0 to factor^(m + 1); factor^(m + 1) buckets
/// of width 1 if that is fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLinear {
    /// Base of the powers.
    pub factor: u16,
    /// Least magnitude.
    pub low: u16,
    /// Greatest magnitude.
    pub high: u16,
    /// Buckets from 0 to the end of a magnitude.
    pub steps: u16,
}

/// One magnitude: its first value, the width of its buckets, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Magnitude {
    begin: i64,
    width: i64,
    buckets: usize,
}

impl LogLinear {
    /// Encodes it as in the action's argument and in word 0.
    pub const fn encode(self) -> u64 {
        (self.factor as u64) << 48
            | (self.low as u64) << 32
            | (self.high as u64) << 16
            | self.steps as u64
    }
    /// Decodes the action's argument; `None` if the parameters make no buckets.
    pub const fn decode(arg: u64) -> Option<Self> {
        let l = Self {
            factor: (arg >> 48) as u16,
            low: (arg >> 32) as u16,
            high: (arg >> 16) as u16,
            steps: arg as u16,
        };
        match l.problem() {
            None => Some(l),
            Some(_) => None,
        }
    }
    /// Returns the problem with the parameters, if there is one.
    pub const fn problem(self) -> Option<LogLinearProblem> {
        if self.factor < 2 {
            return Some(LogLinearProblem::FactorSmall);
        }
        if self.low > self.high {
            return Some(LogLinearProblem::MagnitudeRange);
        }
        if self.factor > self.steps {
            return Some(LogLinearProblem::FactorSteps);
        }
        let factor = self.factor as i64;
        let steps = self.steps as i64;
        // The end of the last magnitude must fit, and the buckets must have whole widths.
        let (mut power, mut m) = (1i64, 0);
        let mut is_even = self.steps % self.factor == 0;
        while m <= self.high {
            power = match power.checked_mul(factor) {
                Some(p) => p,
                None => return Some(LogLinearProblem::MagnitudeBig),
            };
            if m >= self.low && power > steps && power % steps != 0 {
                is_even = false;
            }
            m += 1;
        }
        if is_even {
            None
        } else {
            Some(LogLinearProblem::FactorEven)
        }
    }
    /// Returns the magnitudes, the least one first.
    fn magnitudes(self) -> impl Iterator<Item = Magnitude> {
        let factor = i64::from(self.factor);
        let first = factor.checked_pow(self.low.into()).unwrap_or(i64::MAX);
        let begins = core::iter::successors(Some(first), move |b| b.checked_mul(factor));
        let count = usize::from(self.high.saturating_sub(self.low)).saturating_add(1);
        begins.take(count).map(move |begin| {
            let end = begin.saturating_mul(factor);
            let steps = i64::from(self.steps).min(end);
            let width = end.checked_div(steps).unwrap_or(1).max(1);
            // CAST: not negative, at most 65535.
            let buckets = steps.wrapping_sub(steps.checked_div(factor).unwrap_or(0)) as usize;
            Magnitude { begin, width, buckets }
        })
    }
    /// Returns the number of buckets of all magnitudes.
    pub fn buckets(self) -> usize {
        self.magnitudes().map(|m| m.buckets).fold(0, usize::saturating_add)
    }
    /// Returns which word after the parameters counts `value`: 0 below the least magnitude,
    /// [`Self::buckets`] + 1 above the greatest.
    pub fn bucket(self, value: i64) -> usize {
        let mut before = 0usize;
        for m in self.magnitudes() {
            if value < m.begin {
                return before;
            }
            let at = value.wrapping_sub(m.begin).checked_div(m.width).unwrap_or(0);
            // CAST: not negative.
            if (at as u64) < m.buckets as u64 {
                return before.saturating_add(at as usize).saturating_add(1);
            }
            before = before.saturating_add(m.buckets);
        }
        before.saturating_add(1)
    }
    /// Returns the least value that word `bucket` (from 1) counts.
    pub fn lower_bound(self, bucket: usize) -> i64 {
        let mut at = bucket.saturating_sub(1);
        let mut end = 0i64;
        for m in self.magnitudes() {
            if at < m.buckets {
                // CAST: at most 65535.
                return m.begin.saturating_add((at as i64).saturating_mul(m.width));
            }
            at = at.saturating_sub(m.buckets);
            end = m.begin.saturating_mul(i64::from(self.factor));
        }
        end
    }
}

/// The reason why parameters of llquantize make no buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLinearProblem {
    /// The factor is less than 2.
    FactorSmall,
    /// The least magnitude is above the greatest.
    MagnitudeRange,
    /// The factor is above the number of steps.
    FactorSteps,
    /// A power of the factor does not fit into 64 bits.
    MagnitudeBig,
    /// The steps do not divide a magnitude evenly.
    FactorEven,
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
    /// Encodes it as in the action's argument and in word 0.
    pub const fn encode(self) -> u64 {
        (self.step as u64) << 48 | (self.levels as u64) << 32 | self.base as u32 as u64
    }
    /// Decodes the action's argument; `None` if a bucket has no width or there are no buckets.
    pub const fn decode(arg: u64) -> Option<Self> {
        let l =
            Self { base: arg as u32 as i32, step: (arg >> 48) as u16, levels: (arg >> 32) as u16 };
        if l.step == 0 || l.levels == 0 || l.levels > LQUANTIZE_MAX_LEVELS {
            None
        } else {
            Some(l)
        }
    }
    /// Returns which word after the parameters counts `value`: 0 below base, levels + 1 at the
    /// limit and above.
    pub fn bucket(self, value: i64) -> usize {
        let base = i64::from(self.base);
        if value < base {
            return 0;
        }
        let level =
            (value.wrapping_sub(base) as u64).checked_div(u64::from(self.step)).unwrap_or(0);
        level.min(u64::from(self.levels)) as usize + 1
    }
    /// Returns the least value that word `bucket` (from 1) counts.
    pub fn lower_bound(self, bucket: usize) -> i64 {
        let level = (bucket as i64).wrapping_sub(1);
        i64::from(self.base).wrapping_add(level.wrapping_mul(i64::from(self.step)))
    }
}

/// Returns the quantize bucket of a value.
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

/// Returns the value in the row of a quantize bucket: of the values that it counts, the one nearest
/// to 0, which is 0 or a power of two with a sign.
pub fn quantize_value(bucket: usize) -> i64 {
    match bucket {
        QUANTIZE_ZERO => 0,
        b if b > QUANTIZE_ZERO => 1i64.wrapping_shl((b - QUANTIZE_ZERO - 1) as u32),
        b => 1i64.wrapping_shl((QUANTIZE_ZERO - 1 - b) as u32).wrapping_neg(),
    }
}

impl AggFunc {
    /// Returns the function of an action; `None` if the kind does not aggregate or the argument is
    /// malformed.
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
            ActionKind::Llquantize => match LogLinear::decode(arg) {
                Some(l) => Self::Llquantize(l),
                None => return None,
            },
            _ => return None,
        })
    }

    /// Returns its name in D.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => ActionKind::Count,
            Self::Min => ActionKind::Min,
            Self::Max => ActionKind::Max,
            Self::Avg => ActionKind::Avg,
            Self::Sum => ActionKind::Sum,
            Self::Stddev => ActionKind::Stddev,
            Self::Quantize => ActionKind::Quantize,
            Self::Lquantize(_) => ActionKind::Lquantize,
            Self::Llquantize(_) => ActionKind::Llquantize,
        }
        .name()
    }

    /// Returns the number of 64-bit words of its value.
    pub fn words(self) -> usize {
        match self {
            Self::Count | Self::Min | Self::Max | Self::Sum => 1,
            Self::Avg => 2,
            Self::Stddev => 4,
            Self::Quantize => QUANTIZE_BUCKETS,
            Self::Lquantize(l) => l.levels as usize + 3,
            Self::Llquantize(l) => l.buckets().saturating_add(3),
        }
    }

    /// Makes the words of a new, all-zero value neutral.
    pub fn init(self, words: &mut [u64]) {
        if let Some(first) = words.first_mut() {
            match self {
                Self::Min => *first = i64::MAX as u64,
                Self::Max => *first = i64::MIN as u64,
                Self::Lquantize(l) => *first = l.encode(),
                Self::Llquantize(l) => *first = l.encode(),
                _ => {}
            }
        }
    }

    /// Tells whether a program can give each value a weight.
    pub const fn takes_weight(self) -> bool {
        matches!(self, Self::Quantize | Self::Lquantize(_) | Self::Llquantize(_))
    }

    /// Folds a value into `words`, of which there are [`Self::words`]. `weight` matters only to the
    /// functions that [take one](Self::takes_weight); it is 1 unless the program gives one.
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
            Self::Llquantize(l) => add(l.bucket(value).saturating_add(1), weight as u64),
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
                let skip = usize::from(matches!(self, Self::Lquantize(_) | Self::Llquantize(_)));
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

/// Returns the integer square root, for stddev.
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
    fn llquantize_buckets() {
        let l = LogLinear { factor: 10, low: 0, high: 2, steps: 20 };
        assert_eq!(LogLinear::decode(l.encode()), Some(l));
        // 1 to 9 by ones, 10 to 95 by fives, 100 to 950 by fifties.
        assert_eq!(l.buckets(), 9 + 18 + 18);
        for (value, bucket) in [
            (i64::MIN, 0),
            (0, 0),
            (1, 1),
            (9, 9),
            (10, 10),
            (14, 10),
            (15, 11),
            (99, 27),
            (100, 28),
            (149, 28),
            (999, 45),
            (1000, 46),
            (i64::MAX, 46),
        ] {
            assert_eq!(l.bucket(value), bucket, "{value}");
        }
        for bucket in 1..=46 {
            assert_eq!(l.bucket(l.lower_bound(bucket)), bucket);
            assert_eq!(l.bucket(l.lower_bound(bucket) - 1), bucket - 1);
        }
        let f = AggFunc::Llquantize(l);
        let mut w = vec![0; f.words()];
        f.init(&mut w);
        f.update(&mut w, 12, 2);
        let v = w.clone();
        f.merge(&mut w, &v);
        assert_eq!((w[0], w[11]), (l.encode(), 4));
    }
    #[test]
    fn llquantize_parameters() {
        use LogLinearProblem::*;
        let of = |factor, low, high, steps| LogLinear { factor, low, high, steps }.problem();
        for (found, wanted) in [
            (of(10, 0, 6, 20), None),
            (of(10, 0, 17, 10), None),
            (of(2, 0, 61, 2), None),
            (of(2, 3, 20, 16), None),
            (of(1, 0, 6, 20), Some(FactorSmall)),
            (of(10, 7, 6, 20), Some(MagnitudeRange)),
            (of(20, 0, 6, 10), Some(FactorSteps)),
            (of(10, 0, 18, 10), Some(MagnitudeBig)),
            (of(10, 0, 6, 25), Some(FactorEven)),
            (of(10, 0, 6, 30), Some(FactorEven)),
        ] {
            assert_eq!(found, wanted);
        }
        assert_eq!(AggFunc::from_action(ActionKind::Llquantize, 0), None);
        // Far from zero, and up to the largest number.
        let l = LogLinear { factor: 2, low: 60, high: 61, steps: 2 };
        assert_eq!((l.buckets(), l.bucket(1 << 60), l.bucket(i64::MAX)), (2, 1, 3));
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
