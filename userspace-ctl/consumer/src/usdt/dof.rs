// SPDX-License-Identifier: GPL-2.0
//! The DOF that a program gives to the kernel: its providers, and the places of their probes.

use super::sites::Site;
use abi::dof::{
    DofProbe, DofProvider, DofRelDesc, DofRelHdr, Header, SectionHeader, SectionKind, REL_SELF,
    SECIDX_NONE,
};
use abi::stability::Attributes;
use d::dof::write::{Writer, STRINGS};
use d::Provider;
use std::collections::BTreeMap;
use std::mem::{offset_of, size_of};
use zerocopy::{FromBytes, IntoBytes};

/// The places of a probe in one function of one object.
#[derive(Default)]
struct Group<'a> {
    places: Vec<&'a Site>,
    questions: Vec<&'a Site>,
}

/// The place in the DOF of an address that the linker fills in, and the site whose address it is.
pub struct Address<'a> {
    pub offset: u64,
    pub of: &'a Site,
}

/// Writes the DOF; also returns the addresses in it. Each site comes with the number of its object,
/// and each symbol comes once.
pub fn write<'a>(
    providers: &[Provider],
    sites: &'a [(usize, Site)],
) -> (Vec<u8>, Vec<Address<'a>>) {
    let mut w = Writer::new();
    let mut addresses = Vec::new();
    for (n, provider) in providers.iter().enumerate() {
        let of = sites.iter().filter(|(_, s)| s.provider == n);
        one(&mut w, provider, of, &mut addresses);
    }
    let bytes = w.finish();
    // Only now are the offsets of the sections known.
    let offset = |section: u32| {
        let at = size_of::<Header>() + section as usize * size_of::<SectionHeader>();
        let row = bytes.get(at..).and_then(|b| SectionHeader::read_from_prefix(b).ok());
        row.map_or(0, |(row, _)| row.offset)
    };
    let done = addresses.into_iter();
    let done = done.map(|(section, at, of)| Address { offset: offset(section) + at, of }).collect();
    (bytes, done)
}

fn one<'a>(
    w: &mut Writer,
    provider: &Provider,
    sites: impl Iterator<Item = &'a (usize, Site)>,
    addresses: &mut Vec<(u32, u64, &'a Site)>,
) {
    let mut groups: BTreeMap<_, Group<'_>> = BTreeMap::new();
    for (object, site) in sites {
        let group = groups.entry((site.probe, *object, site.section, &site.function)).or_default();
        match site.is_question {
            true => group.questions.push(site),
            false => group.places.push(site),
        }
    }
    let (mut probes, mut prargs) = (Vec::new(), Vec::new());
    let (mut places, mut questions) = (Vec::<u32>::new(), Vec::<u32>::new());
    let mut firsts = Vec::new();
    for ((probe, _, _, function), group) in groups {
        let all = Iterator::chain(group.places.iter(), group.questions.iter());
        let (Some(declared), Some(first)) =
            (provider.probes.get(probe), all.min_by_key(|s| s.offset))
        else {
            continue;
        };
        // CAST: the text of an object is smaller than 2^32, and so is the number of places.
        let distance = |s: &&Site| (s.offset - first.offset) as u32;
        let natives: Vec<String> = declared.natives.iter().map(|ty| ty.to_string()).collect();
        let args: Vec<String> = declared.args.iter().map(|arg| arg.ty.to_string()).collect();
        let mut row =
            |texts: &[String]| w.row(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let (natives_at, args_at) = (row(&natives), row(&args));
        let entry = DofProbe {
            address: 0,
            function: w.string(function),
            name: w.string(&declared.name.replace("__", "-")),
            natives: natives_at,
            args: args_at,
            first_arg: prargs.len() as u32,
            first_place: places.len() as u32,
            native_count: natives.len() as u8,
            arg_count: args.len() as u8,
            place_count: group.places.len() as u16,
            first_question: questions.len() as u32,
            question_count: group.questions.len() as u16,
            pad: [0; 3],
        };
        firsts.push((probes.len() as u64, *first));
        probes.extend_from_slice(entry.as_bytes());
        prargs.extend(declared.args.iter().map(|arg| arg.slot.unwrap_or(0)));
        places.extend(group.places.iter().map(distance));
        questions.extend(group.questions.iter().map(distance));
    }
    if probes.is_empty() {
        return;
    }
    let entry = size_of::<DofProbe>() as u32;
    let probes = w.add(SectionKind::Probes, 8, entry, probes);
    let mut optional = |kind, entry, data: Vec<u8>| match data.is_empty() {
        true => SECIDX_NONE,
        false => w.add(kind, entry, entry, data),
    };
    let prargs = optional(SectionKind::PrArgs, 1, prargs);
    let proffs = optional(SectionKind::PrOffs, 4, places.as_bytes().to_vec());
    let prenoffs = optional(SectionKind::PrenOffs, 4, questions.as_bytes().to_vec());
    let name = w.string(&provider.name);
    let attributes = provider.promised.0.map(Attributes::packed);
    let head = DofProvider { strtab: STRINGS, probes, prargs, proffs, name, attributes, prenoffs };
    w.add(SectionKind::Provider, 4, 0, head.as_bytes().to_vec());
    let field = offset_of!(DofProbe, address) as u64;
    let mut all = Vec::new();
    for (at, first) in firsts {
        let offset = at + field;
        all.push(DofRelDesc { name: 0, kind: REL_SELF, offset, data: 0 });
        addresses.push((probes, offset, first));
    }
    let entry = size_of::<DofRelDesc>() as u32;
    let relocations = w.add(SectionKind::RelTab, 8, entry, all.as_bytes().to_vec());
    let head = DofRelHdr { strtab: STRINGS, relocations, target: probes };
    w.add(SectionKind::UrelHdr, 4, 0, head.as_bytes().to_vec());
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::stability::ProviderAttributes;
    use d::program::DeclaredProbe;
    use d::types::{Int, Type};
    use d::Arg;

    fn site(symbol: &str, probe: usize, is_question: bool, offset: u64) -> (usize, Site) {
        let (symbol, function) = (symbol.to_string(), "work".to_string());
        let is_shared = false;
        let site = Site {
            symbol,
            is_shared,
            provider: 0,
            probe,
            is_question,
            function,
            section: 1,
            offset,
        };
        (0, site)
    }

    #[test]
    fn read_back_as_the_kernel_does() {
        let int = || Type::Int(Int::INT);
        let natives = vec![int(), Type::Int(Int::CHAR).pointer_to()];
        let probe = |name: &str, natives: &[Type]| DeclaredProbe {
            name: name.into(),
            natives: natives.to_vec(),
            args: vec![Arg::new(Type::Int(Int::CHAR).pointer_to(), Some(1))],
        };
        let probes = vec![probe("tick__more", &natives), probe("none", &[])];
        let promised = ProviderAttributes([Attributes::STABLE; 5]);
        let providers = [Provider { name: "toy".into(), probes, promised }];
        let sites =
            [site("c", 0, false, 0x30), site("a", 0, true, 0x10), site("b", 0, false, 0x20)];
        let (bytes, addresses) = write(&providers, &sites);
        let dof = dof::Dof::check(&bytes).unwrap();
        let relocations: Vec<_> = dof.relocations().map(Result::unwrap).collect();
        assert!(relocations.iter().all(|r| r.is_own && r.data == 0));
        let at: Vec<u64> = relocations.iter().map(|r| r.at as u64).collect();
        let wanted: Vec<u64> = addresses.iter().map(|a| a.offset).collect();
        assert_eq!((at, addresses[0].of.symbol.as_str()), (wanted, "a"));
        let all: Vec<_> = dof.providers().map(Result::unwrap).collect();
        assert_eq!((all.len(), all[0].name), (1, &b"toy"[..]));
        let probes: Vec<_> = all[0].probes().map(Result::unwrap).collect();
        assert_eq!(probes.len(), 1);
        assert_eq!((probes[0].function, probes[0].name), (&b"work"[..], &b"tick-more"[..]));
        // The distances count from the first place.
        assert_eq!(probes[0].places().collect::<Vec<_>>(), [0x20, 0x10]);
        assert_eq!(probes[0].questions().collect::<Vec<_>>(), [0]);
        let natives: Vec<_> = probes[0].natives().map(Result::unwrap).collect();
        assert_eq!(natives, [&b"int"[..], b"char *"]);
        let args: Vec<_> = probes[0].args().map(Result::unwrap).collect();
        assert_eq!(args, [(&b"char *"[..], 1)]);
        assert_eq!(all[0].attributes, [Attributes::STABLE.packed(); 5]);
        // A cut-off DOF is reported as an error, and nothing beyond its end is read.
        for len in 0..bytes.len() {
            let mut cut = bytes[..len].to_vec();
            if let Some(size) = cut.get_mut(40..48) {
                size.copy_from_slice(&(len as u64).to_le_bytes());
            }
            let bad = |dof: dof::Dof<'_>| {
                dof.relocations().any(|r| r.is_err())
                    || dof.providers().any(|p| !p.is_ok_and(|p| p.probes().all(|p| p.is_ok())))
            };
            assert!(dof::Dof::check(&cut).map_or(true, bad), "{len} bytes");
        }
    }
}
