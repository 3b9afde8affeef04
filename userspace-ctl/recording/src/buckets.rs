// SPDX-License-Identifier: GPL-2.0
//! The buckets of distributions as an axis, including those between the used ones.

use crate::{Aggregation, Bucket, Entry};
use std::collections::BTreeSet;

/// Values from the first to the second, both included; `None` means without a bound.
pub type Range = (Option<i64>, Option<i64>);

/// The most buckets of an axis. If there are more, the empty ones are left out.
const MOST: usize = 200;

fn order(range: &Range) -> (i64, i64) {
    (range.0.unwrap_or(i64::MIN), range.1.unwrap_or(i64::MAX))
}

/// Returns all buckets from the least to the greatest that these entries use.
pub fn axis<'a>(of: &Aggregation, entries: impl Iterator<Item = &'a Entry>) -> Vec<Range> {
    let used = entries.flat_map(|e| &e.buckets).map(|b| order(&(b.low, b.high)));
    let used: BTreeSet<(i64, i64)> = used.collect();
    let range = |&(low, high): &(i64, i64)| {
        ((low != i64::MIN).then_some(low), (high != i64::MAX).then_some(high))
    };
    let used: Vec<Range> = used.iter().map(range).collect();
    let mut all: Vec<Range> = Vec::new();
    for bucket in &used {
        while let (Some(last), Some(low)) = (all.last(), bucket.0) {
            let Some(high) = last.1.filter(|h| h.checked_add(1).is_some_and(|n| n < low)) else {
                break;
            };
            match after(of, high).filter(|n| n.1.is_some_and(|h| h < low)) {
                Some(next) => all.push(next),
                None => break,
            }
            if all.len() > MOST {
                return used;
            }
        }
        all.push(*bucket);
    }
    all
}

/// Returns the bucket that begins after this value.
fn after(of: &Aggregation, high: i64) -> Option<Range> {
    let low = high.checked_add(1)?;
    let width = match (of.function.as_str(), of.parameters.as_slice()) {
        ("quantize", _) if low == 0 => 1,
        ("quantize", _) if low > 0 => low,
        // The buckets are -7 to -4, -3 to -2 and so on.
        ("quantize", _) => low.checked_neg()? / 2 + 1,
        ("lquantize", &[_, limit, step]) if low < limit => step,
        ("llquantize", &[factor, _, _, steps]) if low > 0 && factor > 1 && steps > 0 => {
            let mut end = factor;
            while end <= low {
                end = end.checked_mul(factor)?;
            }
            end / steps.min(end)
        }
        _ => return None,
    };
    Some((Some(low), Some(low.checked_add(width.max(1) - 1)?)))
}

/// Returns the counts of buckets along an axis, added up over entries.
pub fn counts<'a>(axis: &[Range], entries: impl Iterator<Item = &'a Entry>) -> Vec<i64> {
    let mut counts = vec![0i64; axis.len()];
    for b in entries.flat_map(|e| &e.buckets) {
        let at = axis.binary_search_by_key(&order(&(b.low, b.high)), order);
        if let Some(count) = at.ok().and_then(|at| counts.get_mut(at)) {
            *count = count.saturating_add(b.count);
        }
    }
    counts
}

/// Returns the bucket with the value below which this part (0 to 1) of all values lies.
pub fn percentile(buckets: &[Bucket], part: f64) -> Option<Range> {
    let total: f64 = buckets.iter().map(|b| b.count.max(0) as f64).sum();
    let mut seen = 0.0;
    let found = buckets.iter().find(|b| {
        seen += b.count.max(0) as f64;
        seen > 0.0 && seen >= total * part
    });
    found.map(|b| (b.low, b.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(function: &str, parameters: &[i64], used: &[Range]) -> Vec<Range> {
        let bucket = |&(low, high): &Range| Bucket { low, high, count: 1, raw: None };
        let entry = Entry { buckets: used.iter().map(bucket).collect(), ..Entry::default() };
        let (name, parameters) = (String::new(), parameters.to_vec());
        let function = function.into();
        let keynames = Vec::new();
        let of = Aggregation { name, function, parameters, keynames, entries: vec![entry] };
        axis(&of, of.entries.iter())
    }

    fn some(low: i64, high: i64) -> Range {
        (Some(low), Some(high))
    }

    #[test]
    fn gaps_are_filled() {
        let found = of("quantize", &[], &[some(-7, -4), some(8, 15)]);
        let expected = [(-7, -4), (-3, -2), (-1, -1), (0, 0), (1, 1), (2, 3), (4, 7), (8, 15)];
        assert_eq!(found, expected.map(|(l, h)| some(l, h)));
        let found =
            of("lquantize", &[0, 20, 5], &[(None, Some(-1)), some(10, 14), (Some(20), None)]);
        let expected = [(None, Some(-1)), some(0, 4), some(5, 9), some(10, 14), some(15, 19)];
        assert_eq!(found[..5], expected);
        assert_eq!(found[5..], [(Some(20), None)]);
        let found = of("llquantize", &[10, 0, 2, 10], &[some(8, 8), some(20, 29)]);
        assert_eq!(found, [some(8, 8), some(9, 9), some(10, 19), some(20, 29)]);
        // A stream from an older command lacks the parameters.
        assert_eq!(of("lquantize", &[], &[some(0, 4), some(10, 14)]).len(), 2);
    }

    #[test]
    fn percentiles_are_buckets() {
        let bucket = |low, count| Bucket { low: Some(low), high: Some(low), count, raw: None };
        let buckets = [bucket(1, 98), bucket(2, 1), bucket(3, 1)];
        assert_eq!(percentile(&buckets, 0.5), Some(some(1, 1)));
        assert_eq!(percentile(&buckets, 0.99), Some(some(2, 2)));
        assert_eq!(percentile(&[], 0.5), None);
    }
}
