# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what is on a loop device may be served by a program, as what is on FUSE: a program there has its probes all the
# same, also where its pages are not in memory, and where it shares them with its children. They go again, from the program
# and from its children.
# SECONDS: 180
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
modprobe loop 2>/dev/null
modprobe romfs 2>/dev/null
grep -q romfs /proc/filesystems || { echo "this kernel has no romfs"; exit 0; }
gcc -O1 -I/src/userspace-ctl/include -o /tmp/stays /src/selftests/fasttrap/stays.c || fail "gcc stays.c"
# A romfs with two files.
python3 - /tmp/image /tmp/calls /tmp/stays <<'P' || fail "image"
import struct, sys

def padded(data):
    return data + bytes(-len(data) % 16)

def summed(data, at, most):
    """Sets the word at `at` so that the words of the first `most` bytes add up to 0."""
    words = struct.unpack(f">{min(len(data), most) // 4}I", data[:min(len(data), most) // 4 * 4])
    return data[:at] + struct.pack(">I", -sum(words) % 2**32) + data[at + 4:]

def entry(at, mode, spec, size, name):
    """`at`: where the next entry is."""
    header = struct.pack(">IIII", at | mode, spec, size, 0) + padded(name + b"\0")
    return summed(header, 12, len(header))

# 9: a folder, 10: a file, both with the right to execute.
body = entry(0, 9, 64, 0, b".")
for n, path in enumerate(sys.argv[2:]):
    program, name = open(path, "rb").read(), path.rsplit("/")[-1].encode()
    at = 32 + len(body)
    after = at + 32 + len(padded(program))
    body += entry(after if n + 3 < len(sys.argv) else 0, 10, 0, len(program), name) + padded(program)
# The folder is followed by the first file.
body = entry(64, 9, 64, 0, b".") + body[32:]
image = b"-rom1fs-" + struct.pack(">II", 32 + len(body), 0) + padded(b"test\0") + body
open(sys.argv[1], "wb").write(summed(image, 12, 512) + bytes(4096))
P
mkdir -p /tmp/mnt && mount -o loop,ro -t romfs /tmp/image /tmp/mnt || fail "mount"
trap 'umount -l /tmp/mnt' EXIT
expect "the files" "$(cmp /tmp/calls /tmp/mnt/calls && cmp /tmp/stays /tmp/mnt/stays && echo same)" same
begin /tmp/mnt/calls 3 100
echo 3 >/proc/sys/vm/drop_caches
trace /tmp/o -n "pid$target:calls:leaf:entry, pid$target:calls:form:entry, pid$target:calls:leaf:return { @[probefunc, probename] = count(); }"
go_on
end_well
end_trace
expect "counts" "$(awk 'NF == 3 { print $1, $2, $3 }' /tmp/o | sort | xargs)" "form entry 300 leaf entry 300 leaf return 300"
expect "errors" "$(cat /tmp/o.err)" ""

# Lets the program do something, and waits until it has: step LETTER WORD
step() {
	local before
	before=$(grep -c "^$2" /tmp/said)
	printf '%s' "$1" >&3
	until_ok sh -c "[ \$(grep -c '^$2' /tmp/said) -gt $before ]"
}
begin /tmp/mnt/stays
trace /tmp/o -n "pid$target:stays:leaf:entry, shop$target:::sold { @[probename] = count(); }"
step s int3
expect "traced" "$(tail -n 1 /tmp/said)" "int3 1 semaphore 1"
step c called
step f forked
end_trace
expect "counts" "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $1, $2 }' /tmp/o | sort | xargs)" "entry 1 sold 1"
expect "errors" "$(cat /tmp/o.err)" ""
step s int3
expect "not traced any more, after a fork" "$(tail -n 1 /tmp/said)" "int3 0 semaphore 0"
# Its pages are its child's, too, when the probes are enabled.
step f forked
trace /tmp/o -n "pid$target:stays:leaf:entry, shop$target:::sold { @[probename] = count(); }"
step c called
end_trace
expect "counts after a fork" "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $1, $2 }' /tmp/o | sort | xargs)" "entry 1 sold 1"
step s int3
expect "not traced any more" "$(tail -n 1 /tmp/said)" "int3 0 semaphore 0"
# No thread can be made when the tracing ends, so none can get the program a copy of what it shares with its child. Then the
# module is unloaded, and changes what they share.
step f forked
trace /tmp/o -n "pid$target:stays:leaf:entry, shop$target:::sold { @[probename] = count(); }"
step f forked
trap 'umount -l /tmp/mnt; insmod "$module"' EXIT
python3 - "$tracer" <<'P' || fail "not unloaded"
import ctypes, os, signal, sys, time
libc, tracer, most = ctypes.CDLL(None, use_errno=True), int(sys.argv[1]), "/proc/sys/kernel/threads-max"
DELETE_MODULE, EAGAIN, EBUSY = 176, 11, 16
before = open(most).read()

with open(most, "w") as f:
    f.write("20")
try:
    os.kill(tracer, signal.SIGINT)
    # Bash awaits it.
    while os.path.exists(f"/proc/{tracer}"):
        time.sleep(0.05)
    # The last reference to an open file is dropped a moment later.
    for _ in range(200):
        if libc.syscall(DELETE_MODULE, b"dtrace", os.O_NONBLOCK) == 0 or ctypes.get_errno() not in (EAGAIN, EBUSY):
            break
        time.sleep(0.05)
finally:
    with open(most, "w") as f:
        f.write(before)
sys.exit(os.path.exists("/sys/module/dtrace"))
P
wait "$tracer"
step s int3
expect "after the module, with children" "$(tail -n 1 /tmp/said)" "int3 0 semaphore 0"
step c called
exec 3>&-
end_well
