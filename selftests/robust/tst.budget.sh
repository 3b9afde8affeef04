# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a clause that would keep a CPU too long is ended with the classic message, whatever it is made of: string
# searches, copies, or thousands of clauses; the machine lives, END does not hang, the next consumer works.
. /src/selftests/lib/sh
driver many
killed() {
	dtrace -q "$@" -c 'sh -c "for i in 1 2 3; do echo 10 >/sys/module/many/parameters/fire; done"' >/tmp/out 2>/tmp/err
	expect "status of: ${*: -1:1}" $? 1
	grep -q "processing aborted: Abort due to systemic unresponsiveness" /tmp/err || fail "$(cat /tmp/err)"
}
long=$(printf 'a%.0s' $(seq 16000))
calls=$(printf 'index(s, "ab") + %.0s' $(seq 7))
for i in $(seq 29); do echo "n = $calls 0;"; done >/tmp/body
{
	echo 'string s; int n;'
	echo "BEGIN { s = \"$long\"; }"
	echo 'many:main:args:one {'; cat /tmp/body; echo '}'
} >/tmp/search.d
killed -x strsize=64k -s /tmp/search.d
{
	echo 'string s, t;'
	echo "BEGIN { s = \"$long\"; }"
	echo 'many:main:args:one {'
	for i in $(seq 100); do echo 't = strjoin(s, "x");'; done
	echo '}'
} >/tmp/copy.d
killed -x strsize=64k -s /tmp/copy.d
# The same work with short strings is well within the budget.
dtrace -q -x strsize=16 -s /tmp/search.d -c 'sh -c "echo 10 >/sys/module/many/parameters/fire"' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
expect "next consumer" "$(dtrace -qn 'BEGIN { trace("ok"); exit(0); }')" ok
dmesg | grep -iE 'stall|lockup' && fail "the machine suffered"
exit 0
