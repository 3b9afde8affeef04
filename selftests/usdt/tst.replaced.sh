# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a semaphore is lowered when its probe is disabled, although the program has replaced the probe's text by a copy
# meanwhile, or has dropped its page, or the text cannot be executed then; and in a child. If the program has dropped the
# semaphore's page, there is nothing to lower.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
gcc -O1 -I /src/userspace-ctl/include -o replaced $here/replaced.c || fail gcc
for how in a r d s; do
	begin ./replaced
	# A look would give the dropped text its breakpoint back, and raise the dropped semaphore again.
	trace o -n "shop$target:::served { @ = count(); }" -x statusrate=$([[ $how = [ds] ]] && echo 1h || echo 1s)
	step c
	step $how
	[ $how = r ] || step c
	end_trace
	# It looks for probes in the copy, too, where one without that semaphore cannot be.
	[ $how = a ] || expect "$how: errors" "$(cat o.err)" ""
	case $how in
	r | d) expect "$how: firings" "$(sed 1d o | xargs)" 10 ;;
	*) expect "$how: firings" "$(sed 1d o | xargs)" 20 ;;
	esac
	step x
	expect "$how: while traced" "$(sed -n 's/^c //p' said | xargs)" "$(case $how in r) echo 1 ;; s) echo 1 0 ;; *) echo 1 1 ;; esac)"
	expect "$how: afterwards" "$(tail -n 1 said)" "x 0"
	step f
	expect "$how: in a child" "$(sed -n 's/^F //p' said)" 0
	end_well
done
