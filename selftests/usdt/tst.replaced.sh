# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a semaphore is lowered when its probe is disabled, although the program has replaced the probe's text by a copy
# meanwhile, or the text cannot be executed then; and in a child.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
gcc -O1 -I /src/userspace-ctl/include -o replaced $here/replaced.c || fail gcc
for how in a r; do
	begin ./replaced
	trace o -n "shop$target:::served { @ = count(); }"
	step c
	step $how
	[ $how = r ] || step c
	end_trace
	# It looks for probes in the copy, too, where one without that semaphore cannot be.
	[ $how = a ] || expect "$how: errors" "$(cat o.err)" ""
	expect "$how: firings" "$(sed 1d o | xargs)" "$([ $how = r ] && echo 10 || echo 20)"
	step x
	expect "$how: while traced" "$(sed -n 's/^c //p' said | sort -u)" 1
	expect "$how: afterwards" "$(tail -n 1 said)" "x 0"
	step f
	expect "$how: in a child" "$(sed -n 's/^F //p' said)" 0
	end_well
done
