// SPDX-License-Identifier: GPL-2.0
//! Providers: the probes that a program brings along, as views of a checked DOF.

use crate::{Dof, DofError, Problem, Section};
use abi::dof::{DofProbe, DofProvider, DofRelDesc, DofRelHdr, SectionKind, REL_SELF, SECIDX_NONE};
use abi::probe::{FUNCTION_LEN, NAME_LEN, PROVIDER_LEN};
use zerocopy::{FromBytes, IntoBytes};

/// The most bytes of an argument's type.
pub const MAX_TYPE: usize = 512;

/// A provider.
#[derive(Clone, Copy)]
pub struct Provider<'a> {
    /// Its name, without the number of a process.
    pub name: &'a [u8],
    /// The packed stability of the provider itself, modules, functions, names and arguments.
    pub attributes: [u32; 5],
    index: u32,
    strings: Section<'a>,
    probes: Section<'a>,
    slots: Option<Section<'a>>,
    places: Option<Section<'a>>,
    questions: Option<Section<'a>>,
}

/// One of its probes, in one function.
#[derive(Clone, Copy)]
pub struct ProviderProbe<'a> {
    /// The address from which its places count.
    pub address: u64,
    /// The third part of the name.
    pub function: &'a [u8],
    /// The fourth part of the name.
    pub name: &'a [u8],
    strings: Section<'a>,
    entry: DofProbe,
    slots: &'a [u8],
    places: &'a [u8],
    questions: &'a [u8],
}

/// A number in a section that must be relocated before it is used.
#[derive(Clone, Copy)]
pub struct Relocation {
    /// The offset in the DOF of the number, which has eight bytes.
    pub at: usize,
    /// The number counts from its own address; otherwise from an address that came with the DOF.
    pub is_own: bool,
    /// A further summand.
    pub data: u64,
}

impl<'a> Dof<'a> {
    /// Returns the providers, in order.
    pub fn providers(&self) -> impl Iterator<Item = Result<Provider<'a>, DofError>> {
        let dof = *self;
        dof.sections(SectionKind::Provider).map(move |s| Provider::read(dof, s))
    }

    /// Returns the numbers to relocate before the providers are read. Sections may be named more
    /// than once, so the caller must limit how many it takes.
    pub fn relocations(&self) -> impl Iterator<Item = Result<Relocation, DofError>> + 'a {
        let dof = *self;
        dof.sections(SectionKind::UrelHdr).flat_map(move |s| {
            let all = dof.relocated(s);
            let (good, bad) = match all {
                Ok(all) => (Some(all), None),
                Err(e) => (None, Some(Err(e))),
            };
            bad.into_iter().chain(good.into_iter().flatten())
        })
    }

    fn relocated(
        &self,
        s: Section<'a>,
    ) -> Result<impl Iterator<Item = Result<Relocation, DofError>> + 'a, DofError> {
        let head: DofRelHdr = s.one()?;
        let target = self.section(head.target, s.index)?;
        let table = self.section_of(head.relocations, SectionKind::RelTab, s.index)?;
        let bad = move |problem| DofError { section: table.index, problem };
        Ok(table.entries::<DofRelDesc>().map(move |desc| {
            let desc = desc?;
            let at = usize::try_from(desc.offset).map_err(|_| bad(Problem::Bounds))?;
            let end = at.checked_add(size_of::<u64>()).ok_or(bad(Problem::Bounds))?;
            target.data.get(at..end).ok_or(bad(Problem::Bounds))?;
            let from = usize::try_from(target.header.offset).map_err(|_| bad(Problem::Bounds))?;
            let at = from.checked_add(at).ok_or(bad(Problem::Bounds))?;
            Ok(Relocation { at, is_own: desc.kind == REL_SELF, data: desc.data })
        }))
    }
}

impl<'a> Provider<'a> {
    fn read(dof: Dof<'a>, section: Section<'a>) -> Result<Self, DofError> {
        let at = section.index;
        let mut head = DofProvider { prenoffs: SECIDX_NONE, ..DofProvider::default() };
        // Version 1 ends before the last field.
        let short = size_of::<DofProvider>().wrapping_sub(size_of::<u32>());
        let bytes = section.data.get(..size_of::<DofProvider>().min(section.data.len()));
        let bytes = bytes.filter(|b| b.len() >= short);
        let bytes = bytes.ok_or(DofError { section: at, problem: Problem::Truncated })?;
        let room = head.as_mut_bytes().get_mut(..bytes.len()).unwrap_or_default();
        room.copy_from_slice(bytes);
        let strings = dof.section_of(head.strtab, SectionKind::StrTab, at)?;
        let optional = |index, kind| match index {
            SECIDX_NONE => Ok(None),
            index => dof.section_of(index, kind, at).map(Some),
        };
        Ok(Self {
            name: strings.text(head.name.into(), PROVIDER_LEN)?,
            attributes: head.attributes,
            index: at,
            strings,
            probes: dof.section_of(head.probes, SectionKind::Probes, at)?,
            slots: optional(head.prargs, SectionKind::PrArgs)?,
            places: optional(head.proffs, SectionKind::PrOffs)?,
            questions: optional(head.prenoffs, SectionKind::PrenOffs)?,
        })
    }

    /// Returns its probes, in order.
    pub fn probes(&self) -> impl Iterator<Item = Result<ProviderProbe<'a>, DofError>> + 'a {
        let of = *self;
        self.probes.entries::<DofProbe>().map(move |entry| of.probe(entry?))
    }

    fn probe(&self, entry: DofProbe) -> Result<ProviderProbe<'a>, DofError> {
        let part = |of: Option<Section<'a>>, size: usize, first: u32, count: u16| {
            if count == 0 {
                return Ok(&[][..]);
            }
            let bad = DofError { section: self.index, problem: Problem::Bounds };
            let from = (first as usize).checked_mul(size).ok_or(bad)?;
            let end = from.checked_add(usize::from(count).wrapping_mul(size)).ok_or(bad)?;
            of.and_then(|s| s.data.get(from..end)).ok_or(bad)
        };
        let word = size_of::<u32>();
        Ok(ProviderProbe {
            address: entry.address,
            function: self.strings.text(entry.function.into(), FUNCTION_LEN)?,
            name: self.strings.text(entry.name.into(), NAME_LEN)?,
            strings: self.strings,
            entry,
            slots: part(self.slots, 1, entry.first_arg, entry.arg_count.into())?,
            places: part(self.places, word, entry.first_place, entry.place_count)?,
            questions: part(self.questions, word, entry.first_question, entry.question_count)?,
        })
    }
}

impl<'a> ProviderProbe<'a> {
    /// Returns the addresses where it fires.
    pub fn places(&self) -> impl Iterator<Item = u64> + 'a {
        self.addresses(self.places)
    }

    /// Returns the addresses where the program asks whether it is enabled.
    pub fn questions(&self) -> impl Iterator<Item = u64> + 'a {
        self.addresses(self.questions)
    }

    fn addresses(&self, distances: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
        let address = self.address;
        let all = distances.chunks_exact(size_of::<u32>());
        all.filter_map(move |b| Some(address.wrapping_add(u32::read_from_bytes(b).ok()?.into())))
    }

    /// Returns the types of the arguments that the program passes.
    pub fn natives(&self) -> impl Iterator<Item = Result<&'a [u8], DofError>> + 'a {
        self.texts(self.entry.natives, self.entry.native_count)
    }

    /// Returns the types of the arguments that scripts see, each with the index of the native
    /// argument that it is made of.
    pub fn args(&self) -> impl Iterator<Item = Result<(&'a [u8], u8), DofError>> + 'a {
        let texts = self.texts(self.entry.args, self.entry.arg_count);
        texts.zip(self.slots).map(|(text, slot)| Ok((text?, *slot)))
    }

    /// Returns strings that lie side by side.
    fn texts(&self, first: u32, n: u8) -> impl Iterator<Item = Result<&'a [u8], DofError>> + 'a {
        let (strings, mut at) = (self.strings, u64::from(first));
        (0..n).map(move |_| {
            let text = strings.text(at, MAX_TYPE)?;
            at = at.wrapping_add(text.len() as u64).wrapping_add(1);
            Ok(text)
        })
    }
}
