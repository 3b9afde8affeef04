# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a consumer whose memory nobody serves (userfaultfd) waits in its ioctl alone, whichever it is: others
# trace, end and list meanwhile, and so do threads with the same open file. It can be killed. Until it is, no second
# snapshot of that file begins, because each would keep a buffer.
# SECONDS: 300
. /src/selftests/lib/sh
driver many
events=/sys/kernel/tracing/kprobe_events
# Somebody holds a probe, so that LEFTOUT has something to tell.
site=$(python3 -c 'import runpy, sys
sys.argv[1:] = ["many"]
print(hex(runpy.run_path("/src/selftests/lib/site-bytes")["site"]))' | tail -1)
echo "p:held $site" >$events || fail "no kprobe at $site"
echo 1 >/sys/kernel/tracing/events/kprobes/held/enable || fail "kprobe not enabled"
dof=/lib/firmware/dtrace/anonymous.dof
# The guest's /lib is a link to what cannot be written to: a folder of links takes its place.
python3 - <<'P' || fail "no place for the file"
import os
if os.path.islink("/lib"):
    names = os.listdir("/usr/lib")
    os.unlink("/lib")
    os.mkdir("/lib")
    for name in names: os.symlink("/usr/lib/" + name, "/lib/" + name)
P
dtrace -A -n 'BEGIN, many::: { printf("%d", arg0); @[arg0] = count(); }' 2>/tmp/err || fail "$(cat /tmp/err)"
python3 - $dof <<'P'
import ctypes, errno, fcntl, mmap, os, select, signal, struct, subprocess, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)
dof = open(sys.argv[1], "rb").read()
PAGE = 4096
SIZES = {"PROBES": (2, 424), "BUFSNAP": (4, 48), "ENABLE": (6, 24), "AGGSNAP": (7, 48), "EPROBE": (8, 40),
         "CONF": (10, 32), "STATUS": (11, 120), "GO": (12, 48), "AGGDESC": (15, 32), "FORMAT": (16, 16),
         "REPORT": (32, 16), "LEFTOUT": (34, 16)}


def check(what, ok):
    if not ok:
        raise SystemExit(f"{what}: errno {ctypes.get_errno()}")


def ioctl(fd, name, address):
    nr, size = SIZES[name]
    return libc.ioctl(fd, ctypes.c_ulong(3 << 30 | size << 16 | ord("d") << 8 | nr), ctypes.c_ulong(address))


def call(fd, name, argument):
    room = ctypes.create_string_buffer(argument.ljust(SIZES[name][1], b"\0"), SIZES[name][1])
    done = ioctl(fd, name, ctypes.addressof(room))
    return room.raw if done >= 0 else None


def unserved():
    """The address of pages that are missing, and who is asked for them and never answers."""
    fd = libc.syscall(323, os.O_CLOEXEC | os.O_NONBLOCK)
    check("userfaultfd", fd >= 0)
    api = ctypes.create_string_buffer(struct.pack("<QQQ", 0xaa, 0, 0), 24)
    check("UFFDIO_API", libc.ioctl(fd, ctypes.c_ulong(0xc018aa3f), api) == 0)
    # The size of a buffer, 4 MiB, and more.
    pages = mmap.mmap(-1, 16 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    new = ctypes.create_string_buffer(struct.pack("<QQQQ", address, 16 << 20, 1, 0), 32)
    check("UFFDIO_REGISTER", libc.ioctl(fd, ctypes.c_ulong(0xc020aa00), new) == 0)
    return fd, address, pages


def consumer():
    """One that traces, with records, an aggregation, a probe left out and a refusal to tell of."""
    fd = os.open("/dev/dtrace/dtrace", os.O_RDWR)
    code = ctypes.create_string_buffer(dof, len(dof))
    check("ENABLE", call(fd, "ENABLE", struct.pack("<QQ", ctypes.addressof(code), len(dof))))
    # BEGIN's record and what it counts are on this CPU.
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {0})
    check("GO", call(fd, "GO", b""))
    os.sched_setaffinity(0, cpus)
    check("refusal", call(fd, "GO", b"") is None)
    return fd


def argument(name, at):
    """One by which the ioctl writes to `at`, or reads from there."""
    return {
        # Any probe.
        "PROBES": struct.pack("<III", 0, 0, 0).ljust(400, b"\0"),
        "BUFSNAP": struct.pack("<QQI", at, 16 << 20, 0),
        "AGGSNAP": struct.pack("<QQI", at, 16 << 20, 0),
        "ENABLE": struct.pack("<QQ", at, len(dof)),
        "EPROBE": struct.pack("<IIQIIQII", 1, 0, 0, 0, 0, at, 8, 0),
        "AGGDESC": struct.pack("<IIIIIIQ", 1, 0, 0, 0, 0, 8, at),
        "FORMAT": struct.pack("<IIQ", 1, 64, at),
        "REPORT": struct.pack("<QI", at, 4096),
        "LEFTOUT": struct.pack("<QI", at, 4096),
    }.get(name)


def child(name, fd):
    uffd, at, pages = unserved()
    what = argument(name, at)
    if name == "PROBES":
        # The pattern `*`: its address of the answer and its room stand at the end.
        what = bytearray(424)
        what[12:13] = b"*"
        struct.pack_into("<QII", what, 424 - 24, at, 256 << 10, 0)
    os.write(1, struct.pack("<i", uffd))
    if what is None:
        ioctl(fd, name, at)
    else:
        call(fd, name, bytes(what))
    os._exit(99)


def waits(process):
    """It is in a page fault that nobody serves."""
    try:
        return "userfault" in open(f"/proc/{process}/wchan").read()
    except OSError:
        return False


def within(seconds, what, f):
    """Does it come to an end? Busy machines are given time: what is stuck is so for ever."""
    done = []
    thread = threading.Thread(target=lambda: done.append(f()), daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        return f"{what} waits"
    return None if done[0] else f"{what} failed"


def trace():
    o = subprocess.run(["dtrace", "-qn", "many:main:args:, BEGIN { exit(0); }"], capture_output=True)
    return o.returncode == 0 and subprocess.run(["dtrace", "-lP", "many"], capture_output=True).returncode == 0


bad = []
for name in SIZES:
    fd = consumer()
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(into, 1)
        child(name, fd)
    os.read(out, 4)
    for _ in range(600):
        if waits(pid):
            break
        time.sleep(0.1)
    else:
        raise SystemExit(f"{name}: does not wait for the page: {open(f'/proc/{pid}/wchan').read()}")
    # A new consumer comes, traces and goes; this one's file serves another process.
    for why in (within(60, "another consumer", trace), within(60, "STATUS", lambda: call(fd, "STATUS", b""))):
        if why:
            bad.append(f"{name}: {why}")
    if not waits(pid):
        bad.append(f"{name}: has not waited to the end")
    served = ctypes.create_string_buffer(16 << 20)
    snapshot = argument(name, ctypes.addressof(served)) if name in ("BUFSNAP", "AGGSNAP") else None
    if snapshot and (call(fd, name, snapshot) or ctypes.get_errno() != errno.EBUSY):
        bad.append(f"{name}: another one was not refused: {ctypes.get_errno()}")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if snapshot and not call(fd, name, snapshot):
        bad.append(f"{name}: refused after the first one has ended: {ctypes.get_errno()}")
    os.close(fd)
    print(name, "looked at", flush=True)
if bad:
    raise SystemExit("\n".join(bad))
P
result=$?
rm -rf /lib/firmware
echo 0 >/sys/kernel/tracing/events/kprobes/held/enable
echo >$events
exit $result
