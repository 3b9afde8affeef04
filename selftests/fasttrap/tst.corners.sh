# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program is traced, and well afterwards, that takes the right to run away from its text while it is traced, whose
# first thread has ended, or whose thread is cancelled in a system call that is probed. Restartable sequences have no probes.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -pthread -o /tmp/corners /src/selftests/fasttrap/corners.c || fail "gcc corners.c"
gcc -O2 -pthread -static -o /tmp/corners-static /src/selftests/fasttrap/corners.c || fail "gcc -static"
said() { [ "$(grep -c "^$1\$" /tmp/said)" -ge "${2:-1}" ]; }
step() { echo >&3; until_ok said "$@"; }
form='pid$1:a.out:form:entry { @ = count(); } END { printa("%@d\n", @); }'
follow() { trace /tmp/o -n "$form" "$target" "$@"; }

begin /tmp/corners text
follow
step protected
end_trace
step protected 2
step called
follow
step called 2
end_trace
expect "text: calls" "$(cat /tmp/o /tmp/o.err | xargs)" "ready 10"
exec 3>&-
end_well
expect "text: all is well" "$(grep -c bad /tmp/said)" 0

# Its second and third instruction are a restartable sequence.
begin /tmp/corners calls
dtrace -qn 'pid$1:a.out:sequence:0,pid$1:a.out:sequence:1,pid$1:a.out:sequence:6,pid$1:a.out:sequence:b { } BEGIN { exit(0); }' $target >/tmp/o 2>&1
grep -q 'restartable sequence' /tmp/o || { cat /tmp/o; fail "rseq: not refused"; }
dtrace -qn 'pid$1:a.out:sequence:0,pid$1:a.out:sequence:b { } BEGIN { exit(0); }' $target >/tmp/o 2>&1 || { cat /tmp/o; fail "rseq: around it"; }
exec 3>&-
end_well

begin /tmp/corners leader
has_ended() { grep -q '^State:.*Z' "/proc/$target/status"; }
until_ok has_ended
follow
step called
end_trace
expect "leader: calls" "$(cat /tmp/o /tmp/o.err | xargs)" "ready 10"
exec 3>&-
end_well

# glibc knows that a thread waits in a system call by where it stands.
begin /tmp/corners-static cancel
trace /tmp/o -n 'pid$1:a.out:__syscall_cancel_arch: { @[probename] = count(); }' "$target"
step waits
in_read() { grep -qs '^0 ' /proc/$target/task/*/syscall && [ "$(ls /proc/$target/task | wc -l)" = 2 ]; }
until_ok in_read
step cancelled
end_trace
[ "$(grep -c . /tmp/o)" -gt 5 ] || { cat /tmp/o /tmp/o.err; fail "cancel: not traced"; }
exec 3>&-
end_well
expect "cancel: all is well" "$(grep -c bad /tmp/said)" 0
