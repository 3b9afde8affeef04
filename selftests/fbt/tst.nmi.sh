# SPDX-License-Identifier: GPL-2.0
# ASSERTION: NMIs come over firing probes, and fire probes themselves, in every technique: each is counted, traced or turned
# away because a probe is being served on that CPU, and the probes that they come over are not disturbed.
# SECONDS: 900
. /src/selftests/lib/sh
driver nmi
taken=/sys/module/nmi/parameters/taken
for technique in 0 1; do
	rmmod dtrace && insmod "$module" fbt_int3=$technique || fail insmod
	before=$(cat $taken)
	trace /tmp/o -x strsize=1k -n '
fbt:nmi:nmi_taken: { @taken = count(); }
fbt:vmlinux:version_proc_show: { this->s = strjoin(execname, probefunc); @loop[probename] = sum(strlen(strjoin(this->s, this->s)) > 0); }
END { printa("taken %@d\n", @taken); printa("loop %s %@d\n", @loop); }'
	# Who fires on one CPU, who sends to it on the other.
	rm -f /tmp/stop /tmp/begun
	taskset -c 1 python3 -c '
import os
n = 0
fd = os.open("/proc/version", os.O_RDONLY)
open("/tmp/begun", "w")
while not os.path.exists("/tmp/stop"):
    for _ in range(100):
        os.pread(fd, 1000, 0)
    n += 100
print(n)' >/tmp/fired &
	busy=$!
	until_ok test -e /tmp/begun
	taskset -c 0 sh -c "echo 2000 >/proc/nmi-send"
	touch /tmp/stop
	wait $busy
	end_trace
	sent=$(($(cat $taken) - before))
	traced=$(awk '$1 == "taken" { print $2 }' /tmp/o)
	nested=$(awk '/nested probe drop/ { n += $2 } END { print n + 0 }' /tmp/o.err)
	echo "$sent NMIs: $traced traced, $nested turned away; $(cat /tmp/fired) reads" >&2
	expect "entries and returns in NMIs" "$((traced + nested))" "$((2 * sent))"
	expect "other probes" "$(sort /tmp/o | grep ^loop)" "loop entry $(cat /tmp/fired)
loop return $(cat /tmp/fired)"
	[ "$traced" -gt 50 ] || fail "$traced traced"
	[ "$nested" -gt 10 ] || fail "$nested turned away"
done
rmmod dtrace && insmod "$module"
