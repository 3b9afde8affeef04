// SPDX-License-Identifier: GPL-2.0
//! Compiles descriptions of our own process's probes: which probes are asked for, how a description
//! is rewritten, and the complaint about a description that matches nothing.

use crate::fake::Fake;
use abi::unwind::{Key, Row};
use abi::user::UserReason;
use consumer::clock::Clock;
use consumer::user::objects::Objects;
use consumer::world::{self, KernelWorld};
use consumer::Refusal;
use d::{Compiler, Program, Source, SpecKind};
use libproc::account::Account;
use std::time::{Duration, Instant};

/// Returns a program, or its first complaint as `[TAG] message / label / hint`; then the messages.
fn compile(fake: &Fake, text: &str) -> (Result<Program, String>, Vec<String>) {
    let mut kernel = fake.clone();
    let mut world = KernelWorld::new(&mut kernel);
    let options = d::Options { target: Some(std::process::id()), ..d::Options::default() };
    let source = Source::spec(SpecKind::Name, text);
    let compiled = world::compile(&mut Compiler::new(options), &source, &mut world);
    let first = compiled.diagnostics.first();
    let complaint = first.map(|d| {
        let hint = d.hint.as_deref().unwrap_or("");
        format!("[{}] {} / {} / {hint}", d.tag.name(), d.message, d.primary.text)
    });
    (compiled.program.ok_or_else(|| complaint.unwrap()), world.into_process_probes().take_told())
}

/// Returns the names of the probes that were made, without the provider.
fn made(fake: &Fake) -> Vec<String> {
    let own = format!("pid{}", std::process::id());
    let name = |parts: &[String; 4]| (parts[0] == own).then(|| parts[1..].join(":"));
    fake.0.borrow().names().iter().filter_map(name).collect()
}

#[test]
fn a_description_makes_its_probes() {
    let fake = Fake::new(1, &[]);
    let (program, told) =
        compile(&fake, "pid$target:libc:write:entry,pid$target:libc:write:return");
    let program = program.unwrap();
    assert_eq!(made(&fake), ["libc.so.6:write:entry", "libc.so.6:write:return"]);
    assert!(program.matched == 2 && told.is_empty(), "{told:?}");
    // The description gets the name of the probe's module.
    let modules: Vec<&str> = program.clauses[0].probes.iter().map(|p| p.module.as_str()).collect();
    assert_eq!(modules, ["libc.so.6"; 2]);
    let own = std::env::current_exe().unwrap();
    let own = own.file_name().unwrap().to_string_lossy();
    let (program, _) = compile(&fake, "pid$target:a.out:main:entry");
    assert_eq!(program.unwrap().clauses[0].probes[0].module, own);
    assert_eq!(made(&fake)[2], format!("{own}:main:entry"));
}

#[test]
fn globs_make_many() {
    let fake = Fake::new(1, &[]);
    let (program, _) = compile(&fake, "pid$target:libc:mem*:entry");
    let all = made(&fake);
    assert!(all.len() > 5 && all.iter().all(|p| p.starts_with("libc.so.6:mem")), "{all:?}");
    assert_eq!(program.unwrap().matched, all.len());
    let fake = Fake::new(1, &[]);
    compile(&fake, "pid$target::write:").0.unwrap();
    let all = made(&fake);
    for name in ["entry", "return", "0"] {
        assert!(all.contains(&format!("libc.so.6:write:{name}")), "{name}: {all:?}");
    }
}

#[test]
fn what_means_nothing_says_why() {
    let pid = std::process::id();
    for (text, want) in [
        ("pid:::entry", "[D_PROC_BADPID] provider pid has no valid process id /".to_string()),
        ("pid0:::entry", "[D_PROC_BADPID] provider pid0 has no".into()),
        ("pid4294967296:::entry", "[D_PROC_BADPID] provider pid4294967296".into()),
        ("pid4294967295:::entry", "[D_PROC_GRAB] failed to grab process 4294967295: No such".into()),
        ("pid$target:libnone::entry", format!("[D_PDESC_ZERO] probe description pid{pid}:libnone::entry does not match any probes / no such object")),
        ("pid$target:libc:wrte:entry", format!("[D_PDESC_ZERO] probe description pid{pid}:libc.so.6:wrte:entry does not match any probes / no such function / did you mean `pid{pid}:libc.so.6:write:entry`")),
        ("pid$target::wrte:entry", format!("[D_PDESC_ZERO] probe description pid{pid}::wrte:entry does not match")),
        ("pid$target:libc:wrxx*:entry", format!("[D_PDESC_ZERO] probe description pid{pid}:libc.so.6:wrxx*:entry does not match any probes / no such function")),
        ("pid*:::entry", "[D_PROC_BADPID] provider pid* has no valid process id / expected `pid`".into()),
        ("libc$target:::nosuch", format!("[D_PDESC_ZERO] probe description libc{pid}:::nosuch does not match any probes / no such probe")),
        ("pid$target:libc:write:exit", "[D_PROC_NAME] a function has no probe `exit`".into()),
        ("pid$target:libc:write:ffffff", "[D_PROC_OFF] offset 0xffffff is not in libc.so.6:write".into()),
    ] {
        let (program, told) = compile(&Fake::new(1, &[]), text);
        let complaint = program.map(|_| ()).unwrap_err();
        assert!(complaint.starts_with(&want) && told.is_empty(), "{text}\n{complaint}\n{want}");
    }
    // A place inside an instruction; which offset that is depends on the library.
    let fake = Fake::new(1, &[]);
    compile(&fake, "pid$target:libc:write:[0-9]*,pid$target:libc:write:[a-f]*").0.unwrap();
    let offset = |p: &String| u32::from_str_radix(p.rsplit(':').next()?, 16).ok();
    let begins: Vec<u32> = made(&fake).iter().filter_map(offset).collect();
    let within = (0..).find(|n| !begins.contains(n)).unwrap();
    let text = format!("pid$target:libc:write:{within:x}");
    let complaint = compile(&fake, &text).0.map(|_| ()).unwrap_err();
    assert!(
        complaint.starts_with("[D_PROC_ALIGN] no instruction of libc.so.6:write begins"),
        "{complaint}"
    );
}

#[test]
fn refusals_are_told() {
    let fake = Fake::new(1, &[]);
    fake.0.borrow_mut().left_out_of = vec![("write".into(), UserReason::TooFar)];
    let (program, told) = compile(&fake, "pid$target:libc:write:entry,pid$target:libc:read:entry");
    let complaint = program.map(|_| ()).unwrap_err();
    assert!(complaint.starts_with("[D_PROC_CREATEFAIL] failed to make probes for"), "{complaint}");
    let line = format!(
        "1 place of pid {} was left out:\n  libc.so.6:write:entry: {}",
        std::process::id(),
        UserReason::TooFar.words()
    );
    assert_eq!(told, [line.as_str()]);
    // A second description of the place gets no new message.
    let twice = "pid$target:libc:write:entry,pid$target:libc:write:entry";
    assert_eq!(compile(&fake, twice).1, [line.clone()]);
    let both = "pid$target:libc:write:entry,pid$target:libc:write:0";
    assert_eq!(compile(&fake, both).1, [line]);
    // Other places of the same description have probes, so it is no mistake.
    assert!(compile(&fake, "pid$target:libc:[rw]*:entry").0.is_ok());
    let (program, told) = compile(&fake, "pid$target:libc:write:");
    assert!(program.is_err() && told[0].contains("\n  and "), "{told:?}");
    let full = Refusal { errno: libc::ENOMEM, reason: "no memory for it".into() };
    fake.0.borrow_mut().refusal_of_make = Some(full);
    let complaint = compile(&fake, "pid$target:libc:malloc:entry").0.map(|_| ()).unwrap_err();
    let want = format!("failed to make probes in process {}: no memory for it", std::process::id());
    assert!(complaint.contains(&want), "{complaint}");
    let old = Refusal { errno: libc::ENOTTY, reason: "Inappropriate ioctl for device".into() };
    fake.0.borrow_mut().refusal_of_make = Some(old);
    let complaint = compile(&fake, "pid$target:libc:malloc:entry").0.map(|_| ()).unwrap_err();
    assert!(complaint.starts_with("[D_PROC_NODEV]"), "{complaint}");
}

/// The process has ended, or it is one without a vDSO, such as a 32-bit one.
#[test]
fn the_rows_of_the_vdso_come_from_no_process() {
    let fake = Fake::new(1, &[]);
    let ended = (u32::MAX, Account::ROOT);
    Objects::default().meet(&mut fake.clone(), ended, &mut Clock::default());
    let told = &fake.0.borrow().objects;
    assert!(told.len() == 1 && told[0].0 == Key::default() && told[0].1 > 0, "{told:?}");
}

/// Processes of one user whose files are slow to open must not hold up those of others.
#[test]
fn a_user_takes_no_more_than_a_share_of_a_look() {
    let (fake, me) = (Fake::new(1, &[]), std::process::id());
    let files = |spent_by: Account, millis| {
        let (mut spent, mut objects) = (Clock::default(), Objects::default());
        spent.add(spent_by, Duration::from_millis(millis));
        objects.meet(&mut fake.clone(), (me, Account::of(me)), &mut spent);
        while objects.learn_some(&mut fake.clone()) {}
        std::mem::take(&mut fake.0.borrow_mut().objects).len()
    };
    // As much as a user can have taken, and as much as root can.
    assert!(files(Account::user(77), 370) > 2);
    assert_eq!(files(Account::of(me), 500), 0);
}

/// The module refuses the rows of a file. It gets the rows of the files that come after it.
#[test]
fn a_refused_file_takes_nothing_from_others() {
    // As large as a file's author likes, or in a place that is taken.
    for (least, errno) in [(1 << 14, libc::E2BIG), (1 << 14, libc::ENOMEM), (1, libc::ENOSPC)] {
        let fake = Fake::new(1, &[]);
        let mut objects = Objects::default();
        let mut learn = |pid| objects.learn(&mut fake.clone(), pid);
        assert!((1 << 14) * size_of::<Row>() > 1 << 16);
        fake.0.borrow_mut().refuses_rows = Some((least, errno));
        learn(std::process::id());
        assert!(fake.0.borrow().refused_files > 0, "{errno}");
        fake.0.borrow_mut().refuses_rows = None;
        let before = fake.0.borrow().objects.len();
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        // The child may not have its program mapped yet.
        let until = Instant::now() + Duration::from_secs(10);
        while fake.0.borrow().objects.len() == before && Instant::now() < until {
            learn(child.id());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(fake.0.borrow().objects.len() > before, "{errno}");
    }
}

/// The module has no room, not even for a small file. Reading more files would be of no use.
#[test]
fn a_full_module_gets_no_more() {
    let fake = Fake::new(1, &[]);
    fake.0.borrow_mut().refuses_rows = Some((0, libc::E2BIG));
    Objects::default().learn(&mut fake.clone(), std::process::id());
    assert_eq!(fake.0.borrow().refused_files, 1);
}
