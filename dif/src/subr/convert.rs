// SPDX-License-Identifier: GPL-2.0
//! Numbers and strings: lltostr, strtoll; device numbers: getmajor, getminor.

use crate::bound::price;
use crate::env::Env;
use crate::fault::Raised;
use crate::mem::{Mem, Out};
use crate::subr::Args;

/// Returns the base of a conversion: 10 if not given, otherwise 2 to 36.
fn base(arg: Option<u64>) -> Result<u64, Raised> {
    match arg {
        None => Ok(10),
        Some(base @ 2..=36) => Ok(base),
        Some(_) => Err(Raised::ill_op()),
    }
}

/// Writes digits without sign or prefix. The highest come first, so a cut number keeps them.
pub(super) fn write_digits(mut value: u64, base: u64, out: &mut Out<'_>) {
    let mut place: u64 = 1;
    while let Some(next) = place.checked_mul(base).filter(|p| *p <= value) {
        place = next;
    }
    while let (Some(digit), Some(rest)) = (value.checked_div(place), value.checked_rem(place)) {
        // CAST: less than 36.
        let digit = digit as u8;
        out.push(if digit < 10 { b'0' | digit } else { b'a'.wrapping_add(digit).wrapping_sub(10) });
        value = rest;
        // The loop ends at 1 / base, which is 0.
        place = place.checked_div(base).unwrap_or(0);
    }
}

/// `lltostr(value, [base])`: signed in base 10, otherwise the unsigned 64 bits; with C's prefix in
/// bases 8 and 16.
#[inline(never)]
pub(super) fn lltostr<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let value = args.get(0)?;
    let base = base(args.opt(1))?;
    mem.env.spend(price::DIGITS)?;
    let mark = mem.clause.mark();
    mem.compose(mark, |_, out| {
        // CAST: an int64_t of D.
        let negative = base == 10 && (value as i64) < 0;
        match base {
            10 if negative => out.push(b'-'),
            8 if value != 0 => out.push(b'0'),
            16 => out.extend(b"0x"),
            _ => {}
        }
        write_digits(if negative { value.wrapping_neg() } else { value }, base, out);
    })
}

/// `strtoll(s, [base])`: white space, a sign, in base 16 an optional "0x", digits. It wraps like
/// D's arithmetic.
#[inline(never)]
pub(super) fn strtoll<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let base = base(args.opt(1))?;
    let mark = mem.clause.mark();
    let text = mem.arg_text(args.get(0)?)?;
    mem.pay_for(&text, price::SCAN)?;
    let value = parse(mem.texts().get(&text), base);
    mem.clause.release(mark);
    Ok(value)
}

fn parse(text: &[u8], base: u64) -> u64 {
    let text = text.trim_ascii_start();
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let text = match text {
        [b'0', b'x' | b'X', rest @ ..] if base == 16 => rest,
        _ => text,
    };
    let digits = text.iter().map_while(|b| {
        let digit = char::from(*b).to_digit(36)?;
        (u64::from(digit) < base).then_some(u64::from(digit))
    });
    let value = digits.fold(0u64, |sum, digit| sum.wrapping_mul(base).wrapping_add(digit));
    if negative {
        value.wrapping_neg()
    } else {
        value
    }
}

/// The number of bits of the minor number in the kernel's `dev_t`.
const MINOR_BITS: u32 = 20;

/// `getmajor(dev)`, for a `dev_t` in the kernel's format.
pub(super) fn getmajor(dev: u64) -> u64 {
    (dev & 0xffff_ffff) >> MINOR_BITS
}

/// `getminor(dev)`.
pub(super) fn getminor(dev: u64) -> u64 {
    dev & ((1 << MINOR_BITS) - 1)
}
