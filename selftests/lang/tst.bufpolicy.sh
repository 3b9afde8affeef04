# SPDX-License-Identifier: GPL-2.0
# ASSERTION: bufpolicy=fill keeps the first records, up to one that finds no room, and ends then; ring keeps the newest, as
# many as there is room for; both print at the end, whole records in order, END's last, and drop nothing.
# SECONDS: 120
. /src/selftests/lib/sh
driver many
driver nmi
fire="bash -c 'echo 3000 >/sys/module/many/parameters/fire'"
run() {
	taskset -c 0 dtrace -q -b 4k "$@" >/tmp/o 2>/tmp/o.err
	status=$?
	[ -s /tmp/o.err ] && fail "$*: it says $(cat /tmp/o.err)"
	sed -i '/^$/d' /tmp/o
}
# The lines are all numbers from one to another.
expect_all() { expect "$1" "$(grep -v '^end' /tmp/o | tr '\n' ' ')" "$(seq "$2" "$3" | tr '\n' ' ')"; }
# A record has 12 bytes of head, 8 of the number, 4 to the next one; END's 16.
one='many:main:args:one { printf("%d\n", arg0); } END { printf("end\n"); }'
run -x bufpolicy=fill -n "$one" -c "$fire"
expect "fill: status" $status 0
expect_all "fill" 0 169
expect "fill: END" "$(tail -1 /tmp/o)" end
run -x bufpolicy=ring -n "$one" -c "$fire"
expect "ring: status" $status 0
expect_all "ring" 2831 2999
expect "ring: END" "$(tail -1 /tmp/o)" end
# Less than there is room for.
for policy in fill ring; do
	run -x bufpolicy=$policy -n "$one" -c 'bash -c "echo 20 >/sys/module/many/parameters/fire"'
	expect_all "$policy of few" 0 19
	run -x bufpolicy=$policy -n "many:main:args:one /arg0 == 100/ { exit(5); } $one" -c "$fire"
	expect "$policy: exit" "$status $(tail -1 /tmp/o)" "5 end"
done
# It ends by itself; what would find room does not go on.
run -x bufpolicy=fill -n 'profile:::tick-1ms { printf("%d\n", n++); } END { printf("end\n"); }'
expect_all "fill ends" 0 169
run -x bufpolicy=fill -x strsize=1016 -n 'many:main:args:one { printf("%d\n", arg0); } many:main:args:one /arg0 == 3/ { printf("%s%s%s%s\n", strjoin(execname, ""), strjoin(execname, ""), strjoin(execname, ""), strjoin(execname, "")); }' -c "$fire"
expect_all "nothing after the first that has no room" 0 3
# Records of several sizes.
run -x bufpolicy=ring -x strsize=64 -n 'many:main:args:one /arg0 % 3/ { printf("%d\n", arg0); }
	many:main:args:one /!(arg0 % 3)/ { printf("%d\n%s", arg0, ""); } END { printf("end\n"); }' -c "$fire"
first=$(head -1 /tmp/o)
expect_all "ring of two sizes" "$first" 2999
[ "$first" -lt 2920 ] || fail "only from $first on"
# A fault takes no record away and is told at the end; so is what a speculation had.
dtrace -q -x bufpolicy=ring -n 'BEGIN { trace(*(int *)1); } BEGIN { exit(0); }' >/tmp/o 2>&1
grep -q 'invalid address (0x1)' /tmp/o || fail "no message: $(cat /tmp/o)"
run -x bufpolicy=ring -n 'BEGIN { s = speculation(); } BEGIN { speculate(s); printf("a\n"); } BEGIN { printf("b\n"); } BEGIN { commit(s); } BEGIN { exit(0); }'
expect "committed" "$(tr -d '\n' </tmp/o)" ba
# Every CPU by itself; all together in order of time.
for policy in fill ring; do
	dtrace -q -b 4k -x bufpolicy=$policy -n 'nmi:::iter { printf("%d %d %d\n", timestamp, cpu, arg0); }' \
		-c 'bash -c "for c in 0 1; do taskset -c \$c bash -c \"echo 2000 >/proc/nmi-fire\" & done; wait"' >/tmp/o 2>&1 || fail "$policy: $(cat /tmp/o)"
	sed -i '/^$/d' /tmp/o
	expect "$policy: order of time" "$(sort -n -s -k1,1 /tmp/o | cmp - /tmp/o && echo yes)" yes
	grep -qv '^[0-9]* [01] [0-9]*$' /tmp/o && fail "$policy: $(grep -v '^[0-9]* [01] [0-9]*$' /tmp/o)"
done
for c in 0 1; do
	expect "ring: the last of CPU $c" "$(awk -v c=$c '$2 == c { print $3 }' /tmp/o | tail -1)" 1999
	expect "ring: records of CPU $c" "$(grep -c "^[0-9]* $c " /tmp/o)" 102
done
dtrace -q -b 4k -x bufpolicy=fill -n 'BEGIN { exit(0); } END { this->s = strjoin(execname, ""); printf("%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s", this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s, this->s); }' >/tmp/o 2>&1 && fail "END larger than the buffer"
expect "END" "$(head -1 /tmp/o)" "dtrace: could not enable tracing: END enablings exceed size of principal buffer"
exit 0
