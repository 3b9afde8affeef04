# SPDX-License-Identifier: GPL-2.0
# ASSERTION: perf's text_poke events tell of each instruction that a probe changes and of its way back: a return, and a
# breakpoint. Whoever decodes a recording of the processor needs them.
. /src/selftests/lib/sh
cat >/tmp/poke.py <<'P'
import ctypes, mmap, os, struct, sys
attr = bytearray(128)
# PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY; text_poke
struct.pack_into("IIQ", attr, 0, 1, 128, 9)
struct.pack_into("Q", attr, 40, 1 << 33)
buf = (ctypes.c_char * 128).from_buffer(attr)
rings = []
for cpu in range(os.cpu_count()):
    fd = ctypes.CDLL(None, use_errno=True).syscall(298, buf, -1, cpu, -1, 8)
    if fd < 0:
        sys.exit("perf_event_open: " + os.strerror(ctypes.get_errno()))
    rings.append(mmap.mmap(fd, 4096 * 65))
print("open", flush=True)
sys.stdin.readline()
for ring in rings:
    at, = struct.unpack_from("Q", ring, 1024)
    data = 4096
    pos = 0
    while pos < at:
        kind, _, size = struct.unpack_from("IHH", ring, data + pos)
        if kind == 20:
            addr, old, new = struct.unpack_from("QHH", ring, data + pos + 8)
            text = ring[data + pos + 20:data + pos + 20 + old + new]
            print(hex(addr), text[:old].hex(), text[old:].hex())
        pos += size
P
mkfifo /tmp/go
python3 /tmp/poke.py </tmp/go >/tmp/pokes 2>/tmp/pokes.err &
exec 5>/tmp/go
until_ok grep -q open /tmp/pokes
trace /tmp/o -n 'fbt::vfs_read:return { @ = count(); }'
end_trace
rmmod dtrace && insmod "$module" fbt_int3=1 || fail "not loaded with fbt_int3=1"
trace /tmp/o -n 'fbt::vfs_read:entry { @ = count(); }'
end_trace
rmmod dtrace && insmod "$module" || fail "not loaded"
echo >&5
wait $!
cat /tmp/pokes.err
grep -q ' c3cccccccc e8' /tmp/pokes && grep -q ' e8[0-9a-f]* c3cccccccc' /tmp/pokes || fail "no return: $(cat /tmp/pokes)"
# As many bytes as the instruction has, and back.
covers() { awk -v was="$1" -v is="$2" '$was !~ /^cc/ && $is ~ /^(cc)+$/ && length($was) == length($is) { n++ } END { exit !n }' /tmp/pokes; }
covers 2 3 && covers 3 2 || fail "no breakpoint: $(cat /tmp/pokes)"
