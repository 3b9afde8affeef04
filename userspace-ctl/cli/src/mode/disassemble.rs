// SPDX-License-Identifier: GPL-2.0
//! `-S`: the compiled objects on stderr.

use d::{DifObject, Program};
use dif::difo::DifoRef;
use std::fmt::Write as _;

/// The listing of all objects of a program, in order of the text.
pub fn listing(program: &Program) -> String {
    let mut text = String::new();
    for object in program.objects() {
        // Memory does not fail.
        let _ = one(&mut text, object);
    }
    text
}

fn one(text: &mut String, object: &DifObject) -> std::fmt::Result {
    let difo = DifoRef {
        text: &object.text,
        inttab: &object.inttab,
        strtab: &object.strtab,
        vars: &object.vars,
        rtype: object.rtype,
    };
    writeln!(text, "\nDIFO {:p} returns {}", object, dif::disasm::TypeText(object.rtype))?;
    dif::disasm::write(&difo, text)
}
