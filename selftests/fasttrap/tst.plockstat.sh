# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the probes of plockstat fire as often as a program does something to its mutexes and rwlocks, with the lock's
# address and the classic arguments; they are listed, and have types; another name is refused, and the names are said.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -pthread -o /tmp/locks /src/selftests/fasttrap/locks.c || fail "gcc locks.c"
begin /tmp/locks
at() { awk -v n="$1" '$1 == n { print $2 }' /tmp/said; }
expect "their names" "$(dtrace -l -P "plockstat$target" | awk 'NR > 1 { print $5 }' | sort -u | xargs)" \
	"mutex-acquire mutex-block mutex-blocked mutex-error mutex-release mutex-spin mutex-spun rw-acquire rw-block rw-blocked rw-error rw-release"
dtrace -ln "plockstat$target:libc.so.6:pthread_mutex_lock:mutex-block" >/tmp/o || fail "not listed by its name"
expect "types" "$(dtrace -lvn "plockstat$target:::rw-error" | sed -n 's/.*args\[.\]: //p' | head -3 | xargs)" "void * int int"

trace /tmp/o -p "$target" -n "
	plockstat\$target:::mutex-block, plockstat\$target:::mutex-spin { @[arg0, probename, 0, 0] = count(); }
	plockstat\$target:::mutex-acquire, plockstat\$target:::mutex-release, plockstat\$target:::mutex-blocked,
	plockstat\$target:::mutex-spun, plockstat\$target:::mutex-error { @[arg0, probename, arg1, 0] = count(); }
	plockstat\$target:::rw-acquire, plockstat\$target:::rw-release, plockstat\$target:::rw-block
	{ @[arg0, probename, arg1, 0] = count(); }
	plockstat\$target:::rw-blocked, plockstat\$target:::rw-error { @[arg0, probename, arg1, arg2] = count(); }
	END { printa(\"%x %s %d %d %@d\n\", @); }"
go_on
end_well
wait "$tracer"
of() { awk -v at="$(at "$1" | sed s/0x//)" '$1 == at { print $2, $3, $4, $5 }' /tmp/o | sort | tr '\n' ';'; }
# 10 and EBUSY; 4 times two; and before, in and behind pthread_cond_wait(), and in the other thread.
expect "a plain mutex" "$(of plain | sed 's/mutex-block 0 0 [0-9]*;mutex-blocked 1 0 [0-9]*;//')" \
	"mutex-acquire 0 0 21;mutex-error 16 0 10;mutex-release 0 0 21;"
expect "an adaptive one" "$(of adaptive)" \
	"mutex-acquire 0 0 6;mutex-block 0 0 3;mutex-blocked 1 0 3;mutex-release 0 0 6;mutex-spin 0 0 3;mutex-spun 1 0 3;"
expect "one that inherits priorities" "$(of inherits)" \
	"mutex-acquire 0 0 4;mutex-block 0 0 2;mutex-blocked 1 0 2;mutex-release 0 0 4;"
expect "a recursive one" "$(of recursive)" "mutex-acquire 0 0 1;mutex-acquire 1 0 3;mutex-release 0 0 1;"
expect "one that checks" "$(of checking)" "mutex-acquire 0 0 1;mutex-error 1 0 1;mutex-error 35 0 1;mutex-release 0 0 1;"
# Readers: 10, the other thread, and two before a writer that waits. Writers: 3, one before a reader that waits, the one
# that waits, and one that asks again.
expect "an rwlock" "$(of rw | sed 's/;rw-error.*;rw-release 0/;rw-release 0/')" \
	"rw-acquire 0 0 13;rw-acquire 1 0 6;rw-block 0 0 1;rw-block 1 0 1;rw-blocked 0 1 1;rw-blocked 1 1 1;rw-release 0 0 13;rw-release 1 0 6;"
expect "its errors" "$(of rw | grep -o 'rw-error[^;]*' | xargs)" "rw-error 0 35 3 rw-error 1 16 5 rw-error 1 35 1"
total=$(awk '$2 == "mutex-acquire" { n += $5 } END { print n }' /tmp/o)
dtrace -n 'plockstat:::mutex-block' 2>&1 | grep -qF 'plockstat$target:...' || fail "it is not said how to name a process"
dtrace -n 'plockstat$target:::mutex-lock' -c 'sleep 0' >/tmp/o 2>&1 && fail "a probe that is not there"
grep -q "the program's probes are: mutex-acquire, mutex-block" /tmp/o || { cat /tmp/o; fail "their names are not said"; }
dtrace -qZn 'plockstat*:::mutex-acquire /execname == "locks"/ { @ = count(); } END { printa("%@d\n", @); }' \
	-c 'sh -c "echo | /tmp/locks"' 2>/tmp/o.err | grep -v '^[a-z]' | xargs >/tmp/o
too_slow /tmp/o.err && exit 0
expect "of a program that begins later" "$(cat /tmp/o)" "$total"
