// SPDX-License-Identifier: GPL-2.0
//! Whole sessions without a kernel: D text is compiled, enabled in a fake kernel made of the
//! module's own crates, fired, consumed and printed. The expected output is in `golden/`, one file
//! for each test: standard output, then messages, then the exit status. `BLESS=1` writes the files
//! anew; a human reads the difference.

mod fake;
mod sessions;
mod user;

use abi::option::OptionId;
use consumer::session::{Enabled, Output, Settings};
use consumer::wait::{Event, Waiter};
use consumer::world::KernelWorld;
use consumer::{Failure, Kernel};
use fake::{Fake, Firing, Steps};
use sessions::{compile, run, Outcome};
use std::fs::File;
use std::io::{ErrorKind, Write};

/// Compares with `golden/NAME.txt`.
fn check(name: &str, o: &Outcome) {
    let now = format!("{}---- stderr\n{}---- end {:?}\n", o.out, o.err, o.end);
    let path = format!("{}/tests/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(now, golden, "{name}: is that meant? BLESS=1 writes the golden anew");
}

fn hworld() -> Fake {
    Fake::new(2, &["hworld:open_module:open1:entry", "hworld:read_module:read1:return"])
}

const OPEN: &str = "hworld:open_module:open1:entry";
const READ: &str = "hworld:read_module:read1:return";

fn at(cpu: u32, at: u64, args: &'static [u64]) -> Firing<'static> {
    Firing { cpu, at, args, ..Firing::default() }
}

#[test]
fn the_default_action_and_every_traced_size() {
    let fake = hworld();
    let program =
        "BEGIN { trace(1); trace(2LL); trace((short)3); trace((char)4); trace(\"five\"); } \
                   hworld::: , END {}";
    let steps = Steps::new(&fake).then(|k| {
        k.fire(OPEN, at(0, 2000, &[]));
        k.fire(READ, at(1, 3000, &[]));
    });
    check("default_action", &run(&fake, &[program], &[], steps));
}

#[test]
fn quiet_prints_what_the_program_says() {
    let fake = hworld();
    let program = "#pragma D option quiet\n\
        hworld:::entry { printf(\"%s %5d|%-5d|0x%x %s:%s:%s:%s\\n\", execname, arg0, arg1, arg0, \
        probeprov, probemod, probefunc, probename); trace(arg0); trace(\"x\"); }";
    let steps = Steps::new(&fake).then(|k| k.fire(OPEN, at(0, 2000, &[42, 7])));
    check("quiet", &run(&fake, &[program], &[], steps));
}

#[test]
fn freopen_appends() {
    let path = std::env::temp_dir().join(format!("dtrace-freopen-{}", std::process::id()));
    std::fs::write(&path, "old\n").unwrap();
    let name = path.display();
    let program = format!(
        "BEGIN, hworld::: {{ freopen(\"{name}\"); printf(\"%s\\n\", probename); freopen(\"\"); }} \
         END {{ printf(\"end\"); }}"
    );
    let fake = hworld();
    let steps = Steps::new(&fake)
        .then(|k| k.fire(OPEN, at(0, 2000, &[])))
        .then(|k| k.fire(READ, at(1, 3000, &[])));
    let o = run(&fake, &[&program], &["quiet", "destructive"], steps);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        (text.as_str(), o.out.as_str()),
        ("old\nBEGIN\nentry\nreturn\n", "end\n"),
        "{}",
        o.err
    );
}

/// A traced program chooses the name of a file, which may have any bytes.
#[test]
fn names_for_system_and_freopen_keep_their_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = std::env::temp_dir().join(format!("dtrace-bytes-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let name = folder.display();
    let program = format!(
        "BEGIN {{ freopen(\"{name}/%s\", \"a\\xe9\"); printf(\"text\\n\"); freopen(\"\"); }} \
         BEGIN {{ system(\"cp {name}/%s {name}/b\", \"a\\xe9\"); exit(0); }}"
    );
    let fake = hworld();
    let o = run(&fake, &[&program], &["quiet", "destructive"], Steps::new(&fake));
    let [a, b] = [&b"a\xe9"[..], b"b"].map(|n| folder.join(std::ffi::OsStr::from_bytes(n)));
    let texts = [a, b].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(texts, ["text\n"; 2], "{}", o.err);
}

#[test]
fn exit_ends_the_session_with_its_status() {
    let fake = hworld();
    let outcome =
        run(&fake, &["BEGIN { exit(3); } END { printf(\"end\"); }"], &[], Steps::new(&fake));
    assert_eq!(outcome.end, Ok(3));
    check("exit", &outcome);
}

#[test]
fn records_of_all_cpus_come_in_order_of_time() {
    let fake = hworld();
    let program = "hworld:::entry { printf(\"%d\", arg0); }";
    let steps = Steps::new(&fake)
        .then(|k| {
            k.fire(OPEN, at(1, 2000, &[1]));
            k.fire(OPEN, at(0, 2010, &[2]));
            k.fire(OPEN, at(1, 2020, &[3]));
            k.fire(OPEN, at(0, 2030, &[4]));
        })
        .then(|k| {
            k.fire(OPEN, at(1, 5000, &[6]));
            k.fire(OPEN, at(0, 4000, &[5]));
        });
    let outcome = run(&fake, &[program], &["quiet"], steps);
    assert_eq!(outcome.out, "123456\n");
    check("temporal", &run(&hworld_again(), &[program], &["temporal=no", "quiet"], unordered()));
}

fn hworld_again() -> Fake {
    let fake = hworld();
    FAKE.with(|f| *f.borrow_mut() = Some(fake.clone()));
    fake
}

thread_local! {
    static FAKE: std::cell::RefCell<Option<Fake>> = const { std::cell::RefCell::new(None) };
}

fn unordered() -> Steps {
    let fake = FAKE.with(|f| f.borrow().clone().unwrap());
    Steps::new(&fake).then(|k| {
        k.fire(OPEN, at(1, 2000, &[1]));
        k.fire(OPEN, at(0, 2010, &[2]));
    })
}

#[test]
fn newer_records_wait_for_the_slowest_cpu() {
    // CPU 0 is asked first. Records that CPU 1 writes between the two questions wait until CPU 0
    // has been asked again.
    let fake = hworld();
    let program = "hworld:::entry { printf(\"%d\", arg0); }";
    let later = fake.0.borrow().now + 4;
    let steps = Steps::new(&fake)
        .then(move |k| {
            let future = k.now + 1_000_000;
            k.fire(OPEN, Firing { cpu: 1, at: future, args: &[2], ..Firing::default() });
            // The switch of CPU 0 happens before that.
            k.now = later;
        })
        .then(|k| k.fire(OPEN, at(0, 500_000, &[1])));
    let outcome = run(&fake, &[program], &["quiet"], steps);
    assert_eq!(outcome.out, "12\n");
}

#[test]
fn runs_of_many_cpus_are_merged() {
    // The expected order: by time, then by CPU, then the order of the CPU's own records.
    let mut random = 1u64;
    let mut next = move |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % n
    };
    let fake = Fake::new(5, &["hworld:open_module:open1:entry"]);
    let (mut steps, mut want, mut number) = (Steps::new(&fake), Vec::new(), 0u64);
    for round in 0..20u64 {
        let mut times: Vec<u64> = (0..next(40)).map(|_| 1000 * (round + 1) + next(30)).collect();
        times.sort_unstable();
        let fired: Vec<(u32, u64, u64)> = (number..)
            .zip(times)
            // Often the same CPU as before.
            .map(|(n, time)| {
                (if next(4) == 0 { next(5) as u32 } else { round as u32 % 5 }, time, n)
            })
            .collect();
        number += fired.len() as u64;
        want.extend(fired.iter().map(|&(cpu, time, n)| (time, cpu, n)));
        steps = steps.then(move |k| {
            for &(cpu, at, n) in &fired {
                let args = Vec::leak(vec![n]);
                k.fire(OPEN, Firing { cpu, at, args, ..Firing::default() });
            }
        });
    }
    want.sort_unstable();
    let want: String = want.iter().map(|(_, _, n)| format!("{n} ")).collect();
    let program = "hworld:::entry { printf(\"%d \", arg0); }";
    let outcome = run(&fake, &[program], &["quiet"], steps);
    assert_eq!(outcome.out, want + "\n");
}

#[test]
fn aggregations_fold_cpus_and_keys() {
    let fake = hworld();
    let program = "hworld:::entry { @[execname, pid] = count(); @sums[arg1] = sum(arg0); \
        @lo = min(arg0); @hi = max(arg0); @mean = avg(arg0); @empty[pid] = count(); }";
    let steps = Steps::new(&fake)
        .then(|k| {
            let f = |cpu, pid, args| Firing { cpu, at: 2000, args, pid, execname: "cat" };
            k.fire(OPEN, f(0, 7, &[10, 1]));
            k.fire(OPEN, f(1, 7, &[30, 2]));
            k.fire(OPEN, f(1, 9, &[5, 1]));
        })
        .then(|k| {
            let f = Firing { cpu: 0, at: 3000, args: &[u64::MAX, 2], pid: 7, execname: "bash" };
            (0..5).for_each(|_| k.fire(OPEN, f));
        });
    check("aggregations", &run(&fake, &[program], &[], steps));
}

#[test]
fn distributions() {
    let fake = hworld();
    let program =
        "hworld:::entry { @q[execname] = quantize(arg0); @l = lquantize(arg0, 0, 100, 10); }";
    let steps = Steps::new(&fake).then(|k| {
        for (n, v) in [0, 1, 5, 5, 5, 42, 99, 100, 1000].into_iter().enumerate() {
            let args: &'static [u64] = Box::leak(Box::new([v]));
            k.fire(OPEN, at(n as u32 % 2, 2000 + n as u64, args));
        }
    });
    check("distributions", &run(&fake, &[program], &[], steps));
}

#[test]
fn sorting() {
    for (name, options) in [
        ("sort_value", &[][..]),
        ("sort_key_reversed", &["aggsortkey", "aggsortrev"]),
        ("sort_second_key", &["aggsortkey", "aggsortkeypos=1"]),
    ] {
        let fake = hworld();
        let program = "hworld:::entry { @[execname, arg0] = sum(arg1); }";
        let steps = Steps::new(&fake).then(|k| {
            let rows: [(&str, &'static [u64]); 4] =
                [("b", &[1, 10]), ("a", &[2, 30]), ("c", &[3, 20]), ("a", &[9, 20])];
            for (execname, args) in rows {
                k.fire(OPEN, Firing { execname, args, at: 2000, ..Firing::default() });
            }
        });
        check(name, &run(&fake, &[program], options, steps));
    }
}

#[test]
fn equal_distributions_are_sorted_by_the_count_of_0() {
    for function in ["quantize(arg0)", "lquantize(arg0, -2, 2, 1)"] {
        let fake = hworld();
        let program = format!("hworld:::entry {{ @[execname] = {function}; }}");
        let steps = Steps::new(&fake).then(|k| {
            for (execname, n) in [("a", 2), ("b", 1)] {
                for _ in 0..n {
                    k.fire(OPEN, Firing { execname, args: &[0], at: 2000, ..Firing::default() });
                }
            }
            for n in [u64::MAX, 1] {
                let args: &'static [u64] = Box::leak(Box::new([n]));
                k.fire(OPEN, Firing { execname: "c", args, at: 2000, ..Firing::default() });
            }
        });
        let out = run(&fake, &[&program], &["quiet"], steps).out;
        let names: Vec<&str> = out.lines().map(str::trim).filter(|l| l.len() == 1).collect();
        assert_eq!(names, ["c", "b", "a"], "{out}");
    }
}

#[test]
fn printa_with_and_without_format() {
    let fake = hworld();
    let program = "hworld:::entry { @a[execname] = count(); @b[execname] = sum(arg0); } \
        hworld:::return { printa(@a); printa(\"%-10s %@5d\\n\", @b); \
        printa(\"%s: %@d times, %@d\\n\", @a, @b); } \
        END { @late = count(); }";
    let steps = Steps::new(&fake).then(|k| {
        for (execname, args) in [("x", &[5u64][..]), ("y", &[1]), ("x", &[7])] {
            let args: &'static [u64] = Box::leak(args.to_vec().into_boxed_slice());
            k.fire(OPEN, Firing { execname, args, at: 2000, ..Firing::default() });
        }
        k.fire(READ, at(1, 2500, &[]));
    });
    check("printa", &run(&fake, &[program], &[], steps));
}

/// A row may have thousands of lines, and all rows together gigabytes. Commands and other files get
/// their place between the rows all the same.
#[test]
fn long_tables_are_written_in_pieces() {
    let path = std::env::temp_dir().join(format!("dtrace-pieces-{}", std::process::id()));
    let name = path.display();
    let wide = |n: usize| {
        format!("@a[{n}] = lquantize(0, 0, 1000, 1); @a[{n}] = lquantize(999, 0, 1000, 1); ")
    };
    let program = format!(
        "BEGIN {{ {} }} hworld:::return {{ printf(\"one\\n\"); printa(@a); freopen(\"{name}\"); \
        printa(\"%d %@d\", @a); freopen(\"\"); printf(\"two\\n\"); exit(3); }}",
        (1..9).map(wide).collect::<String>()
    );
    for options in [&["quiet", "destructive"][..], &["oformat=json", "destructive"]] {
        let fake = hworld();
        let steps = Steps::new(&fake).then(|k| k.fire(READ, at(0, 2000, &[])));
        let o = run(&fake, &[&program], options, steps);
        assert_eq!(o.end, Ok(3));
        assert!(o.longest < 256 << 10, "{}", o.longest);
        if options.contains(&"quiet") {
            assert!(o.out.starts_with("one\n") && o.out.ends_with("\ntwo\n\n"));
            let elsewhere = std::fs::read_to_string(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            for text in [o.out, elsewhere] {
                assert_eq!(text.matches(" Distribution ").count(), 8);
                assert!(text.len() > 400 << 10, "{}", text.len());
            }
        } else {
            let printed = o.out.lines().find(|line| line.contains("printa")).unwrap();
            assert!(printed.len() > 400 << 10);
            assert_eq!(printed.matches(r#"{"action":""#).count(), 7, "{}", &printed[..200]);
            assert_eq!(printed.matches(r#""keys":[{"#).count(), 16);
            assert!(printed.ends_with(r#"{"action":"exit","status":3}]}"#));
        }
    }
}

#[test]
fn a_divisor_that_is_none() {
    let fake = hworld();
    let program = "#pragma D option quiet\n\
        BEGIN { @a = sum(100); @b[1] = sum(100); } \
        hworld:::return { normalize(@a, 10); normalize(@a, arg0); printf(\"x\"); \
        normalize(@b, -arg0 - 1); printa(@a); printa(@b); }";
    let steps = Steps::new(&fake).then(|k| k.fire(READ, at(0, 2000, &[0])));
    let o = run(&fake, &[program], &[], steps);
    assert_eq!(
        o.err,
        "dtrace: normalize(@a, 0) changes nothing: the divisor must be at least 1\n\
        dtrace: normalize(@b, -1) changes nothing: the divisor must be at least 1\n"
    );
    assert_eq!(o.out, format!("x\n {:16}\n\n {:8} {:16}\n\n", 10, 1, 100));
}

#[test]
fn clear_trunc_and_normalize() {
    let fake = hworld();
    let program = "#pragma D option quiet\n\
        hworld:::entry { @a[arg0] = sum(arg1); @m[arg0] = max(arg1); } \
        hworld:::return { normalize(@a, 10); printa(@a); denormalize(@a); trunc(@a, 1); \
        printa(@a); clear(@m); printa(@m); trunc(@m); }";
    let steps = Steps::new(&fake)
        .then(|k| {
            k.fire(OPEN, at(0, 2000, &[1, 100]));
            k.fire(OPEN, at(1, 2001, &[2, 200]));
            k.fire(READ, at(1, 2500, &[]));
        })
        .then(|k| {
            k.fire(OPEN, at(0, 3000, &[3, 5]));
            k.fire(READ, at(0, 3500, &[]));
        });
    check("clear_trunc_normalize", &run(&fake, &[program], &[], steps));
}

#[test]
fn drops_are_told_once() {
    let fake = hworld();
    let steps = Steps::new(&fake)
        .then(|k| {
            // A record has 16 bytes and a buffer 64 KiB: the last 4 of 4100 find no room.
            (0..4100).for_each(|n| k.fire(OPEN, at(1, 2000 + n, &[])));
            k.status.dyndrops = 3;
        })
        .then(|k| k.status.dyndrops = 4)
        .then(|_| {});
    let outcome = run(&fake, &["hworld:::entry"], &["quiet"], steps);
    assert_eq!(
        outcome.err,
        "dtrace: 4 drops on CPU 1\ndtrace: 3 dynamic variable drops\ndtrace: 1 dynamic variable drop\n"
    );
}

#[test]
fn aggregation_drops() {
    let fake = hworld();
    let steps = Steps::new(&fake).then(|k| {
        for n in 0..5000u64 {
            k.fire(OPEN, Firing { at: 2000, pid: n as i32, ..Firing::default() });
        }
    });
    let outcome = run(&fake, &["hworld:::entry { @[pid] = count(); }"], &["quiet"], steps);
    let counted = outcome.out.lines().filter(|l| !l.is_empty()).count();
    let told: usize = outcome
        .err
        .strip_prefix("dtrace: ")
        .and_then(|t| t.strip_suffix(" aggregation drops on CPU 0\n"))
        .unwrap_or_else(|| panic!("{}", outcome.err))
        .parse()
        .unwrap();
    assert!(told > 0);
    assert_eq!(counted + told, 5000);
}

#[test]
fn faults_name_the_clause() {
    let fake = hworld();
    let program = "hworld:::entry { printf(\"before\"); } \
        hworld:::entry { trace(1); trace(100 / arg0); } \
        hworld:::entry /arg1 % arg0/ { } \
        hworld:::entry { printf(\"after\"); } \
        ERROR { printf(\"fault %d in action %d of %d\", arg4, arg2, arg1); }";
    let steps = Steps::new(&fake).then(|k| k.fire(OPEN, at(1, 2000, &[0, 5])));
    check("faults", &run(&fake, &[program], &[], steps));
}

#[test]
fn flow_is_indented() {
    let fake = Fake::new(
        1,
        &[
            "fbt:m:outer:entry",
            "fbt:m:inner:entry",
            "fbt:m:inner:return",
            "fbt:m:outer:return",
            "sdt:m:middle:here",
            "syscall::read:entry",
            "syscall::read:return",
        ],
    );
    let program = "fbt:::, sdt:::, syscall::: {} fbt:::entry, fbt::inner:return { trace(1); }";
    let steps = Steps::new(&fake).then(|k| {
        for (n, name) in [
            "syscall::read:entry",
            "fbt:m:outer:entry",
            "fbt:m:inner:entry",
            "fbt:m:inner:entry",
            "sdt:m:middle:here",
            "fbt:m:inner:return",
            "fbt:m:inner:return",
            "fbt:m:outer:return",
            "syscall::read:return",
        ]
        .into_iter()
        .enumerate()
        {
            k.fire(name, at(0, 2000 + n as u64, &[]));
        }
    });
    check("flow", &run(&fake, &[program], &["flowindent"], steps));
}

#[test]
fn several_programs_share_variables_and_numbers() {
    let fake = hworld();
    let programs = [
        "BEGIN { x = 5; printf(\"first\"); @runs = count(); }",
        "BEGIN { printf(\"second %d\", x); @sum = sum(x); }",
        "hworld:::entry",
    ];
    let steps = Steps::new(&fake).then(|k| k.fire(OPEN, at(0, 2000, &[])));
    check("programs", &run(&fake, &programs, &[], steps));
}

#[test]
fn targets_end_the_session() {
    let fake = hworld();
    let mut steps = Steps::new(&fake);
    steps.epitaphs = Some(vec!["pid 7 has exited".into()]);
    let outcome = run(&fake, &["hworld:::"], &[], steps);
    assert_eq!(outcome.err, "dtrace: pid 7 has exited\n");
    assert_eq!(outcome.end, Ok(0));
}

#[test]
fn refusals_carry_the_kernels_reason() {
    let fake = hworld();
    fake.0.borrow_mut().refusal = Some("pc 3: unknown opcode (rule 3): 0xff".into());
    let outcome = run(&fake, &["hworld:::"], &[], Steps::new(&fake));
    assert_eq!(
        outcome.end.unwrap_err(),
        "failed to enable 'test': pc 3: unknown opcode (rule 3): 0xff"
    );
}

#[test]
fn systemic_unresponsiveness() {
    let fake = hworld();
    let steps = Steps::new(&fake).then(|k| k.status.killed = 1);
    let outcome = run(&fake, &["hworld:::"], &[], steps);
    assert_eq!(
        outcome.end.unwrap_err(),
        "processing aborted: Abort due to systemic unresponsiveness"
    );
}

#[test]
fn a_firing_that_died() {
    let fake = hworld();
    let steps = Steps::new(&fake).then(|k| k.status.killed = abi::status::killed::DIED);
    let end = run(&fake, &["hworld:::"], &[], steps).end.unwrap_err();
    assert!(end.starts_with("processing aborted: a probe failed as it fired"), "{end}");
}

/// A destination that cannot be written to.
struct Failing(ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn messages_that_find_no_room_end_nothing() {
    let fake = hworld();
    fake.0.borrow_mut().left_out = vec!["p:m:f:entry: busy".into()];
    let programs = compile(&fake, &["END { printf(\"end\"); }"], &[]);
    let mut kernel = fake.clone();
    let (mut out, mut err) = (Vec::new(), Failing(ErrorKind::StorageFull));
    let output = Output { out: &mut out, err: &mut err, file: None };
    let enabled =
        Enabled::new(&mut kernel, output, Settings::default(), &[], "'test'", programs).unwrap();
    enabled.go().unwrap().work(&mut Steps::new(&fake)).map(drop).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("end"));
}

/// `dtrace -o data ... 2>&1 | head -1` traces on after `head` has gone.
#[test]
fn a_closed_pipe_for_messages_ends_nothing_if_data_go_to_a_file() {
    let path = std::env::temp_dir().join(format!("dtrace-messages-{}", std::process::id()));
    let file = File::create(&path).unwrap();
    for (file, goes_on) in [(Some(file), true), (None, false)] {
        let fake = hworld();
        fake.0.borrow_mut().left_out = vec!["p:m:f:entry: busy".into()];
        let programs = compile(&fake, &["END { printf(\"end\"); }"], &[]);
        let mut kernel = fake.clone();
        let (mut out, mut err) = (Vec::new(), Failing(ErrorKind::BrokenPipe));
        let output = Output { out: &mut out, err: &mut err, file };
        let how = Settings::default();
        let enabled = Enabled::new(&mut kernel, output, how, &[], "'test'", programs);
        let ended = enabled.and_then(|e| e.go()?.work(&mut Steps::new(&fake)).map(drop));
        assert_eq!(ended.is_ok(), goes_on);
        assert_eq!(String::from_utf8(out).unwrap().contains("end"), goes_on);
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let path = std::env::temp_dir().join(format!("dtrace-closed-{}", std::process::id()));
    let file = path.display();
    let end = format!("END {{ printf(\"lost\"); freopen(\"{file}\"); printf(\"end\"); }}");
    // The text that finds the pipe closed is printed while tracing goes on, or only by END.
    for begin in ["BEGIN { printf(\"begin\"); }", "BEGIN { x = 1; }"] {
        let fake = hworld();
        let programs = compile(&fake, &[begin, &end], &[]);
        let set = [(OptionId::Destructive, 1), (OptionId::Quiet, 1)];
        let mut kernel = fake.clone();
        let mut out = Failing(ErrorKind::BrokenPipe);
        let output = Output { out: &mut out, err: &mut Vec::new(), file: None };
        let how = Settings::default();
        let enabled = Enabled::new(&mut kernel, output, how, &set, "'test'", programs).unwrap();
        let ended = enabled.go().unwrap().work(&mut Steps::new(&fake).then(|_| {}));
        assert!(matches!(ended, Err(Failure::OutputClosed)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "end\n", "{begin}");
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn probes_that_were_left_out_are_named() {
    let fake = hworld();
    fake.0.borrow_mut().left_out =
        vec!["hworld:read_module:read1:return: another tracer has a call there".into()];
    let steps = Steps::new(&fake).then(|k| k.fire(OPEN, at(0, 2000, &[])));
    check("left_out", &run(&fake, &["hworld:::"], &[], steps));
}

#[test]
fn many_that_were_left_out_are_counted() {
    let fake = hworld();
    fake.0.borrow_mut().left_out = (0..70).map(|i| format!("p:m:f{i}:entry: busy")).collect();
    let err = run(&fake, &["hworld:::"], &["quiet"], Steps::new(&fake)).err;
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 66);
    assert_eq!(lines[..2], ["dtrace: 70 of 2 probes were left out:", "  p:m:f0:entry: busy"]);
    assert_eq!(lines[65], "  and 6 more");
}

#[test]
fn processes_that_wait_are_answered() {
    let fake = hworld();
    let steps = Steps::new(&fake).then(|k| k.status.mapped = 7).then(|k| {
        (k.status.mapped, k.late) = (9, 2);
    });
    let o = run(&fake, &["hworld:::entry"], &["statusrate=1h"], steps);
    assert_eq!(fake.0.borrow().seen, [7, 9]);
    let told =
        "dtrace: 2 times a process went on before the probes in a newly mapped file were ready\n";
    assert!(o.err.contains(told), "{}", o.err);
}

/// The probes that leave the records may be of programs that started after GO; then only probes of
/// `dtrace` were there.
#[test]
fn buffers_and_processes_are_looked_at_while_many_records_are_printed() {
    let looks = |records: u64| {
        let fake = Fake::new(1, &["dtrace:late:f:fire"]);
        let steps = Steps::new(&fake).then(move |k| {
            (0..records).for_each(|n| k.fire("dtrace:late:f:fire", at(0, 2000 + n, &[])));
        });
        let o = run(&fake, &["dtrace:late:f:fire { printf(\"x\"); }"], &["quiet"], steps);
        assert_eq!(o.out.trim().len() as u64, records, "{}", o.err);
        let looks = fake.0.borrow().looks;
        looks
    };
    assert_eq!(looks(3000), looks(10) + 2);
}

/// A waiter whose target does not wait for its probes, and ends.
struct Hasty(Fake);

impl Waiter for Hasty {
    fn now(&self) -> u64 {
        0
    }

    fn wait(&mut self, _ns: u64, _bell: Option<&File>) -> Event {
        let mut inner = self.0 .0.borrow_mut();
        (inner.status.mapped, inner.late) = (3, 6);
        Event::TargetsGone(Vec::new())
    }
}

#[test]
fn processes_that_did_not_wait_are_told_at_the_end() {
    let fake = hworld();
    let o = run(&fake, &["hworld:::entry"], &[], Hasty(fake.clone()));
    assert_eq!(fake.0.borrow().seen, [3]);
    let told =
        "dtrace: 6 times a process went on before the probes in a newly mapped file were ready\n";
    assert!(o.err.contains(told), "{}", o.err);
}

#[test]
fn sizes_that_were_lowered_are_told() {
    for (id, told) in [
        (OptionId::Bufsize, "dtrace: buffer size lowered to 1m\n"),
        (OptionId::Aggsize, "dtrace: aggregation size lowered to 1m\n"),
        (OptionId::Dynvarsize, "dtrace: dynamic variable size lowered to 1m\n"),
        (OptionId::Specsize, "dtrace: speculation size lowered to 1m\n"),
    ] {
        let fake = hworld();
        fake.0.borrow_mut().lowered = Some((id, 1 << 20));
        let option = format!("{}=2m", id.name());
        let err = run(&fake, &["hworld:::"], &["quiet", &option], Steps::new(&fake)).err;
        assert_eq!(err, told);
    }
}

#[test]
fn buffers_that_are_not_switched_are_printed_at_the_end() {
    for policy in ["fill", "ring"] {
        let fake = hworld();
        let steps = Steps::new(&fake)
            .then(|k| k.fire(OPEN, at(1, 2000, &[2])))
            .then(|k| k.fire(OPEN, at(0, 1000, &[1])));
        let option = format!("bufpolicy={policy}");
        let text = "hworld:::entry { printf(\"%d \", arg0); } END { printf(\"end\"); }";
        let out = run(&fake, &[text], &["quiet", &option], steps).out;
        assert_eq!(out, "1 2 end\n");
    }
}

#[test]
fn near_names_of_a_probe_that_is_not_there() {
    let fake = hworld();
    let mut kernel = fake.clone();
    let world = KernelWorld::new(&mut kernel);
    let near = |p: &str, m: &str, f: &str, n: &str| {
        d::World::why(&world, &d::ProbePattern::new(p, m, f, n)).unwrap().hint.unwrap_or_default()
    };
    assert_eq!(near("hwrld", "", "", ""), "did you mean `hworld:::`?");
    assert!(near("hworld", "", "", "etnry").starts_with("did you mean `hworld:::entry`"));
    assert_eq!(near("", "", "", "open1"), "did you mean `open1:`?");
    assert_eq!(near("", "", "", "BEGN"), "did you mean `BEGIN`?");
    assert_eq!(near("zzzzzzz", "", "", ""), "");
    let all = fake.clone().all_probes(&consumer::kernel::every_probe()).unwrap();
    assert_eq!(all.len(), 5);
}

#[test]
fn json() {
    let fake = hworld();
    fake.0.borrow_mut().lowered = Some((OptionId::Bufsize, 1 << 20));
    let program = r#"
        enum way { BACK = -1, UP };
        struct place { int line : 5; unsigned rest : 27; char file[4]; enum way way; int n[2];
            union { short low; long all; }; char c; struct place *next; };
        BEGIN { trace(-1); trace((unsigned char)255); trace("a\"b"); this->p.line = -3;
            this->p.rest = 7; this->p.file[0] = 'x'; this->p.way = BACK; this->p.n[1] = -9;
            this->p.all = -2; this->p.c = 'y'; print(this->p); trace(this->p.file); }"#;
    let program = program.replace("BEGIN", "this struct place p; BEGIN");
    let more = r#"
        hworld:::entry { printf("%d %u %s\n", arg0, arg0, execname); stack(); sym(arg1);
            @q[execname] = quantize(arg0); @c[arg0, probefunc] = count(); }
        hworld:::return { printa("%d %s %@d\n", @c); printa(@q); normalize(@q, 2); trunc(@c, 1);
            clear(@c); @l = lquantize(arg0, 0, 10, 5); @s = stddev(arg0); }
        hworld:::return { setopt("quiet"); freopen("/nonexistent/%d", arg0); trace(1 / arg1); }
        hworld:::return /arg0 == 2/ { ftruncate(); exit(4); }"#;
    let steps = Steps::new(&fake).then(|k| {
        k.fire(OPEN, at(0, 2000, &[u64::MAX, 7]));
        k.fire(READ, at(1, 3000, &[1, 0]));
        k.status.specdrops = 3;
    });
    let steps = steps.then(|k| k.fire(READ, at(1, 4000, &[2, 1])));
    let o = run(&fake, &[&program, more], &["oformat=json", "destructive"], steps);
    for line in o.out.lines() {
        let value: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert!(value["type"].is_string(), "{line}");
    }
    check("json", &o);
}

#[test]
fn snapshots() {
    let fake = hworld();
    let program = "hworld:::entry { @c[execname] = count(); @a = avg(arg0); @s = stddev(arg0); @m = min(arg0); }
        hworld:::entry { @q = quantize(arg0); @l = llquantize(arg0, 10, 0, 2, 10); }
        hworld:::return { normalize(@a, 2); normalize(@q, 2); normalize(@c, 2); clear(@m); }";
    let steps = Steps::new(&fake)
        .then(|k| k.fire(OPEN, at(0, 2000, &[u64::MAX])))
        .then(|k| k.fire(OPEN, at(1, 3000, &[40])))
        .then(|k| k.fire(READ, at(1, 4000, &[])));
    let o = run(&fake, &[program], &["oformat=json", "snaprate=1s"], steps);
    check("snapshots", &o);
}

/// A row that is not printed is no key that is gone.
#[test]
fn a_stream_has_all_keys() {
    let program = "BEGIN { @n[1] = sum(1); @n[2] = sum(2); @n[3] = sum(3); @m[1] = sum(1); \
        @m[2] = sum(2); } hworld:::return { printa(\"%d %@d\\n\", @n); exit(0); }";
    let fake = hworld();
    let steps = Steps::new(&fake).then(|k| k.fire(READ, at(0, 2000, &[])));
    let o = run(&fake, &[program], &["oformat=json", "snaprate=1s", "aggrows=1"], steps);
    let mut seen = 0;
    for line in o.out.lines().filter(|line| line.contains(r#""entries""#)) {
        seen += line.matches(r#""keys":[{"#).count();
        assert!(!line.contains("printa") || line.contains(r#""text":"1 1\n""#), "{line}");
    }
    // The printa(), a snapshot before it, and @m at the end.
    assert_eq!(seen, 3 + 5 + 2, "{}", o.out);
}

#[test]
fn threads() {
    let program = "hworld:::entry { } hworld:::entry { @[execname, arg0] = count(); }
        hworld:::entry { if (arg0) { @b = count(); printf(\"%d\", arg0); } }
        hworld:::return { self->s = speculation(); speculate(self->s); trace(1); }
        hworld:::return { commit(self->s); }";
    let steps = || {
        let fake = hworld();
        let steps = Steps::new(&fake)
            .then(|k| k.fire(OPEN, at(0, 2000, &[7])))
            .then(|k| k.fire(READ, at(1, 4000, &[])));
        (fake, steps)
    };
    let (fake, some) = steps();
    let o = run(&fake, &[program], &["oformat=json", "threads"], some);
    check("threads", &o);
    // The text output shows none of it.
    let (fake, some) = steps();
    let with = run(&fake, &[program], &["threads"], some);
    let (fake, some) = steps();
    assert_eq!(with.out, run(&fake, &[program], &[], some).out);
}

/// Returns what a session prints at its end, with these options.
fn at_the_end(program: &str, options: &[&str]) -> String {
    let fake = hworld();
    // The kernel cuts the names of threads, so the program makes the long one.
    let who = "arg0 == 300 ? \"a-name-longer-than-its-column\" : execname";
    let program = &program.replace("WHO", who);
    let steps = Steps::new(&fake).then(|k| {
        for (n, name) in ["cat", "bash", "bash", "sh"].iter().enumerate() {
            let args = &[n as u64 * 100];
            k.fire(OPEN, Firing { cpu: 0, at: 2000, args, execname: name, ..Firing::default() });
        }
    });
    let o = run(&fake, &[program], options, steps);
    format!("-- {}\n{}{}", options.join(" "), o.out, o.err)
}

#[test]
fn bars() {
    let values = "hworld:::entry { @n[WHO, arg0 > 100] = count(); @d = sum(-1); }
        hworld:::entry { @two[WHO] = sum(arg0 == 0 ? -5 : 5); }";
    let spread = "hworld:::entry { @q[WHO] = quantize(arg0); @all = quantize(arg0); }
        hworld:::entry { @l[WHO] = lquantize(arg0, 100, 300, 50); @n[WHO] = count(); }
        END { normalize(@l, 2); printa(@q); printa(\"%s %@d\\n\", @n); }";
    let mut out = at_the_end(values, &["quiet", "agghist"]);
    out += &at_the_end(values, &["quiet", "agghist", "aggzoom", "aggsortkey"]);
    out += &at_the_end(spread, &["quiet", "aggpack"]);
    out += &at_the_end(spread, &["quiet", "aggpack", "aggzoom", "encoding=utf8"]);
    check("bars", &Outcome { out, longest: 0, err: String::new(), end: Ok(0) });
}
