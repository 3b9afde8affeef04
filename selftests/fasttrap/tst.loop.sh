# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what is on a loop device may be served by a program, as what is on FUSE: a program there has its probes all the
# same, also where its pages are not in memory.
# SECONDS: 120
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
modprobe loop 2>/dev/null
modprobe romfs 2>/dev/null
grep -q romfs /proc/filesystems || { echo "this kernel has no romfs"; exit 0; }
# A romfs with one file, calls.
python3 - /tmp/calls /tmp/image <<'P' || fail "image"
import struct, sys

def padded(data):
    return data + bytes(-len(data) % 16)

def summed(data, at, most):
    """Sets the word at `at` so that the words of the first `most` bytes add up to 0."""
    words = struct.unpack(f">{min(len(data), most) // 4}I", data[:min(len(data), most) // 4 * 4])
    return data[:at] + struct.pack(">I", -sum(words) % 2**32) + data[at + 4:]

def entry(mode, spec, size, name):
    header = struct.pack(">IIII", mode, spec, size, 0) + padded(name + b"\0")
    return summed(header, 12, len(header))

program = open(sys.argv[1], "rb").read()
# 9: a folder, 10: a file, both with the right to execute.
body = entry(9, 64, 0, b".") + entry(10, 0, len(program), b"calls") + padded(program)
image = b"-rom1fs-" + struct.pack(">II", 32 + len(body), 0) + padded(b"test\0") + body
open(sys.argv[2], "wb").write(summed(image, 12, 512) + bytes(4096))
P
mkdir -p /tmp/mnt && mount -o loop,ro -t romfs /tmp/image /tmp/mnt || fail "mount"
trap 'umount -l /tmp/mnt' EXIT
expect "the file" "$(cmp /tmp/calls /tmp/mnt/calls && echo same)" same
begin /tmp/mnt/calls 3 100
echo 3 >/proc/sys/vm/drop_caches
trace /tmp/o -n "pid$target:calls:leaf:entry, pid$target:calls:form:entry, pid$target:calls:leaf:return { @[probefunc, probename] = count(); }"
go_on
end_well
end_trace
expect "counts" "$(awk 'NF == 3 { print $1, $2, $3 }' /tmp/o | sort | xargs)" "form entry 300 leaf entry 300 leaf return 300"
expect "errors" "$(cat /tmp/o.err)" ""
