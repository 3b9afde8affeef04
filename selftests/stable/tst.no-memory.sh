# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while probes on tracepoints and functions are enabled or disabled, it is an error or costs
# some probes; afterwards all of them fire again, and nothing is left attached.
# SECONDS: 900
. /src/selftests/lib/sh
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
rmmod dtrace && insmod "$module" fail_ioctl=1 || fail insmod
awk 'tolower($2) == "t" && NF == 3 { print $1, $3 }' /proc/kallsyms | sort >/tmp/functions
# Of each provider's functions one that has a tracepoint in it, or that is traced itself, not as the last one.
for what in proc:schedule_tail:1 sched:set_user_nice:16 tcp:tcp_reset:16 sysinfo:handle_irq_event:16; do
	IFS=: read -r PROVIDER function EVERY <<<"$what"
	TEXT="$(awk -v name="$function" 'from && $1 != from { print "0x" from "-0x" $1; exit } $2 == name { from = $1 }' /tmp/functions)"
	[ -n "$TEXT" ] || fail "no function $function"
	EVERY=$((EVERY * $(one_of 4)))
	export PROVIDER TEXT EVERY
	/tmp/consumers again 2 "" || fail "$PROVIDER: enabling"
	for step in ENABLE GO close; do
		/tmp/consumers memory $step "" || fail "$PROVIDER: $step"
	done
done
dtrace -qn 'proc:::exec-success /pid == $target/ { @[probename] = count(); } END { printa("%s %@d\n", @); }' \
	-c 'sh -c "exec /bin/true"' >/tmp/o || fail dtrace
expect "firings" "$(xargs </tmp/o)" "exec-success 1"
rmmod dtrace || fail "rmmod dtrace"
insmod "$module" fail_ioctl=0 || fail "insmod"
