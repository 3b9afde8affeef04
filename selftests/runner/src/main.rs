// SPDX-License-Identifier: GPL-2.0
//! Runs `selftests/` in the guest and reports each test by name.
//!
//! An area is a folder of tests; it costs one boot. The script `guest` runs the area's tests there one
//! after the other and leaves what each printed in a shared folder; this program chooses, boots,
//! compares, and blesses (`BLESS=1`). If the guest dies, the test that was running is the one that
//! failed, and those behind it did not run: they fail too, and say so. A test `die.*` has a boot of its
//! own, in which the guest must die, with the words that the test has after `DIES:`. What a kernel cannot
//! run is left out; the table `selftests/kernels` says why.
#![forbid(unsafe_code)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Exit status of tools/vm when the kernel complained.
const COMPLAINT: i32 = 70;

struct Area {
    /// Its folder's; a test that has a boot of its own is named, too.
    name: String,
    folder: PathBuf,
    tests: Vec<String>,
    boot: Mutex<Option<Arc<Boot>>>,
    has_run: Condvar,
}

impl Area {
    /// Boots the guest, and lets those know who wait for it.
    fn run(&self) {
        let done = boot(self).unwrap_or_else(|e| Boot {
            time: Duration::ZERO,
            out: PathBuf::new(),
            status: None,
            log: format!("cannot boot: {e}"),
        });
        *self.boot.lock().unwrap_or_else(|e| e.into_inner()) = Some(Arc::new(done));
        self.has_run.notify_all();
    }

    fn wait(&self) -> Arc<Boot> {
        let mut boot = self.boot.lock().unwrap_or_else(|e| e.into_inner());
        loop {
            if let Some(done) = &*boot {
                return done.clone();
            }
            boot = self.has_run.wait(boot).unwrap_or_else(|e| e.into_inner());
        }
    }
}

/// What a boot left behind.
struct Boot {
    /// How long it took on the host.
    time: Duration,
    out: PathBuf,
    status: Option<i32>,
    log: String,
}

fn main() -> io::Result<()> {
    let mut arguments = Arguments::from_args();
    // Trials only wait for their area; see below for who works.
    arguments.test_threads = arguments.test_threads.or(Some(64));
    let word = arguments.filter.take();
    let is_named = |full: &str| word.as_ref().is_none_or(|w| has_word(full, w));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let areas = find(&root)?;
    let skips = skips(&root)?;
    let mut trials = Vec::new();
    let mut queue: Vec<Arc<Area>> = Vec::new();
    for (name, (folder, tests)) in areas {
        let wanted = |t: &String| {
            let full = format!("{name}/{t}");
            (arguments.include_ignored || reason(&skips, &full).is_none())
                && is_named(&full)
                && !arguments.skip.iter().any(|s| full.contains(s.as_str()))
        };
        let area = Arc::new(Area {
            name: name.clone(),
            folder,
            tests: tests.iter().filter(|t| wanted(t)).cloned().collect(),
            boot: Mutex::new(None),
            has_run: Condvar::new(),
        });
        if !area.tests.is_empty() {
            queue.push(area.clone());
        }
        for t in tests {
            let area = area.clone();
            let full = format!("{name}/{t}");
            if !is_named(&full) {
                continue;
            }
            let why = reason(&skips, &full);
            trials.push(
                Trial::test(full, move || run(&area, &t))
                    .with_kind(why.unwrap_or_default())
                    .with_ignored_flag(why.is_some()),
            );
        }
    }
    if !arguments.list {
        // Emulated guests: one for each processor of this machine. The longest areas first, so that none is alone at
        // the end; the others in the order of their number of tests.
        const LONGEST: [&str; 9] =
            ["fbt", "robust", "lang", "load", "fasttrap", "profile", "stable", "usdt", "tools"];
        queue.sort_by_key(|a| {
            let rank = LONGEST.iter().position(|name| *name == a.name).unwrap_or(LONGEST.len());
            (rank, Reverse(a.tests.len()))
        });
        queue.reverse();
        let queue = Arc::new(Mutex::new(queue.clone()));
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let queue = queue.clone();
            std::thread::spawn(move || loop {
                let next = queue.lock().unwrap_or_else(|e| e.into_inner()).pop();
                match next {
                    Some(area) => area.run(),
                    None => return,
                }
            });
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        slowest(&queue);
    }
    conclusion.exit()
}

/// Returns the seconds of CPU that ended children, and their children, have used.
fn used() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // proc_pid_stat(5): after the name in brackets, `state` is field 3; `cutime` is 16, `cstime`
    // 17, in 1/100 s.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let of = |n: usize| fields.get(n - 3)?.parse::<u64>().ok();
    Some((of(16)? + of(17)?) / 100)
}

/// Prints the seconds of each area, and its slowest tests: the whole run has a limit.
fn slowest(areas: &[Arc<Area>]) {
    let mut lines = Vec::new();
    for area in areas {
        let boot = area.wait();
        let mut tests: Vec<(u64, &String)> = (area.tests.iter())
            .filter_map(|t| {
                let ms = fs::read_to_string(boot.out.join(format!("{t}.ms"))).ok()?;
                Some((ms.trim().parse::<u64>().ok()? / 1000, t))
            })
            .collect();
        tests.sort_by(|a, b| b.cmp(a));
        let shown: Vec<String> = tests.iter().take(4).map(|(s, t)| format!("{t} {s}")).collect();
        lines.push((boot.time.as_secs(), area.name.as_str(), shown.join(", ")));
    }
    lines.sort_by(|a, b| b.cmp(a));
    let sum: u64 = lines.iter().map(|(seconds, ..)| seconds).sum();
    let cpu = used().map_or(String::new(), |n| format!("; they used {n} s of CPU"));
    println!("seconds of each area ({sum} in all{cpu}), with its slowest tests:");
    for (seconds, area, tests) in lines {
        println!("{seconds:5} {area}: {tests}");
    }
}

/// Returns the tests that this kernel leaves out: how their names begin, each with the reason.
fn skips(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mark = fs::read_to_string("/etc/dtrace-rs-root").unwrap_or_default();
    let release = mark.split_whitespace().find_map(|w| w.strip_prefix("kernel=")).unwrap_or("");
    let mut skips = Vec::new();
    for line in fs::read_to_string(root.join("kernels"))?.lines() {
        let Some((kinds, rest)) = line.split_once(' ') else { continue };
        let Some((test, reason)) = rest.trim().split_once(' ') else { continue };
        let is = |kind: &str| release.split('-').any(|part| part == kind);
        let is_one = |kind: &str| kind.strip_prefix('!').map_or_else(|| is(kind), |not| !is(not));
        if !kinds.starts_with('#') && kinds.split(',').any(is_one) {
            skips.push((test.to_owned(), reason.trim().to_owned()));
        }
    }
    Ok(skips)
}

/// Tells whether a word of the name begins so: `sdt` begins none in `usdt/tst.probes.sh`.
fn has_word(name: &str, beginning: &str) -> bool {
    let is_inside = |at: usize| name[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    name.match_indices(beginning).any(|(at, _)| !is_inside(at))
}

fn reason<'a>(skips: &'a [(String, String)], full: &str) -> Option<&'a str> {
    skips.iter().find(|(test, _)| full.starts_with(test.as_str())).map(|(_, why)| why.as_str())
}

/// Boots with their tests: files named `tst.*.d`, `tst.*.sh`, `err.*.d`, `die.*.d`.
fn find(root: &Path) -> io::Result<BTreeMap<String, (PathBuf, Vec<String>)>> {
    let mut areas = BTreeMap::new();
    for entry in fs::read_dir(root)? {
        let folder = entry?.path();
        if !folder.is_dir() {
            continue;
        }
        let area = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut tests = Vec::new();
        for file in fs::read_dir(&folder)? {
            let name = file?.file_name().to_string_lossy().into_owned();
            let is_test =
                name.starts_with("tst.") && (name.ends_with(".d") || name.ends_with(".sh"));
            if is_test || (name.starts_with("err.") && name.ends_with(".d")) {
                tests.push(name);
            } else if name.starts_with("die.") && name.ends_with(".d") {
                areas.insert(format!("{area}-{name}"), (folder.clone(), vec![name]));
            }
        }
        tests.sort();
        if !tests.is_empty() {
            areas.insert(area, (folder, tests));
        }
    }
    Ok(areas)
}

fn run(area: &Area, test: &str) -> Result<(), Failed> {
    let boot = area.wait();
    let read = |suffix: &str| {
        fs::read(boot.out.join(format!("{test}.{suffix}")))
            .map(|b| String::from_utf8_lossy(&b).into_owned())
    };
    if test.starts_with("die.") {
        return died(area, test, &boot);
    }
    let Ok(status) = read("rc") else {
        return Err(match read("out") {
            Ok(_) => format!("the guest ended while this test ran\n{}", boot.log),
            Err(_) => format!("did not run: the guest ended before\n{}", boot.log),
        }
        .into());
    };
    let (out, err) = (read("out").unwrap_or_default(), read("err").unwrap_or_default());
    let shown = || format!("--- stdout\n{out}--- stderr\n{err}");
    // A complaint of the kernel cannot be given to one test of the boot: all that ran are suspect.
    if boot.status == Some(COMPLAINT) {
        return Err(format!("the kernel complained in area {}\n{}", area.name, boot.log).into());
    }
    let status = status.trim();
    if let Some(rest) = test.strip_prefix("err.") {
        let tag = rest.split('.').next().unwrap_or_default();
        let first = err.lines().next().unwrap_or_default();
        if status != "1" || !first.contains(&format!("[{tag}]")) {
            return Err(
                format!("expected status 1 and [{tag}], got status {status}\n{}", shown()).into()
            );
        }
    } else if status != "0" {
        return Err(format!("status {status}\n{}", shown()).into());
    }
    for (suffix, got) in [("out", &out), ("err", &err)] {
        let golden = area.folder.join(format!("{test}.{suffix}"));
        if std::env::var_os("BLESS").is_some() && golden.exists() {
            fs::write(&golden, got)?;
        }
        match fs::read_to_string(&golden) {
            Ok(want) if want != *got => return Err(difference(&golden, &want, got).into()),
            _ => {}
        }
    }
    Ok(())
}

/// The guest has died of the test, and said why.
fn died(area: &Area, test: &str, boot: &Boot) -> Result<(), Failed> {
    let text = fs::read_to_string(area.folder.join(test))?;
    let words = text.lines().find_map(|l| l.split_once("DIES: ")).ok_or("no line DIES:")?.1;
    if boot.out.join(format!("{test}.rc")).exists() {
        return Err(format!("the guest lives on\n{}", boot.log).into());
    }
    match boot.log.contains(words) {
        true => Ok(()),
        false => Err(format!("it did not say {words:?}\n{}", boot.log).into()),
    }
}

/// Both texts, from the first line on that differs.
fn difference(golden: &Path, want: &str, got: &str) -> String {
    let same = want.lines().zip(got.lines()).take_while(|(a, b)| a == b).count();
    let tail =
        |s: &str| s.lines().skip(same).take(20).map(|l| format!("  {l}\n")).collect::<String>();
    let name = golden.file_name().unwrap_or_default().to_string_lossy();
    format!(
        "differs from {name} at line {}; expected:\n{}found:\n{}",
        same + 1,
        tail(want),
        tail(got)
    )
}

/// The options that show a package of the cache in the guest; tools/test has fetched it.
fn layer(package: &str) -> [String; 2] {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let suite = release.lines().find_map(|l| l.strip_prefix("VERSION_CODENAME=")).unwrap_or("sid");
    ["-S".into(), format!("/cache/layers/{suite}/{package}=/layers/{package}")]
}

/// Boots the guest for an area and waits for it.
fn boot(area: &Area) -> io::Result<Boot> {
    let top = area.folder.join("../..").canonicalize()?;
    let out = top.join("build/selftest").join(&area.name);
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let list: String = area.tests.iter().map(|t| format!("{t}\n")).collect();
    fs::write(out.join("list"), list)?;
    if std::env::var_os("THOROUGH").is_some_and(|v| v == "1") {
        fs::write(out.join("thorough"), "")?;
    }
    let options = fs::read_to_string(area.folder.join("vm-options")).unwrap_or_default();
    let layers = fs::read_to_string(area.folder.join("layers")).unwrap_or_default();
    let layers = layers.split_whitespace().flat_map(layer);
    let start = Instant::now();
    let output = Command::new(top.join("tools/vm"))
        .args(["-t", "5400", "-S", &format!("{}=/out", out.display())])
        .args(layers)
        .args(options.split_whitespace())
        .args(["--", "/src/selftests/runner/guest"])
        .arg(area.folder.file_name().unwrap_or_default())
        .stdin(Stdio::null())
        .output()?;
    let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
    log.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Boot { time: start.elapsed(), out, status: output.status.code(), log })
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_word_is_found_where_it_begins() {
        for word in ["usdt", "tst", "many-forks", "forks", "usdt/tst.many-f"] {
            assert!(has_word("usdt/tst.many-forks.sh", word), "{word}");
        }
        for word in ["sdt", "sdt/", "orks", "kapi"] {
            assert!(!has_word("usdt/tst.many-forks.sh", word), "{word}");
        }
    }
}
