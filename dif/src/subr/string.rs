// SPDX-License-Identifier: GPL-2.0
//! Strings: strlen, strjoin, substr, toupper, tolower, and the searches strchr, strrchr, strstr,
//! index, rindex, strtok. They work as in C and perl, for ASCII only.

use core::cmp::Ordering;

use crate::addr;
use crate::bound::price;
use crate::env::Env;
use crate::fault::Raised;
use crate::mem::{Cursor, Mem, Text};
use crate::subr::Args;

/// The result of `index` and `rindex` if nothing is found.
const NOT_FOUND: u64 = -1i64 as u64;

/// `strlen(s)`.
#[inline(never)]
pub(super) fn strlen<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    // CAST: usize has at most 64 bits.
    mem.strlen(args.get(0)?).map(|n| n as u64)
}

/// `strjoin(a, b)`.
#[inline(never)]
pub(super) fn strjoin<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let a = mem.arg_text(args.get(0)?)?;
    let b = mem.arg_text(args.get(1)?)?;
    mem.compose(mark, |texts, out| {
        out.extend(texts.get(&a));
        out.extend(texts.get(&b));
    })
}

/// `toupper(s)`, `tolower(s)`.
#[inline(never)]
pub(super) fn change_case<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    args: Args<'_>,
    change: fn(&u8) -> u8,
) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let text = mem.arg_text(args.get(0)?)?;
    mem.pay_for(&text, price::SCAN)?;
    mem.compose(mark, |texts, out| texts.get(&text).iter().for_each(|b| out.push(change(b))))
}

/// `strchr(s, c)`: the string from the first `c` on, or NULL.
#[inline(never)]
pub(super) fn strchr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    find_char(mem, args, false)
}

/// `strrchr(s, c)`: the string from the last `c` on, or NULL.
#[inline(never)]
pub(super) fn strrchr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    find_char(mem, args, true)
}

#[inline(never)]
fn find_char<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>, last: bool) -> Result<u64, Raised> {
    let start = args.get(0)?;
    // CAST: a char, as in C.
    let wanted = args.get(1)? as u8;
    let mut cursor = Cursor::new(start, mem.clause.strsize());
    let (mut at, mut found) = (start, 0);
    while cursor.fill(mem)? {
        let have = cursor.have();
        let place = match last {
            false => have.iter().position(|&b| b == wanted),
            true => have.iter().rposition(|&b| b == wanted),
        };
        if let Some(n) = place {
            // CAST: less than a chunk.
            found = at.wrapping_add(n as u64);
            if !last {
                return Ok(found);
            }
        }
        let n = have.len();
        at = at.wrapping_add(n as u64);
        cursor.skip(n);
    }
    // The NUL belongs to the string, as in C.
    Ok(if wanted == 0 && start != 0 { at } else { found })
}

/// Pays for a search, whether it finds anything or not.
fn pay_for_search<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    text: &Text,
    wanted: &Text,
) -> Result<(), Raised> {
    mem.pay_for(text, price::SEARCH)?;
    mem.pay_for(wanted, price::WANTED)
}

/// Returns byte `n` of a text, counted from its end if it is read backwards.
#[inline(always)]
fn byte<const BACK: bool>(text: &[u8], n: usize) -> Option<u8> {
    let at = if BACK { text.len().wrapping_sub(n).wrapping_sub(1) } else { n };
    text.get(at).copied()
}

/// Returns the start of a text's greatest suffix and the period of this suffix. With `Less`, the
/// order of the bytes is reversed. It compares at most twice as many bytes as the text has.
#[inline(always)]
fn greatest_suffix<const BACK: bool>(
    text: &[u8],
    greater: Ordering,
    compared: &mut impl FnMut(),
) -> (usize, usize) {
    // The suffixes at `start` and at `other` have the same first `same` bytes.
    let (mut start, mut other, mut same, mut period) = (0usize, 1usize, 0usize, 1usize);
    let byte = |suffix: usize, n| byte::<BACK>(text, suffix.wrapping_add(n));
    while let (Some(new), Some(old)) = (byte(other, same), byte(start, same)) {
        compared();
        let longer = same.wrapping_add(1);
        match new.cmp(&old) {
            Ordering::Equal if longer != period => same = longer,
            Ordering::Equal => (other, same) = (other.wrapping_add(period), 0),
            order if order == greater => {
                (start, other, same, period) = (other, other.wrapping_add(1), 0, 1);
            }
            _ => {
                (other, same) = (other.wrapping_add(longer), 0);
                period = other.wrapping_sub(start);
            }
        }
    }
    (start, period)
}

/// Returns the first position of `wanted` in `text`, both from their ends if they are read
/// backwards.
///
/// This is the two-way search of Crochemore and Perrin, which needs no memory. For each byte of
/// `text` it compares at most two, and for each byte of `wanted` five, whatever the strings are. So
/// no program can make it slow.
#[inline(always)]
fn two_way<const BACK: bool>(
    text: &[u8],
    wanted: &[u8],
    compared: &mut impl FnMut(),
) -> Option<usize> {
    let len = wanted.len();
    let last = text.len().checked_sub(len)?;
    // No repetition around the cut is shorter than the period.
    let (cut, period) = greatest_suffix::<BACK>(wanted, Ordering::Greater, compared)
        .max(greatest_suffix::<BACK>(wanted, Ordering::Less, compared));
    let mut differs = |k: usize, from: &[u8], at: usize| {
        compared();
        byte::<BACK>(wanted, k) != byte::<BACK>(from, at.wrapping_add(k))
    };
    // The move after a difference on the left of the cut, and the length that need not be compared
    // again.
    let (shift, kept) = match (0..cut).any(|k| differs(k, wanted, period)) {
        false => (period, len.saturating_sub(period)),
        true => (cut.max(len.wrapping_sub(cut)).wrapping_add(1), 0),
    };
    let (mut at, mut known) = (0usize, 0usize);
    while at <= last {
        if let Some(k) = (cut.max(known)..len).find(|k| differs(*k, text, at)) {
            (at, known) = (at.wrapping_add(k.wrapping_sub(cut)).wrapping_add(1), 0);
        } else if (known..cut).rev().any(|k| differs(k, text, at)) {
            (at, known) = (at.wrapping_add(shift), kept);
        } else {
            return Some(at);
        }
    }
    None
}

/// Returns the first position of `wanted` in `text` at or after `from`.
#[inline(never)]
fn search(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    two_way::<false>(text.get(from..)?, wanted, &mut || {})?.checked_add(from)
}

/// Returns the last position of `wanted` in `text`.
#[inline(never)]
fn search_back(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let behind = two_way::<true>(text, wanted, &mut || {})?;
    text.len().checked_sub(behind)?.checked_sub(wanted.len())
}

/// `strstr(s, sub)`: the string from the first `sub` on, or NULL.
#[inline(never)]
pub(super) fn strstr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let start = args.get(0)?;
    let mark = mem.clause.mark();
    let text = mem.arg_text(start)?;
    let wanted = mem.arg_text(args.get(1)?)?;
    pay_for_search(mem, &text, &wanted)?;
    let texts = mem.texts();
    let found = search(texts.get(&text), texts.get(&wanted), 0);
    mem.clause.release(mark);
    // CAST: usize has at most 64 bits.
    Ok(found.map_or(0, |n| start.wrapping_add(n as u64)))
}

/// `index(s, sub, [start])`: the first position at or after `start`, or -1. A negative start counts
/// as 0.
#[inline(never)]
pub(super) fn index<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let text = mem.arg_text(args.get(0)?)?;
    let wanted = mem.arg_text(args.get(1)?)?;
    // CAST: an int of D.
    let from = args.opt(2).unwrap_or(0) as i64;
    pay_for_search(mem, &text, &wanted)?;
    let texts = mem.texts();
    let (text, wanted) = (texts.get(&text), texts.get(&wanted));
    let from = usize::try_from(from.max(0)).unwrap_or(usize::MAX);
    // As in perl, an empty string is found at the end, even for a start behind it.
    let from = if wanted.is_empty() { from.min(text.len()) } else { from };
    let found = search(text, wanted, from);
    mem.clause.release(mark);
    // CAST: usize has at most 64 bits.
    Ok(found.map_or(NOT_FOUND, |n| n as u64))
}

/// `rindex(s, sub, [start])`: the last position at or before `start`, or -1.
#[inline(never)]
pub(super) fn rindex<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let text = mem.arg_text(args.get(0)?)?;
    let wanted = mem.arg_text(args.get(1)?)?;
    // CAST: an int of D.
    let from = args.opt(2).map(|n| n as i64);
    pay_for_search(mem, &text, &wanted)?;
    let texts = mem.texts();
    let (text, wanted) = (texts.get(&text), texts.get(&wanted));
    // As in perl, an empty string is found at 0 from any place before it.
    let from = from.map(|from| if wanted.is_empty() { from.max(0) } else { from });
    // The number of positions for a window; a start behind them changes nothing.
    let places = text.len().checked_sub(wanted.len()).map_or(0, |n| n.saturating_add(1));
    let places = match from {
        None => places,
        Some(from) => usize::try_from(from.saturating_add(1)).map_or(0, |n| n.min(places)),
    };
    // The text up to the end of the last window.
    let end = places.checked_sub(1).and_then(|last| last.checked_add(wanted.len()));
    let found = end.and_then(|end| search_back(text.get(..end)?, wanted));
    mem.clause.release(mark);
    // CAST: usize has at most 64 bits.
    Ok(found.map_or(NOT_FOUND, |n| n as u64))
}

/// `substr(s, index, [length])`: a negative index counts from the end; a negative length leaves off
/// that many characters at the end. If the part begins before the string, the result is the piece
/// inside.
#[inline(never)]
pub(super) fn substr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let text = mem.arg_text(args.get(0)?)?;
    // CAST: ints of D.
    let index = args.get(1)? as i64;
    let length = args.opt(2).map(|n| n as i64);
    mem.compose(mark, |texts, out| {
        let text = texts.get(&text);
        out.extend(part(text, index, length));
    })
}

fn part(text: &[u8], index: i64, length: Option<i64>) -> &[u8] {
    let Ok(len) = i64::try_from(text.len()) else { return &[] };
    let start = if index < 0 { index.saturating_add(len) } else { index };
    let end = match length {
        None => len,
        Some(n) if n < 0 => len.saturating_add(n),
        Some(n) => start.saturating_add(n),
    };
    let place = |n: i64| usize::try_from(n.clamp(0, len)).unwrap_or(0);
    text.get(place(start)..place(end)).unwrap_or_default()
}

/// A set of bytes.
struct ByteSet([u64; 4]);

impl ByteSet {
    fn of(bytes: &[u8]) -> Self {
        let mut set = Self([0; 4]);
        for b in bytes {
            if let Some(word) = set.0.get_mut(usize::from(b >> 6)) {
                *word |= 1 << (b & 63);
            }
        }
        set
    }
    fn has(&self, b: &u8) -> bool {
        self.0.get(usize::from(b >> 6)).is_some_and(|word| word >> (b & 63) & 1 != 0)
    }
}

/// `strtok(s, delimiters)`: the next token, or NULL. A new string is copied into scratch once, and
/// its tokens are cut out of the copy. `strtok(NULL, ...)` continues there, in any object of the
/// same clause.
#[inline(never)]
pub(super) fn strtok<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let (start, delimiters) = (args.get(0)?, args.get(1)?);
    if start != 0 {
        let mark = mem.clause.mark();
        let text = mem.arg_text(start)?;
        let len = mem.texts().get(&text).len();
        mem.compose(mark, |texts, out| out.extend(texts.get(&text)))?;
        mem.clause.strtok = Some(mark..mark.saturating_add(len));
    }
    let Some(rest) = mem.clause.strtok.clone() else { return Ok(0) };
    let mark = mem.clause.mark();
    let delimiters = mem.arg_text(delimiters)?;
    mem.pay_for(&delimiters, price::SCAN)?;
    let texts = mem.texts();
    let set = ByteSet::of(texts.get(&delimiters));
    let bytes = mem.clause.live().get(rest.clone()).unwrap_or_default();
    let before = bytes.iter().take_while(|b| set.has(b)).count();
    let token = bytes.iter().skip(before).take_while(|b| !set.has(b)).count();
    mem.clause.release(mark);
    // CAST: usize has at most 64 bits.
    mem.pay(before.saturating_add(token) as u64, price::SCAN)?;
    if token == 0 {
        mem.clause.strtok = None;
        return Ok(0);
    }
    let first = rest.start.saturating_add(before);
    let end = first.saturating_add(token);
    // CAST: usize has at most 64 bits, here and below.
    if let Some(nul) = mem.clause.slice_mut(end as u64, 1) {
        nul.fill(0);
    }
    mem.clause.strtok = Some(end.saturating_add(1).min(rest.end)..rest.end);
    Ok(addr::make(addr::SCRATCH, first as u64))
}

#[cfg(test)]
mod tests {
    use super::{search, search_back, two_way};

    #[test]
    fn searches_find_what_naive_ones_find() {
        let mut x = 7u64;
        let mut random = |n: u64| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((x >> 33) % n) as usize
        };
        for _ in 0..50_000 {
            // Few different letters cause near misses and repetitions.
            let letters = 2 + random(2) as u64;
            let text: Vec<u8> = (0..random(40)).map(|_| b'a' + random(letters) as u8).collect();
            let wanted: Vec<u8> = (0..random(12)).map(|_| b'a' + random(letters) as u8).collect();
            let from = random(44);
            assert_linear(&text, &wanted);
            let at = |n: &usize| text[*n..].starts_with(&wanted);
            assert_eq!(
                search(&text, &wanted, from),
                (from..=text.len()).find(at),
                "{text:?} {wanted:?} {from}"
            );
            assert_eq!(
                search_back(&text, &wanted),
                (0..=text.len()).rev().find(at),
                "{text:?} {wanted:?}"
            );
        }
    }

    /// Returns the number of bytes that a search compares, from the start or from the end.
    fn compared<const BACK: bool>(text: &[u8], wanted: &[u8]) -> usize {
        let mut n = 0;
        two_way::<BACK>(text, wanted, &mut || n += 1);
        n
    }

    fn assert_linear(text: &[u8], wanted: &[u8]) {
        let most = 2 * text.len() + 5 * wanted.len();
        let n = compared::<false>(text, wanted).max(compared::<true>(text, wanted));
        assert!(n <= most, "{n} of {most}: {} in {}", wanted.len(), text.len());
    }

    #[test]
    fn a_search_costs_the_sum_of_the_lengths() {
        let same = vec![b'a'; 8191];
        // A Thue-Morse sequence has the same hash as a row of one letter, by every rolling hash
        // modulo 2^64.
        let thue_morse = |n: usize| -> Vec<u8> {
            (0..n).map(|n| if n.count_ones() % 2 == 0 { b'`' } else { b'b' }).collect()
        };
        let fibonacci = (0..17).fold((vec![b'a'], vec![b'a', b'b']), |(a, b), _| {
            let next = [&b[..], &a].concat();
            (b, next)
        });
        let mut half = same[..3967].to_vec();
        half.extend(thue_morse(1024));
        let texts = [&same, &half, &thue_morse(8191), &fibonacci.1];
        for text in texts {
            for wanted in texts {
                for len in [1, 2, 1000, 3000, wanted.len()] {
                    let mut wanted = wanted[..len.min(wanted.len())].to_vec();
                    assert_linear(text, &wanted);
                    wanted.push(b'x');
                    assert_linear(text, &wanted);
                    wanted.rotate_right(1);
                    assert_linear(text, &wanted);
                    wanted[0] = b'a';
                    wanted[len / 2] = b'x';
                    assert_linear(text, &wanted);
                }
            }
        }
    }
}
