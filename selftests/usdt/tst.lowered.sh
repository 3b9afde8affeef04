# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the semaphore of a child is not raised, whenever its parent forks: before, while and after it is traced. The
# parent's is lowered in the end.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
gcc -O1 -pthread -I /src/userspace-ctl/include -o lowered $here/lowered.c || fail gcc
begin ./lowered
for round in $(seq "$(rounds 100)"); do
	trace o -n "shop$target:::served { @ = count(); }" -x statusrate=1h
	end_trace
	expect "round $round" "$(cat o.err)" ""
	[ "$(xargs <o | awk '{ print ($2 > 0) }')" = 1 ] || fail "round $round: it never fired"
done
end_well
grep -q '^raised' said || fail "it never ended"
expect "children" "$(sed -n 's/^raised \([0-9]*\) of .*, itself/\1/p' said)" "0 0"
