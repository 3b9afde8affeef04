// SPDX-License-Identifier: GPL-2.0
//! Compares every layout that crosses the ioctl boundary with `layout.golden`.
//! `BLESS=1 cargo test -p abi` rewrites the golden. With any change of it, raise
//! `conf::ABI_VERSION`.

use core::mem::{align_of, offset_of, size_of};
use std::fmt::Write as _;

macro_rules! layouts {
    ($($t:path { $($f:ident),* $(,)? })*) => {{
        let mut s = String::new();
        $(
            let name = stringify!($t).rsplit("::").next().unwrap_or_default().trim();
            writeln!(s, "{name} size {} align {}", size_of::<$t>(), align_of::<$t>()).unwrap();
            $(writeln!(s, "    {:4} {}", offset_of!($t, $f), stringify!($f)).unwrap();)*
        )*
        s
    }};
}

#[test]
fn layouts_are_the_golden_ones() {
    let now = layouts! {
        crate::probe::ProbeDesc { id, nargs, how, provider, module, function, name }
        crate::probe::ProbeHead { id, nargs, how, lens }
        crate::difo::DifType { kind, ctf_kind, flags, pad, size }
        crate::difo::DifVar { name, id, kind, scope, flags, ty }
        crate::dof::Header { magic, model, encoding, version, dif_version, dif_ireg, dif_treg,
            ident_pad, flags, header_size, section_size, section_count, section_offset, load_size,
            file_size, pad }
        crate::dof::SectionHeader { kind, align, flags, entry_size, offset, size }
        crate::dof::EcbDesc { probe, predicate, actions, pad, uarg }
        crate::dof::DofProbeDesc { strtab, provider, module, function, name, id }
        crate::dof::ActDesc { difo, strtab, kind, ntuple, arg, uarg }
        crate::dof::DifoHdr { rtype }
        crate::dof::OptDesc { option, strtab, value }
        crate::dof::DofProvider { strtab, probes, prargs, proffs, name, attributes, prenoffs }
        crate::dof::DofProbe { address, function, name, natives, args, first_arg, first_place, native_count,
            arg_count, place_count, first_question, question_count, pad }
        crate::dof::DofRelHdr { strtab, relocations, target }
        crate::dof::DofRelDesc { name, kind, offset, data }
        crate::record::RecordHeader { epid, timestamp_high, timestamp_low }
        crate::record::RecDesc { action, size, offset, alignment, format, pad, arg, uarg, ty }
        crate::record::EprobeDesc { epid, probe, uarg, size, nrecs, recs, capacity, pad }
        crate::record::AggDesc { id, variable, epid, size, nrecs, capacity, recs }
        crate::record::AggEntry { id, hash, size, link }
        crate::status::Status { dyndrops, left_out, dyndrops_busy, specdrops,
            specdrops_busy, specdrops_unavail, dblerrors, nested, pauses, forgotten, sigdrops,
            early, filled, exiting, killed, pressing, strangers, mapped }
        crate::conf::Conf { abi_version, dif_version, nregs, ntuple, ncpus, pad, features }
        crate::ioctl::Probes { pattern, nargs, into, size, count, cursor, pad }
        crate::ioctl::Enable { dof, size, matched, pad }
        crate::ioctl::BufDesc { data, size, cpu, errors, drops, oldest, timestamp }
        crate::ioctl::Go { cpu, left_out, bufsize, aggsize, dynvarsize, specsize, probes, pad }
        crate::ioctl::Done { until, epids, count, pad }
        crate::ioctl::Format { id, size, text }
        crate::ioctl::Report { text, size, pad }
        crate::ioctl::Explain { pattern, reason, symbol }
        crate::ioctl::Symbol { name, address }
        crate::user::Make { from, size, refusals, refused, pid, made, pad }
        crate::user::Seen { mapped, late }
        crate::user::MappedFile { inode, device, pad }
        crate::user::UserProbe { address, semaphore, file, size, places, kind, args, lens, expects, pad }
        crate::user::UserArg { value, kind, width, reg, index, scale, pad }
        crate::helper::Helper { module, address, dof }
        crate::user::Refusal { probe, place, reason, pad }
        crate::unwind::Row { start, cfa, rbp, rule }
        crate::unwind::Key { inode, modified, device, pad }
        crate::unwind::Object { key, rows, size }
        crate::unwind::Strangers { pids }
    };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/layout.golden");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    assert_eq!(now, golden, "layouts changed: is that meant? BLESS=1 writes the golden anew");
}
