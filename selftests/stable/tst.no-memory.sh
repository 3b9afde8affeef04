# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while probes on tracepoints and functions are enabled or disabled, it is an error or costs
# some probes; afterwards all of them fire again, and nothing is left attached.
# SECONDS: 900
. /src/selftests/lib/sh
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
rmmod dtrace && insmod "$module" fail_ioctl=1 || fail insmod
# A function that has one of the tracepoints in it.
export TEXT="$(awk 'tolower($2) == "t" && NF == 3 { print $1, $3 }' /proc/kallsyms | sort |
	awk 'from { print "0x" from "-0x" $1; exit } $2 == "schedule_tail" { from = $1 }')"
for provider in proc; do
	export PROVIDER=$provider
	/tmp/consumers again 2 "" || fail "$provider: enabling"
	for step in ENABLE GO close; do
		/tmp/consumers memory $step "" || fail "$provider: $step"
	done
done
dtrace -qn 'proc:::exec-success /pid == $target/ { @[probename] = count(); } END { printa("%s %@d\n", @); }' \
	-c 'sh -c "exec /bin/true"' >/tmp/o || fail dtrace
expect "firings" "$(xargs </tmp/o)" "exec-success 1"
rmmod dtrace || fail "rmmod dtrace"
insmod "$module" fail_ioctl=0 || fail "insmod"
