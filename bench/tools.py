# SPDX-License-Identifier: GPL-2.0
"""The kinds of tools that `make bench` knows: how each is started, when it is ready, what it counted."""

import glob
import os
import re
import signal
import subprocess
import time

TRACEFS = "/sys/kernel/tracing"


def real_time():
    """Seconds of the host's clock: under -icount the guest's own runs ahead while it waits."""
    try:
        with open("/sys/class/rtc/rtc0/since_epoch") as f:
            return int(f.read())
    except OSError:
        return int(time.time())


class Failed(Exception):
    """A tool that did not do what it was asked to; the text says what it said."""


def put(name, text):
    try:
        with open(f"{TRACEFS}/{name}", "w") as f:
            f.write(text + "\n")
    except OSError as e:
        last = ""
        if os.path.exists(f"{TRACEFS}/error_log"):
            with open(f"{TRACEFS}/error_log") as f:
                last = " ".join(f.read().split("\n")[-4:])
        raise Failed(f"{name}: {text}: {e.strerror} {last}") from e


class Program:
    """A program that traces until it gets SIGINT, then prints its counts."""

    commands = {}   # name: what is run for it

    def __init__(self, argv, ready, scratch, patience=300):
        self.name, self.rss = argv[0], 0
        argv = [self.commands.get(argv[0], argv[0]), *argv[1:]]
        self.path = scratch
        self.out = open(scratch, "w+")
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out)
        until = real_time() + patience
        while not re.search(ready, self.text(), re.M):
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended before it was ready: {self.last_words()}")
            if real_time() > until:
                self.process.kill()
                self.process.wait()
                raise Failed(f"{self.name} was not ready after {patience} s: {self.last_words()}")
            time.sleep(0.02)

    def text(self):
        with open(self.path, errors="replace") as f:
            return f.read()

    def last_words(self):
        lines = [line.strip() for line in self.text().split("\n") if line.strip(" |^")]
        return " / ".join(lines[-3:])[-300:]

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            found = re.search(r"VmHWM:\s*(\d+)", f.read())
        return int(found[1]) if found else 0

    def probes(self):
        """How many it says it enabled (BEGIN and the timer among them); old versions count kprobe:* as one."""
        found = re.search(r"(?:matched|Attach\w+) (\d+) probes?", self.text())
        return int(found[1]) if found and int(found[1]) > 2 else None

    def stop(self):
        self.rss = self.memory()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=200)
        except subprocess.TimeoutExpired as e:
            self.process.kill()
            self.process.wait()
            raise Failed(f"{self.name} did not end: {self.last_words()}") from e

    def counts(self):
        return [int(n) for n in re.findall(r"(?<![\w.])\d+(?!\w)", self.text())]


class Event:
    """A kprobe or fprobe event with a hist trigger: "p:bench/e FUNCTION ARGS; hist:..."."""

    def __init__(self, program, _scratch):
        event, self.trigger = (part.strip() for part in program.split(";"))
        put("dynamic_events", event)
        self.hits, self.rss, self.dir = [], 0, "events/bench/e"
        put(f"{self.dir}/trigger", self.trigger)

    def probes(self):
        with open(f"{TRACEFS}/enabled_functions") as f:
            return sum(1 for _ in f)

    def stop(self):
        with open(f"{TRACEFS}/{self.dir}/hist") as f:
            self.hits = [int(n) for n in re.findall(r"Hits: (\d+)", f.read())]
        put(f"{self.dir}/trigger", "!" + self.trigger)
        put("dynamic_events", "")

    def counts(self):
        return self.hits


class Tracer:
    """One of ftrace's tracers, into its ring buffer that nobody reads: "function" or "function FUNCTION"."""

    def __init__(self, program, _scratch):
        name, _, function = program.partition(" ")
        put("trace", "")
        put("set_ftrace_filter", function)
        self.hits, self.rss = [], 0
        put("current_tracer", name)

    probes = Event.probes

    def stop(self):
        total = 0
        for stats in glob.glob(f"{TRACEFS}/per_cpu/cpu*/stats"):
            with open(stats) as f:
                total += sum(int(n) for n in re.findall(r"^(?:entries|overrun|dropped events): (\d+)", f.read(), re.M))
        self.hits = [total]
        put("current_tracer", "nop")
        put("set_ftrace_filter", "")
        put("trace", "")

    def counts(self):
        return self.hits


def resident(pid):
    """Bytes of memory that a process has."""
    with open(f"/proc/{pid}/status") as f:
        return 1024 * int(re.search(r"VmRSS:\s*(\d+)", f.read())[1])


def bpftraces():
    """{version: command}, of every bpftrace that bench/guest has put into the guest."""
    found = {}
    for command in sorted(glob.glob("/opt/bench/*/bpftrace")):
        said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
        found[said.strip().removeprefix("bpftrace v") or command] = command
    return found


def script(program, scratch):
    """A file with the program."""
    with open(scratch + ".d", "w") as f:
        f.write(program)
    return scratch + ".d"


# A tool is started by one line here, from the program that its line in `cases` ends with.
KINDS = {
    # Its output is read 50 times a second, so that it is seen to be ready when it is.
    "dtrace": lambda program, scratch: Program(
        ["dtrace", "-x", "switchrate=50hz", "-n", 'dtrace:::BEGIN { printf("READY\\n"); } ' + program], "READY$", scratch),
    # A program that is too long for an argument.
    "dtrace-script": lambda program, scratch: Program(
        ["dtrace", "-x", "switchrate=50hz", "-s", script('dtrace:::BEGIN { printf("READY\\n"); } ' + program, scratch)],
        "READY$", scratch, 1200),
    # With the options that it has by itself.
    "dtrace-default": lambda program, scratch: Program(
        ["dtrace", "-q", "-n", 'dtrace:::BEGIN { printf("READY\\n"); } ' + program], "^READY$", scratch),
    # Not every version says when it has attached: the timer is the last probe, so it has when that fires.
    "bpftrace": lambda program, scratch: Program(
        ["bpftrace", "-B", "none", "-e", program + ' interval:ms:100 { printf("READY\\n"); }'], "^READY$", scratch),
    "event": Event,
    "tracer": Tracer,
}


def clean():
    """Whatever a tool left in tracefs goes."""
    for name in ("current_tracer", "events/bench/e/trigger"):
        try:
            if name.endswith("trigger"):
                with open(f"{TRACEFS}/{name}") as f:
                    for line in f.read().split("\n"):
                        if line and not line.startswith("#"):
                            put(name, "!" + re.sub(r" \[.*", "", line))
            else:
                put(name, "nop")
        except (OSError, Failed):
            pass
    for name in ("set_ftrace_filter", "dynamic_events", "trace"):
        try:
            put(name, "")
        except (OSError, Failed):
            pass
