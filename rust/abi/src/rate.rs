// SPDX-License-Identifier: GPL-2.0
//! Names of the provider `profile`'s probes: `profile-997`, `tick-5s`. There are endlessly many, so
//! the provider makes a probe when somebody asks for it. Here the provider and the consumer agree
//! on the valid names.

/// The shortest time between two firings. With more than 5,000 firings a second, a machine may make
/// no progress.
pub const MIN_INTERVAL_NS: u64 = 200_000;

/// Calls a macro with every unit: `("suffix", nanoseconds)`. 0: the number is the firings per
/// second.
#[macro_export]
macro_rules! for_each_time_unit {
    ($m:ident) => {
        $m! {
            ("", 0), ("hz", 0),
            ("ns", 1), ("nsec", 1),
            ("us", 1_000), ("usec", 1_000),
            ("ms", 1_000_000), ("msec", 1_000_000),
            ("s", 1_000_000_000), ("sec", 1_000_000_000),
            ("m", 60_000_000_000), ("min", 60_000_000_000),
            ("h", 3_600_000_000_000), ("hour", 3_600_000_000_000),
            ("d", 86_400_000_000_000), ("day", 86_400_000_000_000),
        }
    };
}

macro_rules! define_units {
    ($(($suffix:literal, $ns:literal)),* $(,)?) => {
        /// The suffixes, with the nanoseconds of each unit.
        pub const UNITS: &[(&str, u64)] = &[$(($suffix, $ns)),*];
    };
}
for_each_time_unit!(define_units);

/// The CPUs on which a probe fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// `profile-N`: every CPU.
    Everywhere,
    /// `tick-N`: one of them.
    Somewhere,
}

/// A probe of the provider `profile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// The CPUs on which it fires.
    pub at: Where,
    /// Nanoseconds between two firings.
    pub interval_ns: u64,
}

/// The reason why a name is not one of its probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRate {
    /// It does not begin with `profile-` or `tick-`.
    Other,
    /// It has no number, or the number is 0.
    Number,
    /// The number is not followed by a unit.
    Unit,
    /// The rate is higher than allowed.
    TooOften,
    /// The interval is longer than the kernel can count.
    TooSeldom,
}

impl NotRate {
    /// Returns the explanation for the user, as a sentence without its period.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Other => "its probes are called `profile-N` and `tick-N`",
            Self::Number => "a number that is not 0 follows `profile-` or `tick-`",
            Self::Unit => {
                "the unit is one of ns, nsec, us, usec, ms, msec, s, sec, m, min, h, hour, d, day, hz; none means hz"
            }
            Self::TooOften => "no more than 5000 firings a second: the shortest interval is 200us",
            Self::TooSeldom => "the longest interval is some 292 years",
        }
    }
}

/// Reads a probe's name.
pub fn parse(name: &[u8]) -> Result<Rate, NotRate> {
    let (at, rest) = match (name.strip_prefix(b"profile-"), name.strip_prefix(b"tick-")) {
        (Some(rest), _) => (Where::Everywhere, rest),
        (None, Some(rest)) => (Where::Somewhere, rest),
        (None, None) => return Err(NotRate::Other),
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, unit) = rest.split_at_checked(digits).ok_or(NotRate::Number)?;
    let number = number.iter().try_fold(0_u64, |n, digit| {
        n.checked_mul(10)?.checked_add(digit.wrapping_sub(b'0').into())
    });
    if digits == 0 || number == Some(0) {
        return Err(NotRate::Number);
    }
    let known = UNITS.iter().find(|(suffix, _)| suffix.as_bytes() == unit);
    let &(_, ns) = known.ok_or(NotRate::Unit)?;
    let interval_ns = match (number, ns) {
        (None, 0) => 0,
        (Some(hz), 0) => 1_000_000_000_u64.checked_div(hz).unwrap_or(0),
        (number, ns) => {
            let all = number.and_then(|n| n.checked_mul(ns));
            // The kernel's times are signed.
            all.filter(|ns| i64::try_from(*ns).is_ok()).ok_or(NotRate::TooSeldom)?
        }
    };
    match interval_ns < MIN_INTERVAL_NS {
        true => Err(NotRate::TooOften),
        false => Ok(Rate { at, interval_ns }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        use NotRate::{Number, Other, TooOften, TooSeldom, Unit};
        let every = |interval_ns| Ok(Rate { at: Where::Everywhere, interval_ns });
        let some = |interval_ns| Ok(Rate { at: Where::Somewhere, interval_ns });
        for (name, want) in [
            ("profile-997", every(1_003_009)),
            ("profile-997hz", every(1_003_009)),
            ("profile-1", every(1_000_000_000)),
            ("tick-5", some(200_000_000)),
            ("tick-5000", some(200_000)),
            ("tick-5001", Err(TooOften)),
            ("tick-200us", some(200_000)),
            ("tick-200usec", some(200_000)),
            ("tick-199us", Err(TooOften)),
            ("tick-200000ns", some(200_000)),
            ("tick-200000nsec", some(200_000)),
            ("tick-0001ms", some(1_000_000)),
            ("tick-10msec", some(10_000_000)),
            ("tick-1s", some(1_000_000_000)),
            ("tick-2sec", some(2_000_000_000)),
            ("profile-1m", every(60_000_000_000)),
            ("profile-1min", every(60_000_000_000)),
            ("tick-1h", some(3_600_000_000_000)),
            ("tick-1hour", some(3_600_000_000_000)),
            ("tick-1d", some(86_400_000_000_000)),
            ("tick-2day", some(172_800_000_000_000)),
            ("tick-106752d", Err(TooSeldom)),
            ("tick-99999999999999999999d", Err(TooSeldom)),
            ("tick-99999999999999999999", Err(TooOften)),
            ("tick-1000000001", Err(TooOften)),
            ("tick-0", Err(Number)),
            ("tick-0s", Err(Number)),
            ("tick-", Err(Number)),
            ("tick-s", Err(Number)),
            ("tick--1s", Err(Number)),
            ("tick-1fortnight", Err(Unit)),
            ("tick-1.5s", Err(Unit)),
            ("tick-1 s", Err(Unit)),
            ("tick", Err(Other)),
            ("tock-1s", Err(Other)),
            ("", Err(Other)),
        ] {
            assert_eq!(parse(name.as_bytes()), want, "{name}");
        }
        for (suffix, _) in UNITS.iter().filter(|(suffix, _)| !suffix.is_empty()) {
            assert!(Unit.words().contains(suffix), "{suffix}");
        }
    }
}
