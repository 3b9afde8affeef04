# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -x oformat=collapsed and flame turn an aggregation of stacks into lines and into an SVG, and print nothing else.
. /src/selftests/lib/sh
program='syscall::kill:entry /pid == $target/ { @[execname, ustack(), stack()] = sum(7); @empty = sum(0); } END { @k[pid == $pid] = count(); clear(@k); }'
dtrace -x oformat=collapsed -n "$program" -c 'bash -c "kill -0 $$"' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
expect "lines" "$(wc -l </tmp/out)" 1
grep -qE '^bash;.*;vmlinux`[a-z_0-9]+;vmlinux`__x64_sys_kill 7$|^bash;.*;vmlinux`[a-z_0-9]+ 7$' /tmp/out || fail "$(cat /tmp/out)"
grep -q '+0x' /tmp/out && fail "offsets: $(cat /tmp/out)"
dtrace -x oformat=flame -n "$program" -c 'bash -c "kill -0 $$"' -o /tmp/graph.svg 2>/tmp/err || fail "$(cat /tmp/err)"
expect "the file's head" "$(head -c 5 /tmp/graph.svg)" "<?xml"
grep -q 'vmlinux`' /tmp/graph.svg || fail "no frames"
dtrace -x oformat=flame -n 'BEGIN { exit(0); }' >/tmp/out 2>/tmp/err; expect "nothing to draw: status" $? 1
grep -q '^dtrace: no flame graph: ' /tmp/err || fail "$(cat /tmp/err)"
