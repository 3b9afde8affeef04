# SPDX-License-Identifier: GPL-2.0
# ASSERTION: print() shows a value with its type, a struct with the names and types of its members, as the kernel has them;
# tracemem's third argument says how many bytes are meant.
. /src/selftests/lib/sh
dtrace -qn 'struct p { int x; char name[8]; struct { short a; unsigned b : 4; } in[2]; char *at; };
struct p p;
BEGIN
{
	p.x = -1; p.name[0] = 104; p.name[1] = 105; p.in[1].a = 7; p.in[1].b = 12;
	print(p); print(42); print("text"); print((char)65); print(probename); print((struct p *)0); exit(0);
}' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
cat /tmp/out
dtrace -qn 'enum way { UP = 2, DOWN = 4 }; BEGIN { print((enum pid_type)1); print((enum pid_type)77); print((enum way)4); exit(0); }' || fail "enums"
# Reached by another name, and without a tag.
dtrace -qn 'typedef enum way { UP = 2, DOWN = 4 } way_t; typedef enum { LOW = -1, HIGH } level_t;
struct s { way_t way; level_t level; enum { NEAR, FAR } how : 3; way_t ways[2]; level_t *at; }; struct s s;
BEGIN
{
	print((irqreturn_t)1); print((way_t)4); print((level_t)-1); s.way = UP; s.how = FAR; s.ways[1] = DOWN; print(s);
	print(UP); print(&`jiffies != 0); print((short)-2); print(probename); print((uid_t)-1); exit(0);
}' 2>&1 || fail "other enums"
# Of the kernel: the same as by hand.
dtrace -qn 'BEGIN { print(curthread->se.load); printf("%#lx\n", curthread->se.load.weight); exit(0); }' >/tmp/out 2>/tmp/err ||
	fail "$(cat /tmp/err)"
weight=$(grep ^0x /tmp/out)
sed -n 1p /tmp/out | grep -qx 'struct load_weight {' || fail "$(cat /tmp/out)"
grep -qx "    long unsigned int weight = $weight" /tmp/out || fail "$(cat /tmp/out)"
# The largest struct that people look at.
dtrace -qn 'BEGIN { print(*curthread); exit(0); }' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
grep -q '^    char \[16\] comm = "dtrace"$' /tmp/out || fail "no comm: $(head -20 /tmp/out)"
[ "$(wc -l </tmp/out)" -gt 500 ] || fail "only $(wc -l </tmp/out) lines of a task"
dtrace -qn 'BEGIN { print(stack()); }' 2>/tmp/err && fail "a stack"
grep -q "print( ) may not be applied to stack( )" /tmp/err || fail "$(cat /tmp/err)"
dtrace -qn 'BEGIN { tracemem(&curthread->comm, 16, 3); tracemem(&curthread->comm, 16, 99); exit(0); }' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
cat /tmp/out
