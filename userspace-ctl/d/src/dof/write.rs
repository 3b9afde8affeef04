// SPDX-License-Identifier: GPL-2.0
//! Turns a program into DOF bytes for the ENABLE ioctl. [`Writer`] also makes other DOF.
//!
//! There is one ECBDESC per probe description of a clause. The clause's predicate and action list
//! are written once and referred to by index. Strings of probe descriptions and formats share one
//! STRTAB; each DIF object has its own tables, because its code refers to them by offset.

use crate::program::{Action, DifObject, Program};
use abi::dof::{
    ActDesc, DifoHdr, DofProbeDesc, EcbDesc, Header, OptDesc, SectionHeader, SectionKind,
    DOF_VERSION, ENCODING_LSB, MAGIC, MODEL_LP64, SECF_LOAD, SECIDX_NONE,
};
use abi::option::OptionId;
use std::collections::HashMap;
use std::sync::Arc;
use zerocopy::IntoBytes;

struct Section {
    kind: SectionKind,
    align: u32,
    entry_size: u32,
    data: Vec<u8>,
}

/// A DOF under construction. Section 0 is the string table that all sections share.
#[derive(Default)]
pub struct Writer {
    sections: Vec<Section>,
    strings: Vec<u8>,
    known: HashMap<String, u32>,
    objects: HashMap<*const DifObject, u32>,
}

/// Section 0 is the shared string table.
pub const STRINGS: u32 = 0;

/// Returns the DOF of a program with run-time options. Those of the command line follow the
/// program's own.
pub fn write(program: &Program, options: &[(OptionId, u64)]) -> Vec<u8> {
    let mut w = Writer::new();
    for clause in &program.clauses {
        let predicate = clause.predicate.as_ref().map_or(SECIDX_NONE, |p| w.difo(p));
        let actions = w.actions(&clause.actions);
        for probe in &clause.probes {
            let desc = DofProbeDesc {
                strtab: STRINGS,
                provider: w.string(&probe.provider),
                module: w.string(&probe.module),
                function: w.string(&probe.function),
                name: w.string(&probe.name),
                id: probe.id,
            };
            let probe = w.add(SectionKind::ProbeDesc, 8, 0, desc.as_bytes().to_vec());
            let ecb = EcbDesc { probe, predicate, actions, pad: 0, uarg: clause.uarg };
            w.add(SectionKind::EcbDesc, 8, 0, ecb.as_bytes().to_vec());
        }
    }
    let options: Vec<u8> = program
        .options
        .iter()
        .chain(options)
        .flat_map(|&(id, value)| {
            OptDesc { option: id as u32, strtab: SECIDX_NONE, value }.as_bytes().to_vec()
        })
        .collect();
    if !options.is_empty() {
        w.add(SectionKind::OptDesc, 8, size_of::<OptDesc>() as u32, options);
    }
    w.finish()
}

impl Writer {
    /// Makes an empty DOF.
    pub fn new() -> Self {
        let mut w = Self::default();
        w.add(SectionKind::StrTab, 1, 0, Vec::new());
        w.string("");
        w
    }

    /// Adds a section and returns its number.
    pub fn add(&mut self, kind: SectionKind, align: u32, entry_size: u32, data: Vec<u8>) -> u32 {
        self.sections.push(Section { kind, align, entry_size, data });
        (self.sections.len() - 1) as u32
    }

    /// Returns the offset of a string in the shared table.
    pub fn string(&mut self, text: &str) -> u32 {
        if let Some(&at) = self.known.get(text) {
            return at;
        }
        let at = self.row(&[text]);
        self.known.insert(text.into(), at);
        at
    }

    /// Appends strings side by side and returns the offset of the first.
    pub fn row(&mut self, texts: &[&str]) -> u32 {
        let at = self.strings.len() as u32;
        for text in texts {
            self.strings.extend_from_slice(text.as_bytes());
            self.strings.push(0);
        }
        at
    }

    fn actions(&mut self, actions: &[Action]) -> u32 {
        if actions.is_empty() {
            return SECIDX_NONE;
        }
        let mut data = Vec::new();
        for a in actions {
            let difo = a.difo.as_ref().map_or(SECIDX_NONE, |d| self.difo(d));
            let (strtab, arg) = match &a.format {
                Some(format) => (STRINGS, u64::from(self.string(format))),
                None => (SECIDX_NONE, a.arg),
            };
            let kind = a.kind.number();
            let desc = ActDesc { difo, strtab, kind, ntuple: a.ntuple, arg, uarg: a.uarg };
            data.extend_from_slice(desc.as_bytes());
        }
        self.add(SectionKind::ActDesc, 8, size_of::<ActDesc>() as u32, data)
    }

    fn difo(&mut self, difo: &Arc<DifObject>) -> u32 {
        let key = Arc::as_ptr(difo);
        if let Some(&section) = self.objects.get(&key) {
            return section;
        }
        let mut links = vec![self.add(SectionKind::Dif, 4, 4, difo.text.as_bytes().to_vec())];
        if !difo.inttab.is_empty() {
            links.push(self.add(SectionKind::IntTab, 8, 8, difo.inttab.as_bytes().to_vec()));
        }
        if !difo.strtab.is_empty() {
            links.push(self.add(SectionKind::StrTab, 1, 0, difo.strtab.clone()));
        }
        if !difo.vars.is_empty() {
            let entry = size_of::<abi::difo::DifVar>() as u32;
            links.push(self.add(SectionKind::VarTab, 4, entry, difo.vars.as_bytes().to_vec()));
        }
        let mut data = DifoHdr { rtype: difo.rtype }.as_bytes().to_vec();
        data.extend_from_slice(links.as_bytes());
        let section = self.add(SectionKind::DifoHdr, 4, 0, data);
        self.objects.insert(key, section);
        section
    }

    /// Returns the whole DOF.
    pub fn finish(mut self) -> Vec<u8> {
        if let Some(strtab) = self.sections.first_mut() {
            strtab.data = std::mem::take(&mut self.strings);
        }
        let head = size_of::<Header>();
        let row = size_of::<SectionHeader>();
        let mut at = (head + row * self.sections.len()) as u64;
        let mut table = Vec::new();
        let mut body = Vec::new();
        let start = at;
        for s in &self.sections {
            let aligned = at.next_multiple_of(u64::from(s.align.max(1)));
            let size = s.data.len() as u64;
            table.extend_from_slice(
                SectionHeader {
                    kind: s.kind as u32,
                    align: s.align,
                    flags: SECF_LOAD,
                    entry_size: s.entry_size,
                    offset: aligned,
                    size,
                }
                .as_bytes(),
            );
            body.resize((aligned - start) as usize, 0);
            body.extend_from_slice(&s.data);
            at = aligned + size;
        }
        let header = Header {
            magic: MAGIC,
            model: MODEL_LP64,
            encoding: ENCODING_LSB,
            version: DOF_VERSION,
            dif_version: abi::dif::DIF_VERSION,
            dif_ireg: abi::dif::NREGS as u8,
            dif_treg: abi::dif::NTUPLE as u8,
            ident_pad: [0; 6],
            flags: 0,
            header_size: head as u32,
            section_size: row as u32,
            section_count: self.sections.len() as u32,
            section_offset: head as u64,
            load_size: at,
            file_size: at,
            pad: 0,
        };
        let mut bytes = header.as_bytes().to_vec();
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&body);
        bytes
    }
}
