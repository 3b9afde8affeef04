// SPDX-License-Identifier: GPL-2.0
//! `.eh_frame`: where functions end that nobody has named, and how their frames are left, as compact as
//! [`abi::unwind`] wants it.

use abi::unwind::{Row, Rule};
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, EndianSlice, LittleEndian, Register, RegisterRule,
    UnwindContext, UnwindSection, UnwindTableRow, X86_64,
};
use object::{Object, ObjectSection};

type Slice<'d> = EndianSlice<'d, LittleEndian>;

/// An object's frame information.
pub(crate) struct Frames<'d> {
    section: EhFrame<Slice<'d>>,
    bases: BaseAddresses,
}

impl<'d> Frames<'d> {
    pub(crate) fn of(elf: &impl Object<'d>) -> Option<Self> {
        let section = elf.section_by_name(".eh_frame")?;
        let address = |name: &str| elf.section_by_name(name).map_or(0, |s| s.address());
        let bases = BaseAddresses::default()
            .set_eh_frame(section.address())
            .set_text(address(".text"))
            .set_got(address(".got"));
        Some(Self { section: EhFrame::new(section.data().ok()?, LittleEndian), bases })
    }

    /// Calls `f` with each piece of code that has rules; the first that is damaged ends it.
    fn each(&self, f: &mut dyn FnMut(&gimli::FrameDescriptionEntry<Slice<'d>>)) {
        let mut entries = self.section.entries(&self.bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            match partial.parse(|section, bases, offset| section.cie_from_offset(bases, offset)) {
                Ok(fde) => f(&fde),
                Err(_) => return,
            }
        }
    }

    /// Where each piece of code begins, and its bytes, in order.
    pub(crate) fn ranges(&self) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        self.each(&mut |fde| all.push((fde.initial_address(), fde.len())));
        all.sort_unstable();
        all
    }

    /// The rules of an object whose lowest address is `base`.
    pub(crate) fn rows(&self, base: u64) -> Vec<Row> {
        let (mut rows, mut context) = (Vec::new(), UnwindContext::new());
        self.each(&mut |fde| {
            let is_signal = fde.is_signal_trampoline();
            let start = |a: u64| u32::try_from(a.wrapping_sub(base)).ok();
            if let Ok(mut table) = fde.rows(&self.section, &self.bases, &mut context) {
                while let Ok(Some(row)) = table.next_row() {
                    let Some(start) = start(row.start_address()) else { return };
                    rows.push(match is_signal {
                        true => Row { start, rule: Rule::Signal as u8, ..Row::default() },
                        false => self.row(start, row).unwrap_or(Row { start, ..Row::default() }),
                    });
                }
            }
            // Behind it nothing is known, unless another begins there.
            rows.extend(start(fde.end_address()).map(|start| Row { start, ..Row::default() }));
        });
        rows.sort_by_key(|r| (r.start, r.rule == Rule::Unknown as u8));
        rows.dedup_by_key(|r| r.start);
        rows.dedup_by(|next, last| Row { start: last.start, ..*next } == *last);
        rows
    }

    /// A rule, if it is one that can be said.
    fn row(&self, start: u32, row: &UnwindTableRow<usize>) -> Option<Row> {
        let end = Row { start, rule: Rule::End as u8, ..Row::default() };
        match row.register(X86_64::RA) {
            RegisterRule::Undefined => return Some(end),
            RegisterRule::Offset(-8) => {}
            _ => return None,
        }
        let rbp = row.register(X86_64::RBP);
        let (rule, cfa) = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                (by_register(*register)?, i16::try_from(*offset).ok()?)
            }
            CfaRule::Expression(e) => by_expression(e.get(&self.section).ok()?.0.slice())?,
        };
        let rbp = match rbp {
            RegisterRule::Undefined | RegisterRule::SameValue => 0,
            RegisterRule::Offset(at) if at % 8 == 0 && rule != Rule::Saved => {
                i8::try_from(at / 8).ok()?
            }
            // At rbp itself.
            RegisterRule::Expression(e)
                if rule == Rule::Saved && e.get(&self.section).ok()?.0.slice() == [0x76, 0] =>
            {
                0
            }
            _ => return None,
        };
        Some(Row { start, cfa, rbp, rule: rule as u8 })
    }
}

fn by_register(register: Register) -> Option<Rule> {
    match register {
        X86_64::RSP => Some(Rule::Rsp),
        X86_64::RBP => Some(Rule::Rbp),
        _ => None,
    }
}

/// The two expressions that compilers and linkers write.
fn by_expression(e: &[u8]) -> Option<(Rule, i16)> {
    match *e {
        // The word at n from rbp; one byte of a signed LEB128.
        [0x76, n, 0x06] if n < 0x80 => Some((Rule::Saved, i16::from((n << 1) as i8 >> 1))),
        // rsp + 8 + ((rip & 15 >= n) << 3)
        [0x77, 8, 0x80, 0, 0x3f, 0x1a, n @ 0x30..=0x3f, 0x2a, 0x33, 0x24, 0x22] => {
            Some((Rule::Plt, i16::from(n - 0x30)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        assert_eq!(by_expression(&[0x76, 0x78, 0x06]), Some((Rule::Saved, -8)));
        let plt = [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
        assert_eq!(by_expression(&plt), Some((Rule::Plt, 11)));
        assert_eq!(by_expression(&plt[..10]), None);
        assert_eq!(by_expression(&[]), None);
    }
}
