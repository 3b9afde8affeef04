# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a driver with malformed records loads, its good probes work, each bad one is reported.
. /src/selftests/lib/sh
dmesg -C
driver bad
dtrace -l -P bad | sed 's/^ *[0-9]*/ID/'
expect "probes that pose as dtrace's" "$(dtrace -l -P dtrace | grep -c dtrace)" 3
expect "reports" "$(dmesg | grep -c 'dtrace: sdt: bad')" 16
trace /tmp/o -n 'bad:good:: { @[probename] = count(); } END { printa("%s %@d\n", @); }'
echo 7 >/sys/module/bad/parameters/fire
end_trace
grep -v '^ready' /tmp/o | sort
rmmod bad || fail "rmmod bad"
