#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Everything at once, for hours: `make soak HOURS=2`. Runs in the guest, with dtrace.ko inserted.

  soak.py SECONDS

Actors run side by side. Each repeats one piece of work and checks its result:

  everything   traces every entry and return of fbt for a while, then ends by SIGINT or is killed
  ledger       fires a driver N times: records + drops = N (of drops inside other probes, the machine has one count for all)
  server       a server forks; a consumer counts a probe of each child for the whole run: counted + drops = forks
  drivers      a driver with probes comes, is used, and goes; another consumer counts for the whole run
  libraries    a traced program loads and unloads a library with probes
  cpus         the second CPU goes and comes back
  pressure     memory runs short
  mortals      consumers of all kinds are killed at random

At the end all consumers are gone, the text of the kernel is what it was, the module can be removed, and kmemleak (if the
kernel has it) reports nothing new. The kernel's own complaints end the run: tools/vm watches the log.
"""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

SELFTESTS = "/src/selftests"
DRIVERS = "/opt/dtrace/drivers"
CPU1 = "/sys/devices/system/cpu/cpu1/online"
READY = "BEGIN { printf(\"ready\\n\"); }"
# What a consumer may say on stderr besides drops: it was too slow for a mapping, or another held a place.
LATE = "times a process went on before|did not let itself be read in time"
HARMLESS = re.compile(f"{LATE}|left out|^ *fbt:|probes? .* in all")

seed = int(os.environ.get("SEED", time.time()))
random.seed(seed)
deadline = 0.0
numbers = {}
failures = []
lock = threading.Lock()


def count(name, n=1):
    with lock:
        numbers[name] = numbers.get(name, 0) + n


def fail(actor, why):
    with lock:
        failures.append(f"{actor}: {why}")
    print(f"soak: {actor}: {why}", flush=True)


def is_over():
    return time.monotonic() >= deadline or bool(failures)


class Consumer:
    """A dtrace that has begun to trace."""

    def __init__(self, *args, patience=900):
        self.out = tempfile.TemporaryFile()
        self.err = tempfile.TemporaryFile()
        # -w: on a slow machine, the deadman would end what leaves threads little time.
        command = ["dtrace", "-wq", "-n", READY, *args]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err)
        until = time.monotonic() + patience
        while b"ready" not in self.text(self.out):
            if self.process.poll() is not None or time.monotonic() > until:
                self.process.kill()
                self.process.wait()
                raise RuntimeError(f"never began: {args}: {self.text(self.err).decode()}")
            time.sleep(0.1)

    @staticmethod
    def text(file):
        return os.pread(file.fileno(), 1 << 28, 0)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """Ends as ^C does. Returns its output, the sum of its drops, and the firings on the whole machine that were dropped
        because they came inside a probe: some of them may have been its own."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait()
        out, err = self.text(self.out).decode(), self.text(self.err).decode()
        lines = [line for line in err.splitlines() if not HARMLESS.search(line)]
        drops = [re.match(r"dtrace: (\d+) .*drops?", line) for line in lines]
        if status != 0 or not all(drops):
            raise RuntimeError(f"status {status}: {err}")
        nested = [d for d in drops if "nested" in d.string]
        total = sum(int(d[1]) for d in drops)
        inside = sum(int(d[1]) for d in nested)
        return out, total - inside, inside


def account(what, fired, seen, drops, nested):
    """Each firing was seen, or is among those that were dropped."""
    if not seen + drops <= fired <= seen + drops + nested:
        raise RuntimeError(f"{fired} {what}, {seen} seen, {drops} drops, {nested} nested drops")
    count(what, fired)
    count(f"{what}: dropped", fired - seen)


def everything():
    consumer = Consumer("-n", "fbt:::entry, fbt:::return { @ = count(); }", patience=900)
    time.sleep(random.uniform(2, 20))
    if random.random() < 0.5:
        consumer.kill()
        return
    out, _, nested = consumer.end()
    count("firings of all fbt probes", int(out.split()[-1]))
    count("firings of all fbt probes: nested", nested)


def ledger():
    n = random.randrange(1, 20000)
    consumer = Consumer("-x", f"bufsize={random.choice(['4k', '64k', '1m'])}", "-n", "many:main:args:one { printf(\"%d\\n\", arg0); }")
    with open("/sys/module/many/parameters/fire", "w") as fire:
        fire.write(str(n))
    out, *lost = consumer.end()
    account("firings of a driver", n, len(out.split()) - 1, *lost)


class Server:
    """A consumer and a server that live as long as the run."""

    def __init__(self):
        self.server = subprocess.Popen([f"{work}/forks"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.server.stdout.readline()
        self.consumer = Consumer("-x", "switchrate=20hz", "-n", "forks*:::child { @ = count(); }")
        self.forks = 0

    def __call__(self):
        n = random.randrange(50, 500)
        self.server.stdin.write(f"{n}\n")
        self.server.stdin.flush()
        said = self.server.stdout.readline()
        self.forks += n
        if said.strip() != f"done {self.forks}":
            raise RuntimeError(f"the server said {said!r}")

    def end(self):
        self.server.stdin.close()
        self.server.wait()
        out, *lost = self.consumer.end()
        account("forks of a server", self.forks, int(out.split()[-1]) if self.forks else 0, *lost)


class Drivers:
    """A driver that comes and goes, and a consumer that waits for it."""

    def __init__(self):
        self.consumer = Consumer("-Z", "-n", "hworld::open1:entry { @ = count(); }")
        self.opened = 0

    def __call__(self):
        if not os.path.exists("/sys/module/hworld"):
            subprocess.run(["insmod", f"{DRIVERS}/hworld/hworld.ko"], check=True)
        for _ in range(random.randrange(1, 20)):
            with open("/proc/hello-world", "rb") as file:
                file.read()
            self.opened += 1
        subprocess.run(["rmmod", "hworld"], check=True)
        count("drivers loaded and removed")

    def end(self):
        out, *lost = self.consumer.end()
        account("calls of a driver that comes and goes", self.opened, int(out.split()[-1]) if self.opened else 0, *lost)


def libraries():
    n = random.randrange(1, 10)
    program = ["dtrace", "-q", "-Z", "-x", "evaltime=exec", "-n", "pid$target:libplug.so:begun:entry { @ = count(); } END { printa(\"%@d\\n\", @); }",
               "-c", f"{work}/plugin {work}/libplug.so {n}"]
    done = subprocess.run(program, capture_output=True, text=True)
    late = re.search(LATE, done.stderr)
    # The program may have run on a CPU that came online after dtrace had begun.
    dropped = sum(int(n) for n in re.findall(r"dtrace: (\d+) aggregation drops?", done.stderr))
    seen = int(done.stdout.split()[-1]) if dropped < 2 * n else 0
    if done.returncode != 0 or not late and seen + dropped != 2 * n:
        raise RuntimeError(f"status {done.returncode}, {2 * n} calls: {done.stdout} {done.stderr}")
    count("libraries loaded", n)


def cpus():
    for to in "01":
        with open(CPU1, "w") as file:
            file.write(to)
        time.sleep(random.uniform(0.2, 3))
    count("CPU off and on")


HUNGRY = """
import re, time
open("/proc/self/oom_score_adj", "w").write("1000")
held = []
while int(re.search(r"MemAvailable: *(\\d+)", open("/proc/meminfo").read())[1]) > 150 << 10:
    held.append(bytearray(b"x") * (16 << 20))
time.sleep(2)
"""


def pressure():
    # A process of its own, which the kernel may kill for it.
    subprocess.run([sys.executable, "-c", HUNGRY])
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
    time.sleep(random.uniform(1, 10))
    count("times memory ran short")


PROGRAMS = [
    "syscall:::entry { @[execname, probefunc] = count(); }",
    "syscall:::entry { self->t = timestamp; } syscall:::return /self->t/ { @[probefunc] = quantize(timestamp - self->t); self->t = 0; }",
    "profile-997 { @[ustack()] = count(); } profile-499 { @[stack()] = count(); }",
    "sched:::on-cpu { self->on = timestamp; } sched:::off-cpu /self->on/ { @ = sum(timestamp - self->on); self->on = 0; }",
    "io:::start { @[args[1]->dev_statname] = count(); } proc:::exec-success { trace(execname); }",
    "fbt::vfs_*:entry { self->s = speculation(); speculate(self->s); trace(probefunc); } fbt::vfs_*:return /self->s/ { commit(self->s); self->s = 0; }",
    "fbt::kmem_cache_*:entry { @[probefunc, cpu] = lquantize(arg1, 0, 4096, 128); a[arg0, tid] = timestamp; }",
    "vminfo::: { @[probename] = sum(arg0); } tick-100ms { printa(@); clear(@); }",
]


def mortals():
    consumer = Consumer("-n", random.choice(PROGRAMS))
    time.sleep(random.uniform(0, 3))
    if random.random() < 0.7:
        consumer.kill()
    else:
        consumer.process.send_signal(signal.SIGINT)
        consumer.process.wait()
    count("consumers killed or ended")


def actor(name, work_once):
    def loop():
        while not is_over():
            try:
                work_once()
            except Exception as why:
                return fail(name, why)
            count(f"rounds of {name}")
            time.sleep(random.uniform(0, 0.5))
        end = getattr(work_once, "end", None)
        try:
            if end:
                end()
        except Exception as why:
            fail(name, why)
    thread = threading.Thread(target=loop, name=name)
    thread.start()
    return thread


def build():
    os.chdir(work)
    source = f"{SELFTESTS}/usdt/forks"
    for command in [
        f"dtrace -h -s {source}.d",
        f"gcc -I. -O2 -c -o forks.o {source}.c",
        f"dtrace -G -s {source}.d -o prov.o forks.o",
        "gcc -o forks forks.o prov.o",
        f"gcc -O2 -shared -fPIC -DLIBRARY -o libplug.so {SELFTESTS}/fasttrap/plugin.c {SELFTESTS}/fasttrap/toy.c",
        f"gcc -O2 -o plugin {SELFTESTS}/fasttrap/plugin.c",
        f"insmod {DRIVERS}/many/many.ko",
    ]:
        subprocess.run(command, shell=True, check=True)


def run(seconds):
    """Runs all actors for so long."""
    global deadline
    deadline = time.monotonic() + seconds
    threads = [
        actor("everything", everything),
        actor("ledger", ledger),
        actor("server", Server()),
        actor("drivers", Drivers()),
        actor("libraries", libraries),
        actor("cpus", cpus),
        actor("pressure", pressure),
        actor("mortals", mortals),
    ]
    told = time.monotonic()
    while any(t.is_alive() for t in threads):
        time.sleep(1)
        if time.monotonic() - told > 60:
            told = time.monotonic()
            with lock:
                print("soak:", ", ".join(f"{name} {n}" for name, n in sorted(numbers.items())), flush=True)
    with open(CPU1, "w") as file:
        file.write("1")


def shell(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if done.returncode != 0:
        fail("the end", f"{command}: {done.stdout}{done.stderr}")


# With one CPU left, everything traced and an emulator below, a nice kernel thread that was preempted in an RCU section
# (khugepaged) may wait longer than RCU's 21 seconds for its turn. A CPU that hangs is found all the same.
# So may one dtrace for another that enables everything.
PATIENCE = {"/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout": "200", "/proc/sys/kernel/hung_task_timeout_secs": "900"}

seconds = float(sys.argv[1])
for name, value in PATIENCE.items():
    with open(name, "w") as file:
        file.write(value)
work = tempfile.mkdtemp()
print(f"soak: {seconds:.0f} s, SEED={seed}", flush=True)
build()
# What the kernel changes in itself at its first use of something.
run(min(60, seconds / 4))
numbers.clear()
shell(f"{SELFTESTS}/lib/kernel-text save {work}/text")
if not failures:
    run(seconds)
shell(f"{SELFTESTS}/lib/kernel-text compare {work}/text")
with open("/proc/modules") as file:
    users = re.search(r"^dtrace \d+ (\d+)", file.read(), re.M)
if not users or users[1] != "0":
    fail("the end", f"dtrace.ko is held: {users}")
shell("rmmod dtrace")
leaks = "/sys/kernel/debug/kmemleak"
if os.path.exists(leaks):
    for _ in range(2):
        with open(leaks, "w") as file:
            file.write("scan")
        time.sleep(6)
    with open(leaks) as file:
        found = file.read()
    if "dtrace" in found:
        fail("kmemleak", found)
for name, n in sorted(numbers.items()):
    print(f"{name:40} {n}")
print("soak:", "failed" if failures else "nothing was lost uncounted, nothing is left")
sys.exit(bool(failures))
