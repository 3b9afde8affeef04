# SPDX-License-Identifier: GPL-2.0
# ASSERTION: arrays and members of D's own structs are set in every scope, keys are evaluated once, an index out of bounds
# and memory of the system are refused by name, where the compiler cannot know at run time; elements set from all CPUs stay.
. /src/selftests/lib/sh
cat >/tmp/own.d <<'E2'
struct in { short a; char b[4]; };
struct out { int n; struct in in; unsigned int low : 3, high : 5; };
int hits[10]; self uint8_t seen[4]; this int tmp[2][3]; struct out g; self struct out t;
BEGIN
{
	n = 3;
	hits[n++]++;
	hits[n++] += 10;
	once[n++]++;
	this->tmp[1][2] = hits[3] + hits[4];
	self->seen[3] = 200;
	g.in.a = -7;
	g.high = 21;
	g.high++;
	self->t.in = g.in;
	self->t.n += 3;
	printf("%d %d %d %d %d %d %d %d\n", n, this->tmp[1][2], once[5], self->seen[3], g.high, g.low, self->t.in.a, self->t.n);
	printf("%d %d\n", hits[9], self->seen[0]);
	exit(0);
}
E2
expect "values" "$(dtrace -qs /tmp/own.d 2>&1)" "6 11 1 200 22 0 -7 3
0 0"
expect "never set" "$(dtrace -qn 'struct s { int a; char b[4]; }; struct s g; this struct s l;
BEGIN { this->l.a = 7; } BEGIN { printf("%d %d", g.a, this->l.a); } tick-10ms { printf(" %d", g.a); exit(0); }' 2>&1)" "0 7 0"
# A thread's takes no memory before it is set, be it by its address: with room for few, all threads may look.
expect "a thread's" "$(dtrace -qn 'struct s { int a; char b[4]; }; self struct s t; self int n[3]; self struct s freed;
BEGIN { printf("%d %d\n", self->t.a, self->n[2]); this->p = &self->n[1]; *this->p = 5; printf("%d %d\n", *this->p, self->n[1]); }
BEGIN { self->n[1]++; self->t.b[3] = 9; printf("%d %d %d %d\n", self->n[1], self->n[2], self->t.b[3], self->freed.b[3]); exit(0); }' 2>&1)" "0 0
5 5
6 0 9 0"
expect "many threads'" "$(dtrace -qn 'self char many[4000]; fbt::vfs_read:entry { @ = sum(self->many[arg2 % 4000]); @n[tid] = count(); }
END { printa(@); }' -x dynvarsize=8k -c 'sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do cat /proc/version; done"' 2>&1 | grep -E '^ +[0-9]+$|drop' | tr -d ' ')" 0
dtrace -qn 'int a[3]; BEGIN { i = 3; a[i] = 1; } END { printf("%d", a[2]); } BEGIN { exit(0); }' >/tmp/out 2>/tmp/err
expect "the neighbour" "$(cat /tmp/out)" 0
grep -q 'invalid address (0x0) in action #2' /tmp/err || fail "out of bounds: $(cat /tmp/err)"
dtrace -qn 'BEGIN { curthread->prio = 1; }' 2>/tmp/err && fail "curthread"
grep -q "curthread points to memory of the system" /tmp/err || fail "$(cat /tmp/err)"
dtrace -qn 'BEGIN { this->p = (int *)curthread; *this->p = 1; } BEGIN { exit(0); }' >/tmp/out 2>/tmp/err
grep -qE 'invalid address \(0xff[0-9a-f]{14}\) in action #2' /tmp/err || fail "kernel memory: $(cat /tmp/err)"
# Each CPU has an element of its own: nothing of them may be lost.
dtrace -qn 'int by[64]; profile-997 { by[cpu]++; @[cpu] = count(); } tick-1s { exit(0); }
END { printf("%d %d\n", by[0], by[1]); printa("%d %@d\n", @); }' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
awk 'NR == 1 { n[0] = $1; n[1] = $2 } NR > 1 && NF == 2 && n[$1] != $2 { bad = 1 } END { exit bad }' /tmp/out || fail "$(cat /tmp/out)"
