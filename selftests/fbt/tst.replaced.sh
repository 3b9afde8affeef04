# SPDX-License-Identifier: GPL-2.0
# ASSERTION: functions that another tracer holds as a livepatch does, but lets run (a kprobe may), however many, get
# breakpoints; all others get calls as usual.
# SECONDS: 120
. /src/selftests/lib/everything
driver replaced
held=$(ftraced | grep -c '^tcp_.* I')
[ "$held" -gt 300 ] || fail "the driver holds only $held functions"
calls() { ftraced | grep -c '^vfs_.* D'; }
before=$(calls)
trace /tmp/o -n 'fbt:vmlinux:tcp_*:entry, fbt:vmlinux:vfs_*:entry { @[probefunc] = count(); }'
with=$(calls)
# Reading this file calls both.
cat /proc/net/tcp >/dev/null || fail "tcp"
end_counting
wanted=$(dtrace -ln 'fbt:vmlinux:vfs_*:entry' | tail -n +2 | wc -l)
[ $((with - before)) -gt $((wanted * 9 / 10)) ] || fail "$((with - before)) of $wanted functions of vfs have calls"
grep -q '^ *vfs_read ' /tmp/o || fail "vfs_read: $(cat /tmp/o)"
grep -q '^ *tcp_seq_start ' /tmp/o || fail "no function that is held has fired: $(cat /tmp/o)"
rmmod replaced || fail "rmmod"
