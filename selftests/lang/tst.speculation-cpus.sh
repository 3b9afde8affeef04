# SPDX-License-Identifier: GPL-2.0
# SECONDS: 120
# ASSERTION: records of a speculation from two CPUs are all there after its commit, none after its discard; what found no room
# in it is counted: committed records and speculative drops are the firings, exactly.
. /src/selftests/lib/sh
driver many
# $1: commit or discard, $2: specsize, $3: rounds on each CPU.
try() {
	trace /tmp/o -x nspec=1 -x specsize="$2" -x cleanrate=100hz -n '
		BEGIN { again = 0; s = speculation(); }
		many:main:loop:iter { @fired = count(); }
		many:main:loop:iter { speculate(s); printf("x\n"); }
		fbt::do_sys_openat2:entry /execname == "ender"/ { '"$1"'(s); }
		fbt::do_sys_openat2:return /execname == "ender" && !again/ { again = 1; printf("ended\n"); }
		END { printa("fired %@d\n", @fired); }'
	for cpu in 0 1; do taskset -c "$cpu" bash -c "for n in \$(seq $3); do echo 1 >/sys/module/many/parameters/fire; done"; done
	cp /bin/cat /tmp/ender
	/tmp/ender /dev/null
	until_ok grep -q ended /tmp/o
	end_trace
	fired=$(sed -n 's/^fired //p' /tmp/o)
	records=$(grep -c '^x$' /tmp/o)
	drops=$(sed -n 's/^dtrace: \([0-9]*\) speculative drops*$/\1/p' /tmp/o.err | awk '{ n += $1 } END { print n + 0 }')
}
try commit 1m 20
[ "$fired" -gt 10 ] || fail "it hardly fired: $(cat /tmp/o)"
expect "committed" "$records $drops" "$fired 0"
try discard 1m 20
expect "discarded" "$records $drops" "0 0"
try commit 64 200
[ "$drops" -gt 0 ] || fail "no drops: $(cat /tmp/o.err)"
expect "records and drops" "$((records + drops))" "$fired"
grep -v 'speculative drop' /tmp/o.err && fail "other messages"
exit 0
