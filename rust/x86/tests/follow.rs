// SPDX-License-Identifier: GPL-2.0
//! Code written by hand: where it leads, and where following it ends.
#![forbid(unsafe_code)]

use std::convert::Infallible;
use x86::follow::{block, calls, has_fentry, Text};
use x86::Flow;

const AT: u64 = 0xffff_ffff_8100_0000;

/// Functions one after another.
struct Functions(Vec<Vec<u8>>);

impl Text for Functions {
    fn read(&self, addr: u64, into: &mut [u8]) -> bool {
        let all = self.0.concat();
        let Some(there) = all.get((addr - AT) as usize..) else { return false };
        into.fill(0xcc);
        let n = there.len().min(into.len());
        into[..n].copy_from_slice(&there[..n]);
        true
    }

    fn end(&self, addr: u64) -> u64 {
        let mut end = AT;
        let ends = self.0.iter().map(|f| {
            end += f.len() as u64;
            end
        });
        ends.into_iter().find(|e| *e > addr).unwrap_or(u64::MAX)
    }

    fn is_site(&self, addr: u64) -> bool {
        addr == AT
    }
}

/// Returns the targets of the first function, as offsets.
fn leads(functions: &[&[u8]]) -> Vec<u64> {
    let mut to = vec![];
    let text = Functions(functions.iter().map(|f| f.to_vec()).collect());
    let Ok(()) = block::<Infallible>(&text, AT, &mut |t| {
        to.push(t - AT);
        Ok(())
    });
    to
}

/// nop; call +0x100; the next instruction is at offset 6.
const CALL: [u8; 6] = [0x90, 0xe8, 0x00, 0x01, 0x00, 0x00];
const RET: u8 = 0xc3;

#[test]
fn calls_branches_and_jumps_are_followed() {
    let mut code = CALL.to_vec();
    code.extend([0x74, 0x10]); // je +0x10
    code.extend([0xff, 0xd0]); // call *%rax
    code.extend([0xe9, 0, 0x10, 0, 0]); // jmp +0x1000
    code.extend(CALL); // not reached
    assert_eq!(leads(&[&code]), [0x106, 0x18, 0x100f]);
}

#[test]
fn a_call_that_counts_the_depth_leads_to_its_function() {
    let call = [0x90, 0xe8, 1, 0, 0, 0, RET];
    let padding = [0x65, 0x48, 0xc1, 0x3d, 0, 0, 0, 0, 5]; // sarq $5,%gs:depth(%rip)
    assert_eq!(leads(&[&call, &padding, &[RET]]), [16]);
    // `until` is asked about the function.
    let three = [0x90, 0xe8, 0, 1, 0, 0, 0xe8, 6, 0, 0, 0, 0xe8, 0, 2, 0, 0, RET];
    let text = Functions(vec![three.to_vec(), padding.to_vec(), vec![RET]]);
    let until = |_: &[u8], kind| kind == Flow::Call(AT + 26);
    let mut to = vec![];
    let Ok(()) = calls::<Infallible>(&text, AT, &until, &mut |t| {
        to.push(t - AT);
        Ok(())
    });
    assert_eq!(to, [0x106, 26]);
}

#[test]
fn a_call_that_never_returns_does_not_lead_into_the_next_function() {
    let next = [0xe9, 0, 0x20, 0, 0];
    assert_eq!(leads(&[&CALL, &next]), [0x106]);
    // As a part of the same function, the code is followed.
    assert_eq!(leads(&[&[&CALL[..], &next].concat()]), [0x106, 0x200b]);
    // Padding also ends a function, in case there is no symbol.
    let padded = [&CALL[..], &[0x90; 8], &next].concat();
    assert_eq!(leads(&[&padded]), [0x106]);
}

#[test]
fn long_code_is_read_in_pieces() {
    let mut code = [0x48, 0x89, 0xc3].repeat(300); // mov %rax,%rbx
    code.extend(CALL);
    code.push(RET);
    assert_eq!(leads(&[&code]), [900 + 0x106]);
}

#[test]
fn ftraces_own_call_leads_nowhere() {
    let code = [0xe8, 0, 1, 0, 0, 0xe8, 0, 1, 0, 0, RET];
    assert_eq!(leads(&[&code]), [0x10a]);
    let text = Functions(vec![code.to_vec()]);
    assert!(has_fentry(&text, AT) && !has_fentry(&text, AT + 16));
}

/// Functions with a jump label at the start.
struct Labelled(Functions, u64);

impl Text for Labelled {
    fn read(&self, addr: u64, into: &mut [u8]) -> bool {
        self.0.read(addr, into)
    }

    fn end(&self, addr: u64) -> u64 {
        self.0.end(addr)
    }

    fn is_site(&self, _: u64) -> bool {
        false
    }

    fn label(&self, addr: u64) -> Option<u64> {
        (addr == AT).then_some(self.1)
    }
}

#[test]
fn a_jump_label_leads_both_ways_also_while_it_changes() {
    let labels: [(u64, &[u8]); 10] = [
        (0x200, &[0x0f, 0x1f, 0x44, 0, 0]),
        (0x200, &[0xe9, 0xfb, 1, 0, 0]),
        (0x200, &[0xcc, 0x1f, 0x44, 0, 0]),
        (0x200, &[0xcc, 0xfb, 1, 0, 0]),
        // The target is near, but the instruction is long.
        (0x60, &[0xcc, 0x1f, 0x44, 0, 0]),
        (0x60, &[0xcc, 0x5b, 0, 0, 0]),
        (0x60, &[0x66, 0x90]),
        (0x60, &[0xeb, 0x5e]),
        (0x60, &[0xcc, 0x90]),
        (0x60, &[0xcc, 0x5e]),
    ];
    for (to, label) in labels {
        let code = [label, &CALL, &[RET]].concat();
        let text = Labelled(Functions(vec![code]), AT + to);
        let call = 0x106 + label.len() as u64;
        let (mut block_leads, mut calls_lead) = (vec![], vec![]);
        let Ok(()) = block::<Infallible>(&text, AT, &mut |t| {
            block_leads.push(t - AT);
            Ok(())
        });
        assert_eq!(block_leads, [to, call], "{label:x?}");
        let Ok(()) = calls::<Infallible>(&text, AT, &|_, _| false, &mut |t| {
            calls_lead.push(t - AT);
            Ok(())
        });
        assert_eq!(calls_lead, [call], "{label:x?}");
    }
}

#[test]
fn calls_of_a_function_up_to_one_behind_an_instruction() {
    let stop = [0xbf, 1, 1, 0, 0xc0]; // mov $0xc0000101,%edi
    let branch = [0x74, 0x10]; // je +0x10
    let function = [&CALL[..], &branch, &CALL, &stop, &CALL, &CALL, &[RET]].concat();
    let text = Functions(vec![function, CALL.to_vec()]);
    let until = |until: &dyn Fn(&[u8], Flow) -> bool| {
        let mut to = vec![];
        let Ok(()) = calls::<Infallible>(&text, AT, until, &mut |t| {
            to.push(t - AT);
            Ok(())
        });
        to
    };
    assert_eq!(until(&|code, _| code.starts_with(&stop)), [0x106, 0x10e, 0x119]);
    assert_eq!(until(&|_, kind| kind == Flow::Call(AT + 0x10e)), [0x106, 0x10e]);
    // Without an end, all calls of this function, but not those of the next one.
    assert_eq!(until(&|_, _| false), [0x106, 0x10e, 0x119, 0x11f]);
}

#[test]
fn a_function_that_is_jumped_to_is_a_part_of_it() {
    let jump = [0xe9, 2, 0, 0, 0]; // over a return and a nop
    let first = [&CALL[..], &jump, &[RET, 0x90]].concat();
    let second = [&CALL[..], &[0xe9, 0xed, 0xff, 0xff, 0xff]].concat(); // and back to the first one
    let text = Functions(vec![first, second]);
    let mut to = vec![];
    let Ok(()) = calls::<Infallible>(&text, AT, &|_, _| false, &mut |t| {
        to.push(t - AT);
        Ok(())
    });
    assert!(to.starts_with(&[0x106, 0x113]) && to.len() < 8, "{to:x?}");
}
