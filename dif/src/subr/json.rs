// SPDX-License-Identifier: GPL-2.0
//! `json(text, "a.b[2].c")`: finds one value in a JSON text.
//!
//! A string is returned without its quotes and with its escape sequences unchanged. Any other value
//! is returned as its text, including objects and arrays. The result is NULL if the value does not
//! exist, or if the text is cut or malformed before it. The text is read once from left to right,
//! without recursion.

use crate::bound::price;
use crate::env::Env;
use crate::fault::Raised;
use crate::mem::Mem;
use crate::subr::Args;

#[inline(never)]
pub(super) fn json<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let text = mem.arg_text(args.get(0)?)?;
    let path = mem.arg_text(args.get(1)?)?;
    mem.pay_for(&text, price::JSON)?;
    mem.pay_for(&path, price::JSON)?;
    let texts = mem.texts();
    if find(texts.get(&text), texts.get(&path)).is_none() {
        mem.clause.release(mark);
        return Ok(0);
    }
    mem.compose(mark, |texts, out| {
        out.extend(find(texts.get(&text), texts.get(&path)).unwrap_or_default());
    })
}

/// Returns the value at `path`.
fn find<'t>(text: &'t [u8], path: &[u8]) -> Option<&'t [u8]> {
    let mut at = Reader(text);
    at.space();
    for part in path.split(|b| matches!(b, b'.' | b'[')) {
        let part = part.strip_suffix(b"]").unwrap_or(part);
        if part.is_empty() {
            // An empty step: before the first "[", and between "]" and "[" or ".".
            continue;
        }
        match at.peek()? {
            b'{' => at.member(part)?,
            b'[' => at.element(part)?,
            _ => return None,
        }
    }
    let value = at.value()?;
    Some(match value {
        [b'"', inner @ .., b'"'] => inner,
        _ => value,
    })
}

/// The unread rest of the text.
struct Reader<'t>(&'t [u8]);

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn skip(&mut self, n: usize) {
        self.0 = self.0.get(n..).unwrap_or_default();
    }

    fn space(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.skip(1))?;
        self.space();
        Some(())
    }

    /// Moves to the value of a member of the object that begins here.
    fn member(&mut self, name: &[u8]) -> Option<()> {
        self.expect(b'{')?;
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            if key == name {
                return Some(());
            }
            self.value()?;
            self.expect(b',')?;
        }
    }

    /// Moves to an element of the array that begins here.
    fn element(&mut self, index: &[u8]) -> Option<()> {
        let mut left = index.iter().try_fold(0u32, |sum, b| {
            let digit = char::from(*b).to_digit(10)?;
            sum.checked_mul(10)?.checked_add(digit)
        })?;
        self.expect(b'[')?;
        while left > 0 {
            self.value()?;
            self.expect(b',')?;
            left = left.saturating_sub(1);
        }
        (self.peek()? != b']').then_some(())
    }

    /// Returns the string that begins here, without its quotes.
    fn string(&mut self) -> Option<&'t [u8]> {
        match self.value()? {
            [b'"', inner @ .., b'"'] => Some(inner),
            _ => None,
        }
    }

    /// Returns the text of the value that begins here.
    fn value(&mut self) -> Option<&'t [u8]> {
        let text = self.0;
        let (mut depth, mut quoted, mut escaped) = (0u32, false, false);
        let mut end = None;
        for (n, &b) in text.iter().enumerate() {
            let next = Some(n.saturating_add(1));
            if escaped {
                escaped = false;
            } else if quoted {
                match b {
                    b'\\' => escaped = true,
                    b'"' => {
                        quoted = false;
                        if depth == 0 {
                            end = next;
                        }
                    }
                    _ => {}
                }
            } else {
                match b {
                    b'"' if n > 0 && depth == 0 => return None,
                    b'"' => quoted = true,
                    b'{' | b'[' if n > 0 && depth == 0 => return None,
                    b'{' | b'[' => depth = depth.saturating_add(1),
                    b'}' | b']' | b',' | b':' if depth == 0 => end = Some(n),
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            end = next;
                        }
                    }
                    _ if depth == 0 && b.is_ascii_whitespace() => end = Some(n),
                    _ => {}
                }
            }
            if end.is_some() {
                break;
            }
        }
        if end.is_none() && !quoted && depth == 0 {
            // A number or word may end with the text.
            end = Some(text.len());
        }
        let end = end.filter(|n| *n > 0)?;
        self.skip(end);
        text.get(..end)
    }
}
