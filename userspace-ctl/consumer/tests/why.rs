// SPDX-License-Identifier: GPL-2.0
//! The answers to probe descriptions that match nothing: a kernel with a few probes and reasons, a
//! machine with a few modules, one golden text. `BLESS=1` writes the text anew; read the diff.

use abi::conf::Conf;
use abi::ids::{AggId, Epid, FormatId, ProbeId};
use abi::probe::{part_matches, ProbeDesc};
use abi::reason::Reason;
use abi::status::Status;
use consumer::kernel::{
    Aggregation, Answer, Buffer, Eprobe, Kernel, Made, Room, Snapshot, Started,
};
use consumer::why::Machine;
use consumer::world::KernelWorld;
use d::{Compiler, Source, SpecKind};
use std::path::{Path, PathBuf};

const FUNCTIONS: &[(&str, &str)] = &[
    ("vmlinux", "vfs_read"),
    ("vmlinux", "vfs_write"),
    ("vmlinux", "tcp_sendmsg"),
    ("vmlinux", "__x64_sys_openat"),
    ("vmlinux", "__traceiter_sched_switch"),
    ("vmlinux", "ext4_file_read_iter"),
    ("vmlinux", "filp_close.isra.0"),
    ("vmlinux", "bpf_list_add"),
    ("nf_tables", "nf_tables_newrule"),
    ("vmlinux", "panic:entry"),
];

/// The answers of EXPLAIN; other functions are unknown.
const REASONS: &[(&str, Reason, &str)] = &[
    ("vfs_reed", Reason::Unknown, ""),
    ("nf_tables_newrule", Reason::OtherModule, "nf_tables"),
    ("start_kernel", Reason::InitText, ""),
    ("asm_exc_int3", Reason::EntryCode, ""),
    ("do_int3", Reason::Noinstr, ""),
    ("filp_close", Reason::Clone, "filp_close.isra.0"),
    ("__pfx_vfs_read", Reason::Padding, "vfs_read"),
    ("jiffies", Reason::NotFunction, ""),
    ("panic", Reason::NeverReturns, ""),
];

struct Fixed(Vec<ProbeDesc>);

impl Fixed {
    fn new() -> Self {
        let mut names: Vec<[String; 4]> = Vec::new();
        let mut add = |parts: [&str; 4]| names.push(parts.map(String::from));
        add(["dtrace", "", "", "BEGIN"]);
        add(["dtrace", "", "", "END"]);
        add(["hworld", "open_module", "open1", "entry"]);
        add(["profile", "", "", "profile-997"]);
        for (module, function) in FUNCTIONS {
            let (function, only) = function.split_once(':').unwrap_or((function, ""));
            for name in ["entry", "return"].iter().filter(|n| only.is_empty() || **n == only) {
                add(["fbt", module, function, name]);
            }
        }
        let desc = |(i, n): (usize, &[String; 4])| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| n[i].as_bytes());
            ProbeDesc { id: ProbeId(i as u32 + 1), ..ProbeDesc::new(a, b, c, d).unwrap() }
        };
        Self(names.iter().enumerate().map(desc).collect())
    }
}

impl Kernel for Fixed {
    fn probes(&mut self, p: &ProbeDesc, at: &mut u32, into: &mut Vec<ProbeDesc>) -> Answer<bool> {
        if *at == 0 {
            let hit =
                |d: &&ProbeDesc| p.parts().iter().zip(d.parts()).all(|(p, t)| part_matches(p, t));
            into.extend(self.0.iter().filter(hit));
        }
        *at += 1;
        Ok(*at == 1)
    }
    fn explain(&mut self, p: &ProbeDesc) -> Answer<Option<(Reason, String)>> {
        let [provider, module, function, name] = p.parts();
        // Other providers have no functions to explain.
        if provider != b"fbt" {
            let lacks = (provider, name) == (b"io", b"start");
            return Ok(lacks.then(|| (Reason::NoEvent, "block_bio_queue".into())));
        }
        let is_it = |r: &&(&str, Reason, &str)| {
            r.0.as_bytes() == function && (r.1 != Reason::OtherModule || !module.is_empty())
        };
        let known = REASONS.iter().find(is_it);
        Ok(Some(known.map_or((Reason::Unknown, String::new()), |r| (r.1, r.2.to_string()))))
    }
    fn conf(&mut self) -> Answer<Conf> {
        unreachable!()
    }
    fn make(&mut self, _: u32, _: &[u8]) -> Answer<Made> {
        unreachable!()
    }
    fn enable(&mut self, _: &[u8]) -> Answer<u32> {
        unreachable!()
    }
    fn go(&mut self) -> Answer<Started> {
        unreachable!()
    }
    fn stop(&mut self) -> Answer<u32> {
        unreachable!()
    }
    fn snap(&mut self, _: Buffer, _: u32, _: &mut Room) -> Answer<Option<Snapshot>> {
        unreachable!()
    }
    fn eprobe(&mut self, _: Epid) -> Answer<Eprobe> {
        unreachable!()
    }
    fn aggregation(&mut self, _: AggId) -> Answer<Aggregation> {
        unreachable!()
    }
    fn format(&mut self, _: FormatId) -> Answer<Vec<u8>> {
        unreachable!()
    }
    fn status(&mut self) -> Answer<Status> {
        unreachable!()
    }
}

/// A machine in a folder. It has no BTF, so names come from kallsyms.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("dtrace-why-{name}-{}", std::process::id()));
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut symbols = String::new();
        for (module, function) in FUNCTIONS {
            let function = function.split(':').next().unwrap();
            symbols += &match *module {
                "vmlinux" => format!("0 T {function}\n"),
                module => format!("0 t {function}\t[{module}]\n"),
            };
        }
        // Names that BTF would have: functions without code.
        symbols += "0 T bpf_list_add_impl\n0 T only_inlined\n";
        put("proc/kallsyms", &symbols);
        put("proc/modules", "nf_tables 4096 0 - Live 0x0\n");
        put("proc/sys/kernel/osrelease", "7.2.12-test\n");
        let lib = "lib/modules/7.2.12-test/";
        put(&format!("{lib}modules.builtin"), "kernel/fs/ext4/ext4.ko\n");
        put(
            &format!("{lib}modules.dep"),
            "kernel/fs/xfs/xfs.ko.xz:\nkernel/net/nf-tables.ko.xz: kernel/x.ko.xz\nkernel/fs/cifs.ko.xz:\n",
        );
        put(
            &format!("{lib}modules.symbols"),
            "# Aliases for symbols\nalias symbol:cifs_mount cifs\nalias symbol:nft_register nf_tables\n",
        );
        Self(root)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the answer in the command's form.
fn answer(root: &Path, description: &str) -> String {
    let mut kernel = Fixed::new();
    let world = KernelWorld::new(&mut kernel).with_machine(Machine::at(root));
    let mut compiler = Compiler::new(d::Options::default());
    let source = Source::spec(SpecKind::Name, description);
    let compiled = compiler.compile(&source, &world);
    let first = compiled.diagnostics.first().expect("the description matches nothing");
    let head = first.headline(&source, true);
    format!("dtrace: {head}\n{}\n", d::diag::render::excerpt(first, &source, false))
}

#[test]
fn reasons_as_they_are_read() {
    let folder = Folder::new("golden");
    let mut now = String::new();
    for description in [
        // No such function, but similar ones.
        "fbt::vfs_reed:entry",
        "vfs_reed:entry",
        "vfs_reed",
        "vfs_read",
        "fbt:vmlinux:vfs_reed:",
        "fbt::quite_another:entry",
        "fbt::vfs_reed*:entry",
        "fbt:nf_tables:vfs_*:entry",
        "fbt::zzz*:return",
        // The kernel's own reasons.
        "fbt::start_kernel:entry",
        "fbt::asm_exc_int3:entry",
        "fbt::do_int3:",
        "fbt::filp_close:entry",
        "fbt::__pfx_vfs_read:entry",
        "fbt::jiffies:entry",
        "fbt::panic:return",
        // Functions whose code is known to be elsewhere.
        "fbt::__do_sys_openat:entry",
        "fbt::sys_openat:entry",
        "fbt::trace_sched_switch:entry",
        "fbt::bpf_list_add_impl:entry",
        "fbt::only_inlined:entry",
        // Modules.
        "fbt:xfs::",
        "fbt:xfs:xfs_file_open:entry",
        "fbt:ext4::",
        "fbt:ext4:ext4_file_read_iter:entry",
        "fbt:nf-tables::",
        "fbt:nf_table:nf_tables_newrule:entry",
        "fbt:vmlinux:nf_tables_newrule:entry",
        "fbt:kernel:vfs_read:entry",
        "fbt:none:vfs_read:entry",
        "fbt::nf_tables:",
        "fbt::cifs_mount:entry",
        // Wrong probe names and providers.
        "fbt::vfs_read:123",
        "fbt::vfs_read:enter",
        "fbt::vfs_read:exit",
        "fbt::vfs_reed:exit",
        "fbtt::vfs_read:entry",
        "syscall::openat:entry",
        "io:::start",
        "io:::strat",
        "profile:::tick-1s",
        "tick-1s:::",
        "profile::vfs_read:tick-1s",
        "tick-1fortnight",
        "profile-10000",
        "profile:::tick-0",
        "profile:::tock-1s",
        "nosuch:::",
        "hwrold:::entry",
        "hworld::open2:entry",
        "BEGNI",
    ] {
        now += &answer(&folder.0, description);
        now += "\n";
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/why.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(now, golden, "is that meant? BLESS=1 writes the golden anew");
}
