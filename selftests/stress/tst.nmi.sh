# SPDX-License-Identifier: GPL-2.0
# ASSERTION: an NMI that fires a probe is counted once, wherever it comes: traced, or turned away because a probe is
# being served on that CPU. Probes that it comes over are not disturbed.
# SECONDS: 120
. /src/selftests/lib/sh
driver nmi
taken=/sys/module/nmi/parameters/taken
before=$(cat $taken)
trace /tmp/o -x strsize=1k -n '
nmi:::taken { @taken = count(); }
nmi:::iter { this->s = strjoin(execname, probefunc); @loop = sum(strlen(strjoin(this->s, this->s)) > 0); }
END { printa("taken %@d\n", @taken); printa("loop %@d\n", @loop); }'
# The loop on one CPU, who sends to the other one on the other.
rm -f /tmp/stop /tmp/fired
taskset -c 1 sh -c "while [ ! -e /tmp/stop ]; do echo 5000 >/proc/nmi-fire && echo 5000; done >/tmp/fired" &
busy=$!
until_ok test -s /tmp/fired
taskset -c 0 sh -c "echo 3000 >/proc/nmi-send"
touch /tmp/stop
wait $busy
end_trace
sent=$(($(cat $taken) - before))
traced=$(awk '$1 == "taken" { print $2 }' /tmp/o)
nested=$(awk '/nested probe drop/ { n += $2 } END { print n + 0 }' /tmp/o.err)
echo "$sent NMIs: $traced traced, $nested turned away" >&2
expect "firings of the loop" "$(awk '$1 == "loop" { print $2 }' /tmp/o)" "$(($(wc -l </tmp/fired) * 5000))"
expect "NMIs" "$((traced + nested))" "$sent"
[ "$traced" -gt 50 ] || fail "$traced NMIs traced"
[ "$nested" -gt 50 ] || fail "$nested NMIs in probes"
