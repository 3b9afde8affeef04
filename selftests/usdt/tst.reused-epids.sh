# SPDX-License-Identifier: GPL-2.0
# ASSERTION: when probes of dead processes make room for those of new ones, each record is printed by its own clause, also
# as text: one clause is of all children, another one of those with an even process id, so places change hands.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
dtrace -h -s $here/forks.d && gcc -I. -O2 -c -o forks.o $here/forks.c && dtrace -G -s $here/forks.d -o prov.o forks.o &&
	gcc -o forks forks.o prov.o || fail "not built"
ticks() { grep -c '^tick' o; }
ticked() { [ "$(ticks)" -ge "$1" ]; }
alone() { [ "$(dtrace -ln 'forks*:::child' 2>/dev/null | grep -c forks)" = 1 ]; }

cat >forks.script <<'D'
forks*:::child { printf("all %d\n", pid); }
forks*[02468]:::child { printf("%d even\n", pid); }
tick-10hz { printf("tick\n"); }
D
begin ./forks
dtrace -Zq -x switchrate=20hz -s forks.script >o 2>o.err 3>&- &
tracer=$!
until_ok ticked 1
made=0
for _ in 1 2 3 4 5 6 7 8; do
	echo 25 >&3
	made=$((made + 25))
	wait_for "$made children" grep -qx "done $made" said
	wait_for "the dead are forgotten" alone
	# A round has printed what came after them, and the next one has begun.
	for _ in 1 2 3 4; do
		now=$(ticks)
		until_ok ticked $((now + 1))
	done
done
end_trace
end_well
[ ! -s o.err ] || fail "$(head o.err)"
all=$(sed -n 's/^all \([0-9]*\)$/\1/p' o | sort -n)
even=$(sed -n 's/^\([0-9]*\) even$/\1/p' o | sort -n)
[ "$(echo "$all" | uniq | wc -l)" = "$made" ] || fail "of $made children: $(sort o | uniq -c | sort -n | tail)"
[ "$even" = "$(echo "$all" | awk '$1 % 2 == 0')" ] || fail "even: $even; all: $all"
