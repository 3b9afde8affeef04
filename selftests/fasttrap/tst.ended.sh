# SPDX-License-Identifier: GPL-2.0
# ASSERTION: addresses of a command that has ended have names, those of its libraries too, whatever probes record them; the
# way to where its libraries are there is traced as well.
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
dtrace -q -n 'syscall::write:entry /pid == $target/ { ustack(); usym(ucaller); }' -c '/usr/bin/echo hi' >/tmp/o 2>&1
grep -q 'libc.so.6`' /tmp/o || { cat /tmp/o; fail "syscall::write"; }
dtrace -q -n 'pid$target:a.out:tock:entry { ustack(2); }' -c '/tmp/toy 1' >/tmp/o 2>&1
grep -q 'toy`tock' /tmp/o || { cat /tmp/o; fail "tock"; }
opens='syscall::openat:entry /pid == $target/ { @n = count(); } END { printa("%@d opens\n", @n); }'
plain=$(dtrace -q -n "$opens" -c '/usr/bin/echo' | grep opens)
stacks=$(dtrace -q -n "$opens" -n 'syscall::openat:entry /pid == $target/ { @[ustack()] = count(); }' -c '/usr/bin/echo' | grep opens)
expect "opens" "$stacks" "$plain"
# One that ends before its libraries are there.
gcc -O2 -shared -fPIC -DLIBRARY -o /tmp/libgone.so /src/selftests/fasttrap/toy.c
echo 'int tock(int); int main(void) { return tock(0); }' | gcc -x c - -x none -o /tmp/gone /tmp/libgone.so || fail "gcc"
rm /tmp/libgone.so
dtrace -n 'syscall::write*:entry /pid == $target/ { ustack(); }' -c /tmp/gone >/tmp/o 2>&1
expect "status" $? 0
grep -q 'exited with status 127' /tmp/o || { cat /tmp/o; fail "what became of it"; }
