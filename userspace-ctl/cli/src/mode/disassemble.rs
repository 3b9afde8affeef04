// SPDX-License-Identifier: GPL-2.0
//! `-S`: lists the compiled objects on stderr; with `-v`, also the most steps of each.

use abi::option::OptionId;
use d::{DifObject, Program};
use dif::bound::Prices;
use dif::difo::DifoRef;
use dif::Rules;
use std::fmt::Write as _;

/// Lists all objects of a program, in order of the text. With a strsize in `bounds`, the listing
/// has their bounds, too; a strsize that the program sets takes precedence.
pub fn listing(program: &Program, bounds: Option<u64>) -> String {
    let own = program.options.iter().rev().find(|(id, _)| *id == OptionId::Strsize);
    let strsize = bounds.map(|all| own.map_or(all, |(_, n)| *n));
    let prices = strsize.map(|n| Prices::new(usize::try_from(n).unwrap_or(usize::MAX)));
    let mut text = String::new();
    for object in program.objects() {
        // Writing to memory does not fail.
        let _ = one(&mut text, object, prices.as_ref());
    }
    text
}

fn one(text: &mut String, object: &DifObject, prices: Option<&Prices>) -> std::fmt::Result {
    let difo = DifoRef {
        text: &object.text,
        inttab: &object.inttab,
        strtab: &object.strtab,
        vars: &object.vars,
        rtype: object.rtype,
    };
    write!(text, "\nDIFO {:p} returns {}", object, dif::disasm::TypeText(object.rtype))?;
    // This is the kernel's own verifier with the kernel's rules; the compiler makes no object that
    // it refuses.
    let rules = Rules { allow_destructive: true, ..Rules::DEFAULT };
    let verified = prices.and_then(|p| Some((p, dif::verify(difo, &rules, &mut |_| ())?)));
    if let Some((prices, verified)) = verified {
        write!(text, ", at most {} steps", verified.max_steps(prices))?;
    }
    writeln!(text)?;
    dif::disasm::write(&difo, text)
}
