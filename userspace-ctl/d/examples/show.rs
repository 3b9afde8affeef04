// SPDX-License-Identifier: GPL-2.0
//! Shows what the compiler makes of a D program: `cargo run -p d --example show -- "BEGIN { .. }"`.
use d::*;
fn main() {
    let text = std::env::args().nth(1).unwrap();
    let src = Source::spec(SpecKind::Name, text);
    let w = world::Fixture::new(&[
        "hworld:open_module:open1:entry",
        "hworld:read_module:read1:entry",
        "fbt:vmlinux:vfs_read:entry",
    ]);
    let c = compile(&src, &w, &Options::default());
    for d in &c.diagnostics {
        println!("dtrace: invalid probe specifier: {}", d.headline(&src, true));
        println!("{}", diag::render::render(d, &src, true));
    }
    if let Some(p) = c.program {
        for o in p.objects() {
            let mut s = String::new();
            dif::disasm::write(o, &mut s).unwrap();
            println!("{s}");
        }
        for s in &p.statements {
            println!("{s:?}");
        }
        println!("{} bytes dof", dof::write(&p, &[]).len());
    }
}
