# SPDX-License-Identifier: GPL-2.0
# ASSERTION: functions of every shape that are called N times enter N times and return N times, with the arguments and the
# values that they have, by every technique and by breakpoints alone; two CPUs at once.
# SECONDS: 900
. /src/selftests/lib/sh
half=400
rounds=$((2 * half))
exact() {
	driver shapes
	trace /tmp/o -n 'fbt:shapes:shape_*:entry { @e[probefunc] = count(); }
		fbt:shapes:shape_*:return { @r[probefunc] = count(); }
		fbt:shapes:shape_*:return /probefunc != "shape_nothing" && probefunc != "shape_unlikely"/ { @v[probefunc] = sum(arg1); }
		fbt:shapes:shape_several:return { @w[arg0] = count(); }
		fbt:shapes:shape_ten:entry
		/arg1 == arg0 + 1 && arg2 == arg0 + 2 && arg3 == arg0 + 3 && arg4 == arg0 + 4 && arg5 == arg0 + 5 &&
		 arg6 == arg0 + 6 && arg7 == arg0 + 7 && arg8 == arg0 + 8 && arg9 == arg0 + 9/ { @right = count(); @first = sum(arg0); }
		fbt:shapes:shape_push:entry { @p = sum(arg0); }
		END { printa("entry %s %@d\n", @e); printa("return %s %@d\n", @r); printa("value %s %@d\n", @v);
			printa("ten %@d", @right); printa(" %@d\n", @first); printa("push %@d\n", @p); printa("place %d %@d\n", @w); }'
	local c
	for c in 0 1; do
		taskset -c $c sh -c "echo $half >/proc/shapes" &
		jobs[c]=$!
	done
	wait "${jobs[0]}" && wait "${jobs[1]}" || fail "a function was wrong while it was traced"
	end_trace
	[ ! -s /tmp/o.err ] || fail "$(cat /tmp/o.err)"
	grep -E '^(entry|return|value|ten|push) ' /tmp/o | sort >/tmp/got
	diff /tmp/wanted /tmp/got || fail "counts ($1): wanted <, got >"
	expect "places of shape_several ($1)" "$(awk '$1 == "place" { print $3 }' /tmp/o | sort -n | tr '\n' ' ')" \
		"$((rounds / 4)) $((rounds / 4)) $((rounds / 2)) "
	dtrace -ln fbt:shapes:shape_loop_first:entry 2>&1 | grep -q 'begins with the head of a loop' || fail "shape_loop_first"
}
# Of 0 + 1 + ... up to half, twice.
sum=$((half * (half - 1)))
after=$((sum + rounds))
row() { for what in entry return; do echo "$what shape_$1 $2"; done; echo "value shape_$1 $3"; }
{
	for f in displaced relative swallowing torn call several cold; do row $f $rounds $after; done
	# Every fourth call returns through another function, and has no value then.
	row cold_tail $rounds $((after - half * (half / 4 + 1)))
	# Every second call ends in another function.
	row behind $rounds $((half * half / 2))
	row other $((rounds / 2)) $((half * (half / 2 + 1)))
	# Whose value comes later has none.
	for f in tail tail_far jump; do row $f $rounds 0; done
	row plain $((4 * rounds)) $((4 * after))
	row push $((2 * rounds)) $((2 * after))
	row loop $rounds $((rounds / 8 * 36))
	row loop_first $rounds $rounds | grep -v entry
	row ten $rounds $rounds
	row recursion $((4 * rounds)) $((10 * rounds))
	# Of no value.
	row nothing $rounds x | grep -v value
	row unlikely $((rounds / 8 * 3)) x | grep -v value
	echo "ten $rounds $sum"
	echo "push $((2 * sum))"
} | sort >/tmp/wanted
exact "every technique"
with_module fbt_int3=1
dtrace -lvn 'fbt:shapes:shape_*:' | grep Implementation | grep -Ev 'int3|return|tail' && fail "not by breakpoints"
exact "breakpoints"
