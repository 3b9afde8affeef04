// SPDX-License-Identifier: GPL-2.0
//! `measure VMLINUX [MODULE]`: prints the time for reading, the index and a signature, and what is
//! in the BTF.

use btf::{Btf, Id, Signature, Type};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let kernel = args.next().unwrap_or("/sys/kernel/btf/vmlinux".into());
    let (kernel, module) = (std::fs::read(kernel)?, args.next());
    for _ in 0..3 {
        let bytes = kernel.clone();
        let start = Instant::now();
        let btf = Btf::read(bytes)?;
        let read = start.elapsed();
        let found = btf.named("vfs_read").count();
        let index = start.elapsed() - read;
        let signature = Signature::of_function(&btf, "vfs_read");
        let whole = start.elapsed();
        println!(
            "{btf:?}: read {read:?}, index {index:?} ({found} found), until signature {whole:?}"
        );
        if let Ok(s) = signature {
            let of = |p: &btf::Parameter| format!("{} in {:?}", btf.spell(p.of), p.slot);
            println!("  {:?}", s.parameters.iter().map(of).collect::<Vec<_>>());
        }
    }
    let mut btf = Arc::new(Btf::read(kernel)?);
    if let Some(module) = module {
        let bytes = std::fs::read(module)?;
        let start = Instant::now();
        btf = Arc::new(Btf::read_split(bytes, btf)?);
        println!("module: read {:?}", start.elapsed());
    }
    let (mut functions, mut none, mut ambiguous, mut unplaced) = (0, 0, 0, Vec::new());
    let start = Instant::now();
    for name in btf.functions() {
        functions += 1;
        match Signature::of_function(&btf, name) {
            Ok(s) if s.parameters.iter().any(|p| p.slot.is_none()) => unplaced.push(name),
            Ok(_) => {}
            Err(btf::signature::Missing::Ambiguous(_)) => ambiguous += 1,
            Err(_) => none += 1,
        }
    }
    println!(
        "{functions} functions in {:?}: {none} without, {ambiguous} ambiguous",
        start.elapsed()
    );
    println!("{} with unplaced parameters, such as {:?}", unplaced.len(), unplaced.first());
    let mut constants = std::collections::HashMap::new();
    for id in (btf.first()..btf.end()).map(Id) {
        if let Some(Type::Enum(e)) = btf.get(id) {
            for v in e.variants() {
                constants
                    .entry(v.name)
                    .or_insert_with(std::collections::BTreeSet::new)
                    .insert(v.value);
            }
        }
    }
    let differ = constants.iter().filter(|(_, values)| values.len() > 1);
    println!("{} names of constants, {} with several values", constants.len(), differ.count());
    let start = Instant::now();
    let found = btf.constants("PIDTYPE_TGID").count();
    println!("one constant: {:?}, {found} found", start.elapsed());
    let other = (btf.first()..btf.end())
        .filter(|&i| matches!(btf.get(Id(i)), None | Some(Type::Other { .. })));
    println!("{} types not understood", other.count());
    Ok(())
}
