// SPDX-License-Identifier: GPL-2.0
//! The command without a kernel: usage, compiling, messages, exit codes.

use std::path::Path;
use std::process::{Command, Output};

fn dtrace(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dtrace")).args(args).output().unwrap()
}

fn err(o: &Output) -> String {
    String::from_utf8(o.stderr.clone()).unwrap()
}

/// Returns the exit code and the first line of the messages.
fn told(args: &[&str]) -> (i32, String) {
    let o = dtrace(args);
    assert!(o.stdout.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&o.stdout));
    (o.status.code().unwrap(), err(&o).lines().next().unwrap_or_default().to_string())
}

/// Returns the code words of a listing, one row for each object.
fn words(listing: &str) -> Vec<String> {
    let mut objects: Vec<String> = Vec::new();
    for line in listing.lines() {
        if line.starts_with("DIFO ") {
            objects.push(String::new());
        }
        let word = line.split_once(": ").and_then(|(_, rest)| rest.get(..8));
        if let (Some(word), Some(object)) = (word, objects.last_mut()) {
            let space = if object.is_empty() { "" } else { " " };
            *object += &format!("{space}{word}");
        }
    }
    objects
}

#[test]
fn the_seeds_listing_needs_no_kernel() {
    let o = dtrace(&["-S", "-e", "-n", "BEGIN{a=1;b=2;trace(a+b);}"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    assert!(o.stdout.is_empty());
    assert_eq!(
        words(&err(&o)),
        [
            "25000001 2a050001 23000001",
            "25000001 2a050101 23000001",
            "29050001 29050102 07010201 23000001",
        ]
    );
    assert!(err(&o).contains("01: 2a050001    stgs %r1, DT_VAR(1280)\t\t! DT_VAR(1280) = \"a\"\n"));
}

#[test]
fn no_device() {
    if Path::new(abi::ioctl::DEVICE).exists() {
        return;
    }
    let message = "dtrace: failed to initialize dtrace: DTrace device not available on system";
    for args in
        [&["-n", "BEGIN"][..], &["-l"], &["-l", "-P", "dtrace"], &["-c", "true", "-n", "BEGIN"]]
    {
        assert_eq!(told(args), (1, message.into()), "{args:?}");
    }
}

#[test]
fn usage() {
    for (args, message) in [
        (&["-A", "-a"][..], "dtrace: -a and -A exclude each other"),
        (&["-a", "-n", "BEGIN"], "dtrace: -a uses the program that -A saved, and takes no other"),
        (&["-a", "-l"], "dtrace: -a cannot be used with -l"),
        (&["-A", "-n", "BEGIN", "-c", "true"], "dtrace: anonymous tracing cannot use -c or -p"),
        (&["-h"], "dtrace: -h needs one script that declares providers: -h -s FILE.d"),
        (&["-h", "-s", "x.d", "x.o"], "dtrace: -h takes no objects"),
        (
            &["-e", "-x", "zone=a", "-n", "BEGIN"],
            "dtrace: option -x zone is not supported: \
             Linux has no zones; use a predicate on pid, uid or curthread->nsproxy",
        ),
        (&["-l", "-V"], "dtrace: -l and -V exclude each other"),
        (&["-K"], "dtrace: unexpected argument '-K' found"),
        (&["-o"], "dtrace: a value is required for '-o <FILE>' but none was supplied"),
        (&[], "dtrace: nothing to do; `dtrace --help` lists the options"),
    ] {
        assert_eq!(told(args), (2, message.into()), "{args:?}");
    }
    assert_eq!(told(&["-q"]), (1, "dtrace: no probes specified".into()));
}

#[test]
fn tools() {
    for (args, code, message) in [
        (&["--tool"][..], 2, "dtrace: --tool needs a tool; `dtrace --tools` lists them"),
        (&["--tool", "execsnop"], 1, "dtrace: failed to run tool execsnop: there is no such tool; `dtrace --tools` lists them"),
        (&["--tool", "execsnoop", "-q"], 1, "dtrace: execsnoop: there is no option -q"),
        (&["--tool", "memleak"], 1, "dtrace: memleak: it needs a process: -p PID or -c CMD"),
    ] {
        assert_eq!(told(args), (code, message.into()), "{args:?}");
    }
    let out = |args: &[&str]| String::from_utf8(dtrace(args).stdout).unwrap();
    assert!(out(&["--tools"]).lines().any(|l| l.starts_with("execsnoop ")));
    assert!(out(&["--tool", "execsnoop", "-h"]).starts_with("usage: execsnoop [-"));
    // The kernel runs a script with that first line in this way.
    let folder = Folder::new("tools");
    let file = folder.file(
        "own",
        "#!/usr/sbin/dtrace --tool\n/*\n * own: x\n * options:\n *   $1 A  a\n */\nBEGIN { }\n",
    );
    assert_eq!(told(&["--tool", &file]), (1, "dtrace: own: A is missing".into()));
}

#[test]
fn options() {
    for (option, message) in [
        ("bufsiz=4k", "dtrace: failed to set -x bufsiz: no such option; did you mean bufsize?"),
        ("bufsize=x", "dtrace: failed to set -x bufsize: 'x' is not a size like 4m or 16k"),
        (
            "switchrate=often",
            "dtrace: failed to set -x switchrate: 'often' is not a rate like 10hz or 100ms",
        ),
        ("errtags=maybe", "dtrace: failed to set -x errtags: 'maybe' is not yes or no"),
        ("version=9.0", "dtrace: failed to set -x version: '9.0' was given, expected a version of the language, 1.14 at most"),
    ] {
        assert_eq!(told(&["-e", "-x", option, "-n", "BEGIN"]), (1, message.into()));
    }
    assert_eq!(told(&["-e", "-b", "64k", "-x", "quiet", "-n", "BEGIN"]), (0, String::new()));
}

#[test]
fn options_of_programs() {
    let folder = Folder::new("options");
    let tagged =
        folder.file("tagged.d", "#pragma D option errtags=Enabled\nBEGIN { trace(nosuch); }\n");
    let (code, line) = told(&["-e", "-s", &tagged]);
    assert!(code == 1 && line.contains(": [D_IDENT_UNDEF] line 2: "), "{line}");
    let all =
        "#pragma D option nolibs\n#pragma D option version=1.0\n#pragma D option encoding=utf8\n\
               #pragma D option bufsize=16\n#pragma D option quiet=TRUE\nBEGIN { exit(0); }\n";
    assert_eq!(told(&["-e", "-s", &folder.file("all.d", all)]), (0, String::new()));
    // An option that changes nothing is accepted, with a note.
    let pragma = folder.file("core.d", "#pragma D option core\nBEGIN { exit(0); }\n");
    let note = "dtrace: note: option core changes nothing: ";
    for words in [&["-e", "-s", &pragma][..], &["-e", "-x", "core", "-n", "BEGIN"]] {
        let (code, line) = told(words);
        assert!(code == 0 && line.starts_with(note), "{line}");
    }
    // Without a process no process is read, and there is no complaint.
    assert_eq!(told(&["-e", "-n", "pid$target:libc:malloc:entry"]), (0, String::new()));
    // Several programs share their variables; a warning of the preprocessor is no error.
    let warned = folder.file("warned.d", "#warning old\nBEGIN { trace(x); }\n");
    let o =
        dtrace(&["-e", "-C", "-n", "BEGIN { x = 1; }", "-s", &warned, "-n", "END { trace(x); }"]);
    assert!(o.status.success() && err(&o).contains("#warning old"), "{}", err(&o));
}

#[test]
fn compile_errors() {
    let spec = "BEGIN { trace(nosuch); }";
    let (code, line) = told(&["-e", "-n", spec]);
    assert_eq!(code, 1);
    assert!(line.starts_with(&format!("dtrace: invalid probe specifier {spec}: ")), "{line}");
    assert!(line.contains("nosuch"), "{line}");

    let dir = std::env::temp_dir().join(format!("dtrace-cli-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("bad.d").to_string_lossy().into_owned();
    std::fs::write(&file, "#!/usr/sbin/dtrace -s\nBEGIN\n{\n\ttrace(nosuch);\n}\n").unwrap();
    let o = dtrace(&["-e", "-x", "errtags", "-s", &file]);
    assert_eq!(o.status.code(), Some(1));
    let text = err(&o);
    let head = format!("dtrace: failed to compile script {file}: [D_");
    assert!(text.starts_with(&head) && text.contains("] line 4: "), "{text}");
    assert!(text.contains("trace(nosuch);"), "the source is shown: {text}");
    assert!(!text.contains('\u{1b}'), "no colours unless on a terminal");
    std::fs::remove_dir_all(&dir).unwrap();

    let (code, line) = told(&["-e", "-s", "/nonexistent/x.d"]);
    assert_eq!(
        (code, &*line),
        (1, "dtrace: failed to open /nonexistent/x.d: No such file or directory")
    );
}

/// A folder for scripts that is removed afterwards.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("dtrace-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
    fn file(&self, name: &str, text: &str) -> String {
        let file = self.0.join(name);
        std::fs::write(&file, text).unwrap();
        file.to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn preprocessor() {
    let folder = Folder::new("cpp");
    folder.file("inc.h", "#define ONE 1\n\nint from_header;\n");
    let script = folder.file(
        "x.d",
        "#!/usr/sbin/dtrace -Cs\n#include \"inc.h\"\n#ifndef TWO\n#error no two\n#endif\n\
         BEGIN\n{\n\tfrom_header = ONE + TWO; /* it's */\n\ttrace(nosuch);\n}\n",
    );
    // Errors have the lines of the script.
    let o = dtrace(&["-C", "-D", "TWO=2", "-e", "-s", &script]);
    assert_eq!(o.status.code(), Some(1));
    let text = err(&o);
    let head = format!("dtrace: failed to compile script {script}: line 9: ");
    assert!(text.starts_with(&head) && text.contains("\n9 |  trace(nosuch);\n"), "{text}");
    // -U undoes -D, and the preprocessor's own messages come through.
    let o = dtrace(&["-C", "-D", "TWO=2", "-U", "TWO", "-e", "-s", &script]);
    assert_eq!(o.status.code(), Some(1));
    assert!(err(&o).contains("#error no two"), "{}", err(&o));
    assert!(
        err(&o).contains(&format!("dtrace: failed to preprocess {script}: cpp: exit status: 1"))
    );

    // An included file has its own line numbers; -I finds it, -H prints its name.
    folder.file("bad.h", "\n\nint int x;\n");
    let user = Folder::new("cpp-user");
    let script = user.file("y.d", "#include <bad.h>\nBEGIN { }\n");
    let place = folder.0.to_string_lossy().into_owned();
    let (code, line) = told(&["-C", "-I", &place, "-e", "-s", &script]);
    assert_eq!(code, 1);
    let head = format!("dtrace: failed to compile script {script}: \"{place}/bad.h\", line 3: ");
    assert!(line.starts_with(&head), "{line}");
    let o = dtrace(&["-C", "-H", "-I", &place, "-e", "-s", &script]);
    assert!(err(&o).starts_with(&format!(". {place}/bad.h\n")), "{}", err(&o));

    // -X: pastes of the C before ISO.
    let script = user
        .file("z.d", "#define PASTE(a, b) a/**/b\nint PASTE(one,two);\nBEGIN { onetwo = 1; }\n");
    assert_eq!(told(&["-C", "-X", "s", "-e", "-s", &script]), (0, String::new()));
    assert_eq!(told(&["-C", "-X", "c", "-e", "-s", &script]).0, 1);
    assert_eq!(
        told(&["-X", "z", "-n", "BEGIN"]),
        (1, "dtrace: failed to set -x stdc: 'z' was given, expected a, c, s or t".into())
    );

    let gone = "dtrace: failed to preprocess";
    let (code, line) = told(&["-C", "-x", "cpppath=/nonexistent/cpp", "-e", "-s", &script]);
    assert!(code == 1 && line.starts_with(gone) && line.contains("apt install cpp"), "{line}");
    // Without -C, the error at the first directive suggests -C.
    let o = dtrace(&["-e", "-s", &script]);
    assert!(err(&o).contains("-C"), "{}", err(&o));
}

#[test]
fn headers_of_other_systems() {
    let folder = Folder::new("headers");
    let names = [
        "file",
        "procfs",
        "vnode",
        "proc",
        "thread",
        "cpuvar",
        "fs/ufs_inode",
        "limits",
        "siginfo",
    ];
    let text: String = names.iter().map(|name| format!("#include <sys/{name}.h>\n")).collect();
    let text = format!(
        "{text}#include <inet/tcp.h>\nBEGIN {{ trace(FREAD | FWRITE | PR_ISSYS | INT_MAX); }}\n"
    );
    let script = folder.file("h.d", &text);
    assert_eq!(told(&["-C", "-e", "-s", &script]), (0, String::new()));
}

#[test]
fn probes_without_objects() {
    let folder = Folder::new("alone");
    let script = folder.file("toy.d", "provider toy { probe tick__more(int, char *); };\n");
    let program = folder.file(
        "app.c",
        "#include \"toy.h\"\nint main(void) { TOY_TICK_MORE(1, \"x\"); return TOY_TICK_MORE_ENABLED(); }\n",
    );
    let at = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    assert_eq!(told(&["-C", "-h", "-s", &script, "-o", &at("toy.h")]), (0, String::new()));
    assert_eq!(told(&["-C", "-G", "-s", &script, "-o", &at("toy.o")]), (0, String::new()));
    let cc = Command::new("cc").args(["-o", &at("app"), &program, &at("toy.o")]).status().unwrap();
    assert!(cc.success());
    let run = Command::new(at("app")).env("DTRACE_DOF_INIT_DISABLE", "1").status().unwrap();
    assert_eq!(run.code(), Some(0));
}

#[test]
fn stability() {
    let o = dtrace(&["-e", "-v", "-n", "dtrace:::BEGIN { trace(curthread->on_cpu); }"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    assert_eq!(
        String::from_utf8(o.stdout).unwrap(),
        "\nStability attributes for description dtrace:::BEGIN :\n\
         \n\tMinimum Probe Description Attributes\n\
         \t\tIdentifier Names: Stable\n\t\tData Semantics:   Stable\n\t\tDependency Class: Common\n\
         \n\tMinimum Statement Attributes\n\
         \t\tIdentifier Names: Stable\n\t\tData Semantics:   Private\n\t\tDependency Class: Common\n\n"
    );
    let promise = "#pragma D attributes Evolving/Unstable/Common x\nint x; BEGIN { x = 1; }";
    let o = dtrace(&["-e", "-v", "-n", promise]);
    let out = String::from_utf8(o.stdout).unwrap();
    let of_x = "Names: Evolving\n\t\tData Semantics:   Unstable\n\t\tDependency Class: Common\n\n";
    assert!(out.ends_with(of_x), "{out}");
    let amin = ["-e", "-x", "errtags", "-x", "amin=stable/stable/common", "-n"];
    let with = |program| told(&[&amin[..], &[program]].concat());
    assert_eq!(with("BEGIN { trace(pid); }"), (0, String::new()));
    let (code, line) = with("BEGIN { trace(curthread); }");
    assert_eq!(code, 1);
    assert!(line.contains("[D_ATTR_MIN] in action list: attributes for curthread (Stable/Private/Common) are less than predefined minimum"), "{line}");
    assert_eq!(told(&["-e", "-x", "amin=much", "-n", "BEGIN"]).0, 1);
}

#[test]
fn explain() {
    let o = dtrace(&["-x", "explain=d_syntax"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(String::from_utf8(o.stdout).unwrap().starts_with("# D_SYNTAX: "));
    let o = dtrace(&["-x", "explain=D_ASRELO"]);
    assert!(String::from_utf8(o.stdout).unwrap().contains("not used by this compiler"));
    assert_eq!(
        told(&["-x", "explain=D_SYNTAXX"]),
        (
            1,
            "dtrace: failed to explain D_SYNTAXX: there is no such tag; did you mean `D_SYNTAX`?"
                .into()
        )
    );
}

#[test]
fn several_programs_share_arguments() {
    let (a, b) = ("BEGIN { trace($1); }", "BEGIN { trace($$2); }");
    assert_eq!(told(&["-e", "-n", a, "4", "-n", b, "two"]), (0, String::new()));
    let (code, line) = told(&["-e", "-n", a, "4", "-n", b, "two", "three"]);
    assert_eq!(code, 1);
    assert!(line.ends_with("extraneous argument 'three' ($3 is not referenced)"), "{line}");
    assert_eq!(told(&["-e", "-x", "argref", "-n", a, "4", "5"]), (0, String::new()));
}

#[test]
fn operands_are_macro_variables() {
    let program = "BEGIN { trace($1 + $2); trace($$3); }";
    assert_eq!(told(&["-e", "-n", program, "4", "-5", "three"]), (0, String::new()));
    assert_eq!(told(&["-e", "-n", program, "4"]).0, 1);
    assert_eq!(told(&["-e", "-x", "defaultargs", "-n", program, "4"]), (0, String::new()));
}

#[test]
fn version_and_help() {
    let o = dtrace(&["-V"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(String::from_utf8(o.stdout).unwrap().starts_with("dtrace: dtrace-rs D 1.14\n"));
    let o = dtrace(&["--help"]);
    assert_eq!(o.status.code(), Some(0));
    let text = String::from_utf8(o.stdout).unwrap();
    assert!(text.contains("-Z") && text.ends_with('\n'), "{text}");
}

/// Runs the command by a shell, because only that can give it standard streams that fail.
fn status(words: &str) -> Option<i32> {
    let line = format!("exec {} {words}", env!("CARGO_BIN_EXE_dtrace"));
    Command::new("sh").args(["-c", &line]).status().unwrap().code()
}

#[test]
fn messages_that_cannot_be_written() {
    let program = "-e -S -v -n 'BEGIN { trace(1) }'";
    let wrong = "-e -n 'BEGIN { trace(nothing) }'";
    let doctors = dtrace(&["--doctor"]).status.code();
    // A FIFO whose reader has gone is a broken pipe.
    let folder = Folder::new("closed");
    let pipe = folder.0.join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let broken = format!("3<>{pipe} 4>{pipe} 3<&-");
    for (words, expected) in [
        (program, Some(0)),
        (wrong, Some(1)),
        ("-e -x tree -n BEGIN", Some(0)),
        ("-e -x oformat=json -v -n BEGIN", Some(0)),
        ("-e -x errtags -n 'BEGIN { a = ; }'", Some(1)),
        ("-q", Some(1)),
        ("-K", Some(2)),
        ("-l -V", Some(2)),
        ("--tool memleak", Some(1)),
    ] {
        assert_eq!(status(&format!("{words} >/dev/null 2>/dev/full")), expected, "{words}");
        let closed = format!("{words} {broken} >/dev/null 2>&4 4>&-");
        assert_eq!(status(&closed), expected, "{words}");
    }
    for (words, expected) in [
        ("-V", Some(0)),
        ("--help", Some(0)),
        ("--tools", Some(0)),
        ("--tool execsnoop -h", Some(0)),
        ("-x explain=D_SYNTAX", Some(0)),
        ("--doctor", doctors),
        ("-e -v -n BEGIN", Some(0)),
        (program, Some(0)),
        (wrong, Some(1)),
    ] {
        let closed = format!("{words} {broken} >&4 2>&4 4>&-");
        assert_eq!(status(&closed), expected, "{words}");
    }
}

#[test]
fn libraries() {
    let folder = Folder::new("libraries");
    std::fs::write(folder.0.join("own.d"), "inline int OWN_NUMBER = 7;\n").unwrap();
    let dir = folder.0.to_string_lossy().into_owned();
    let compiles = |options: &[&str], name: &str| {
        let program = format!("BEGIN {{ trace({name}); }}");
        told(&[options, &["-e", "-n", &program]].concat()).0 == 0
    };
    let (libdir, syslibdir) = (format!("libdir={dir}"), format!("syslibdir={dir}"));
    for (options, has_own, has_built_in) in [
        (&[][..], false, true),
        (&["-L", &dir], true, true),
        (&["-x", &libdir], true, true),
        (&["-x", &syslibdir], true, false),
        (&["-x", "nolibs"], false, false),
        (&["-x", "nolibs", "-x", &syslibdir], false, false),
        (&["-x", "nolibs", "-L", &dir], true, false),
    ] {
        let found = (compiles(options, "OWN_NUMBER"), compiles(options, "SIGKILL"));
        assert_eq!(found, (has_own, has_built_in), "{options:?}");
    }
}

#[test]
fn the_doctor_needs_no_module() {
    if Path::new(abi::ioctl::DEVICE).exists() {
        return;
    }
    let o = dtrace(&["--doctor"]);
    let text = String::from_utf8(o.stdout).unwrap();
    assert_eq!(o.status.code(), Some(1), "{text}");
    assert!(text.lines().any(|l| l.starts_with("fail  module ")), "{text}");
    assert!(text.ends_with("This machine cannot trace yet: see the lines that begin with fail.\n"));
    let o = dtrace(&["--doctor", "-x", "oformat=json"]);
    let text = String::from_utf8(o.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("{\"type\":\"dtrace\",\"schema\":1,"), "{text}");
    let exit = "{\"type\":\"exit\",\"status\":1,\"timestamp\":";
    assert!(lines.iter().any(|l| l.starts_with(exit)), "{text}");
    let module = "{\"type\":\"check\",\"subject\":\"module\",\"state\":\"fail\",\"found\":\"not ";
    assert!(lines.iter().any(|l| l.starts_with(module)), "{text}");
}

const STREAM: &str = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}
{"type":"machine","host":"HOST","kernel":"7.3.1","architecture":"x86_64","cpus":4,"walltimestamp":1700000000000000000,"timestamp":1185000000}
{"type":"program","name":"BEGIN","probes":1}
{"type":"aggregation","name":"n","function":"avg","entries":[{"keys":[],"value":3,"count":3,"sum":9}]}
{"type":"exit","status":0,"timestamp":1185500000}
"#;

#[test]
fn streams_are_rendered_and_merged() {
    let dir = std::env::temp_dir().join(format!("dtrace-recorded-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = |name: &str| dir.join(name).to_str().unwrap().to_string();
    let (a, b, out) = (file("a.json"), file("b.json"), file("out.json"));
    std::fs::write(&a, STREAM.replace("HOST", "web1")).unwrap();
    std::fs::write(&b, STREAM.replace("HOST", "web2").replace(":9}", ":20}")).unwrap();
    let o = dtrace(&["--render", &a, "-x", "oformat=json"]);
    assert_eq!(String::from_utf8(o.stdout).unwrap(), STREAM.replace("HOST", "web1"));
    std::fs::write(&out, "what was there before").unwrap();
    let o = dtrace(&["--merge", "-o", &out, &a, &b]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let merged = std::fs::read_to_string(&out).unwrap();
    assert!(merged.contains(r#""entries":[{"keys":[],"value":4,"count":6,"sum":29}]"#), "{merged}");
    assert!(merged.starts_with(r#"{"type":"dtrace","#), "{merged}");
    let o = dtrace(&["--merge", "-x", "hostkey", &a, &b]);
    let merged = String::from_utf8(o.stdout).unwrap();
    assert!(
        merged
            .contains(r#"{"keys":[{"type":"string","value":"web2"}],"value":3,"count":3,"sum":20"#),
        "{merged}"
    );
    let o = dtrace(&["--merge", "-x", "oformat=text", &a, &b]);
    let text = String::from_utf8(o.stdout).unwrap();
    assert!(text.ends_with("\n                4\n"), "{text}");
    for (args, message) in [
        (&["--render"][..], "dtrace: --render needs one file, or - for standard input"),
        (&["--merge"], "dtrace: --merge needs the files of recorded streams"),
        (
            &["--render", "-n", "BEGIN", "x"],
            "dtrace: --render, --merge and --diff read recorded streams; they run no program",
        ),
        (&["--render", "--merge", "x"], "dtrace: --render and --merge exclude each other"),
        (
            &["-x", "containers=/x", "-n", "BEGIN"],
            "dtrace: option -x containers names containers in metrics: add -x export",
        ),
        (
            &["-x", "snaprate=1s", "-n", "BEGIN"],
            "dtrace: option -x snaprate writes snapshots into a stream: add -x oformat=json",
        ),
    ] {
        assert_eq!(told(args), (2, message.into()), "{args:?}");
    }
    let missing = file("missing");
    let message = format!("dtrace: failed to read '{missing}': No such file or directory");
    assert_eq!(told(&["--render", &missing]), (1, message));
    std::fs::remove_dir_all(&dir).unwrap();
}

/// With the capabilities of group dtrace, these links lead where a member may not go.
#[test]
fn links_of_processes_are_not_followed() {
    let folder = Folder::new("links");
    let script = folder.file("x.d", "BEGIN { exit(0); }");
    let declared = folder.file("p.d", "provider p { probe q(int); };");
    let stream = folder.file("a.json", STREAM);
    folder.file("lib.d", "inline int seven = 7;");
    let dir = folder.0.display();
    let told = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dtrace"));
        let o = command.current_dir(&folder.0).args(&words).output().unwrap();
        (o.status.code().unwrap(), err(&o))
    };
    let why = "its path leads through a link of a process in /proc, which dtrace does not follow";
    for words in [
        format!("-e -s /proc/self/root{script}"),
        "-e -s /proc/self/cwd/x.d".to_string(),
        format!("-e -L /proc/self/root{dir} -n BEGIN"),
        format!("--render -x oformat=json -o /proc/self/cwd/new {stream}"),
        "--tool /proc/self/cwd/x.d".to_string(),
        format!("-h -o /proc/self/cwd/new -s {declared}"),
        format!("-G -o /proc/self/cwd/new -s {declared}"),
        format!("-G -o {dir}/new -s {declared} /proc/self/cwd/x.d"),
    ] {
        let (status, text) = told(&words);
        assert!(status == 1 && text.contains(why), "{words}: {status} {text}");
        assert!(!folder.0.join("new").exists(), "{words}");
    }
    for words in [
        format!("-e -s {script}"),
        format!("-e -L {dir} -s x.d"),
        format!("-G -o {dir}/p.o -s {declared}"),
        "-h -o p.h -s p.d".to_string(),
    ] {
        assert_eq!(told(&words), (0, String::new()), "{words}");
    }
    assert!(folder.0.join("p.o").exists() && folder.0.join("p.h").exists());
}

/// Shells give us files by the numbers of open descriptors.
#[test]
fn descriptors_of_the_shell() {
    let folder = Folder::new("descriptors");
    folder.file("a.json", STREAM);
    let run = |line: &str| {
        let mut shell = Command::new("bash");
        let line = line.replace("dtrace", env!("CARGO_BIN_EXE_dtrace"));
        let o = shell.current_dir(&folder.0).args(["-c", &line]).output().unwrap();
        assert!(o.status.success(), "{line}: {}", err(&o));
        String::from_utf8(o.stdout).unwrap()
    };
    let render = "dtrace --render -x oformat=json a.json -o";
    for line in [
        format!("{render} /dev/stdout"),
        format!("{render} /dev/stdout | cat"),
        format!("{render} /dev/stderr 2>&1"),
        format!("{render} /dev/fd/3 3>out; cat out"),
        format!("{render} /proc/self/fd/3 3>&1 | cat"),
        format!("ln -s /dev/stdout link; {render} link"),
        format!("mkfifo fifo; cat fifo & {render} fifo; wait"),
        format!(
            "{render} >(cat >copy; echo >>copy); \
             while ! grep -qx '' copy; do :; done; head -n -1 copy"
        ),
    ] {
        assert_eq!(run(&line), STREAM, "{line}");
    }
    run("dtrace -e -s <(echo 'BEGIN { exit(0); }')");
    run("echo 'BEGIN { exit(0); }' | dtrace -e -s /dev/stdin");
    run("echo 'BEGIN { exit(0); }' | dtrace -e -s -");
    let listing = run("dtrace -S -e -s /dev/fd/0 <<<'BEGIN { exit(0); }' 2>&1");
    assert!(listing.contains("DIFO"), "{listing}");
}

/// A message may quote what another machine has sent.
#[test]
fn messages_change_no_terminal() {
    let folder = Folder::new("messages");
    let odd = STREAM.replace("\"keys\":[]", r#""keys":[{"type":"\u001b]52;c;A\u0007","value":1}]"#);
    let file = folder.file("odd.json", &odd);
    let o = dtrace(&["--render", "-x", "oformat=json", &file]);
    let text = err(&o);
    assert_eq!(o.status.code(), Some(1), "{text:?}");
    assert!(text.contains("]52;c;A") && text.ends_with('\n'), "{text:?}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}
