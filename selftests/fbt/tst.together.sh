# SPDX-License-Identifier: GPL-2.0
# ASSERTION: fbt, ftrace's function tracer and a kprobe on one function, at the same time and in every order of coming and
# going: each sees each call of its life.
# SECONDS: 900
. /src/selftests/lib/sh
tracing=/sys/kernel/tracing
traced=0
[ -e $tracing/trace ] || mount -t tracefs none $tracing
# Of its three names the one that ftrace knows.
function=__do_sys_getppid
# The number of the calls that only this command makes.
cat >/tmp/calls.py <<'P'
import os
for n in range(50):
    os.getppid()
P
cp "$(command -v python3)" /tmp/callsppid || fail "no python3"
calls() {
	# Python itself may ask for it as it starts, so its calls are compared, not counted.
	/tmp/callsppid -I -S /tmp/calls.py || fail "the calls"
}

fbt_on() {
	trace /tmp/o -n "fbt:vmlinux:$function:entry /execname == \"callsppid\"/ { @e = count(); }
		fbt:vmlinux:$function:return /execname == \"callsppid\"/ { @r = count(); }
		END { printa(\"%@d \", @e); printa(\"%@d\n\", @r); }"
}
fbt_off() {
	end_trace
	[ ! -s /tmp/o.err ] || fail "fbt ($order): $(cat /tmp/o.err)"
	expect "fbt ($order)" "$(sed -n 2p /tmp/o)" "$1 $1"
}
ftrace_on() {
	echo >$tracing/trace
	traced=0
	echo $function >$tracing/set_ftrace_filter && echo function >$tracing/current_tracer || fail "ftrace ($order)"
}
# Removing a kprobe that has been enabled empties the trace.
ftrace_count() {
	traced=$((traced + $(grep -c "callsppid.*: $function <-" $tracing/trace)))
	echo >$tracing/trace
}
ftrace_off() {
	ftrace_count
	expect "ftrace ($order)" "$traced" "$1"
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}
kprobe_on() {
	echo "p:together $function" >$tracing/kprobe_events && echo "r:together_r $function" >>$tracing/kprobe_events ||
		fail "kprobe ($order)"
	echo 1 >$tracing/events/kprobes/enable || fail "kprobe ($order)"

}
kprobe_hits() { awk '{ printf "%d ", $2 }' $tracing/kprobe_profile; }
kprobe_off() {
	local hits
	hits=$(kprobe_hits)
	hits=${hits% }
	# Others make this call, too: all of them count here.
	for n in $hits; do [ "$n" -ge "$1" ] || fail "kprobe ($order): $hits, expected $1 at least"; done
	expect "kprobe's returns ($order)" "${hits##* }" "${hits%% *}"
	ftrace_count
	echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events || fail "kprobe stays ($order)"
}

# fbt alone tells how many they are.
order=alone
fbt_on; calls; end_trace
once=$(sed -n 2p /tmp/o | cut -d' ' -f1)
[ "${once:-0}" -ge 50 ] || fail "fbt alone: $(cat /tmp/o /tmp/o.err)"

# COMING/GOING
for order in "fbt ftrace kprobe/fbt ftrace kprobe" "ftrace fbt kprobe/kprobe fbt ftrace" "kprobe fbt ftrace/fbt kprobe ftrace" \
	"fbt kprobe ftrace/kprobe ftrace fbt" "ftrace kprobe fbt/ftrace fbt kprobe" "kprobe ftrace fbt/fbt ftrace kprobe"; do
	unset seen
	declare -A seen
	for who in ${order%/*}; do
		"${who}_on"
		seen[$who]=0
		calls
		for each in "${!seen[@]}"; do seen[$each]=$((${seen[$each]} + once)); done
	done
	for who in ${order#*/}; do
		"${who}_off" "${seen[$who]}"
		unset "seen[$who]"
		calls
		for each in "${!seen[@]}"; do seen[$each]=$((${seen[$each]} + once)); done
	done
done

