# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: fbt looks through the kernel when one of its probes may be meant, and for no other description, not for system calls either.
. /src/selftests/lib/sh
rmmod hworld 2>/dev/null
rmmod dtrace || fail "rmmod"
insmod "$module" || fail "insmod"
# Each look leaves a line in the log.
looks() { dmesg | grep -c 'no probes on'; }
before=$(looks)
none() {
	dtrace "$@" >/dev/null 2>/tmp/err || fail "dtrace $*: $(cat /tmp/err)"
	expect "looks after dtrace $*" "$(looks)" "$before"
}
none -n 'BEGIN { exit(0); }'
none -n 'dtrace:::BEGIN { exit(0); } END { } ERROR { }'
none -qn ':::BEGIN { exit(0); }'
none -n 'profile:::tick-10hz { exit(0); }'
none -n 'tick-10hz { exit(0); }'
none -ln BEGIN
none -lP dtrace
none -lP profile
none -ln 'B*[!y]'
# A probe that has gone, or never came, is no reason either.
dtrace -li 4000000 >/dev/null 2>&1
expect "looks after an id" "$(looks)" "$before"
dtrace -ln 'ent*y' >/tmp/l || fail "no entries"
[ "$(wc -l </tmp/l)" -gt 40000 ] || fail "$(wc -l </tmp/l) entries"
expect "looks after ent*y" "$(looks)" $((before + 1))
dtrace -l >/dev/null || fail "-l"
expect "looks after -l" "$(looks)" $((before + 1))
# The functions of system calls are looked at by themselves: no probe of fbt has got its number before theirs.
rmmod dtrace && insmod "$module" || fail "again"
dtrace -lP syscall >/tmp/l || fail "no system calls"
[ "$(wc -l </tmp/l)" -gt 1000 ] || fail "$(wc -l </tmp/l) system calls"
last=$(awk 'END { print $1 }' /tmp/l)
[ "$last" -lt 5000 ] || fail "the last system call has number $last"
# What a firing probe runs is followed to where it ends, and no further.
path=$(dmesg | sed -n 's/.*no probes on \([0-9]*\) kernel functions that a firing probe runs.*/\1/p' | tail -1)
[ "$path" -gt 100 ] && [ "$path" -lt 500 ] || fail "a firing probe runs $path functions"
