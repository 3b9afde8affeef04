# SPDX-License-Identifier: GPL-2.0
# ASSERTION: dtrace-export@NAME under systemd serves exact metrics; a change of the program restarts it and the counters begin at 0; a program that does not compile leaves the old one running; a failure is in the journal and is final; stop leaves nothing behind.
# SECONDS: 300
. /src/selftests/lib/sh
driver hworld
# With END.
all=$(($(dtrace -l -n hworld:::entry | grep -c entry) + 1))
users() { awk '$1 == "dtrace" { print $3 }' /proc/modules; }
before=$(users)
# systemd is laid over the guest's root, and is process 1 of a name space of its own.
modprobe overlay || fail "no overlay"
mkdir /tmp/over && mount -t tmpfs tmpfs /tmp/over && mkdir /tmp/over/{usr,etc,work,work2} || fail "no tmpfs"
mount -t overlay overlay -o lowerdir=/layers/systemd/usr:/usr,upperdir=/tmp/over/usr,workdir=/tmp/over/work /usr &&
	mount -t overlay overlay -o lowerdir=/etc,upperdir=/tmp/over/etc,workdir=/tmp/over/work2 /etc || fail "no overlay"
systemd=
cleanup() {
	[ -z "$systemd" ] || kill -KILL "$systemd"
	wait "$launcher" 2>/dev/null
	umount -l /etc /usr /tmp/over
	find /sys/fs/cgroup -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
}
trap 'cleanup' EXIT
systemd-machine-id-setup >/dev/null 2>&1
cp /src/userspace-ctl/export/share/dtrace-export* /etc/systemd/system/
[ -e /usr/sbin/dtrace ] || ln -s /opt/dtrace/bin/dtrace /usr/sbin/dtrace
# The guest's module is in no folder of modprobe.
mkdir -p /etc/modprobe.d /etc/dtrace/export.d && echo "install dtrace test -e /sys/module/dtrace" >/etc/modprobe.d/dtrace.conf
# Nothing else of the machine starts.
printf '[Unit]\nRequires=systemd-journald.service\nAfter=systemd-journald.service\n' >/etc/systemd/system/test.target
ln -sf /dev/null /etc/systemd/system/network-online.target
env -i container=other "PATH=$PATH" LANG=C.UTF-8 unshare -m -p -f --kill-child --propagation private bash -c '
	mount -t proc proc /proc && mount -t tmpfs tmpfs /run && exec /usr/lib/systemd/systemd --unit=test.target --show-status=no' >/tmp/systemd.log 2>&1 &
launcher=$!
has_init() { systemd=$(pgrep -P $launcher) && [ "$(cat "/proc/$systemd/comm")" = systemd ]; }
until_ok has_init
inside() { nsenter -t "$systemd" -m -p env -i "PATH=/usr/sbin:/usr/bin" LANG=C.UTF-8 SYSTEMD_PAGER= "$@"; }
ctl() { inside systemctl "$@"; }
until_ok ctl is-active test.target
said() { inside journalctl -q -o cat -u 'dtrace-export*' >/tmp/journal; grep -qE -- "$1" /tmp/journal; }
state() { ctl show -P "$1" dtrace-export@calls; }
is() { [ "$(state ActiveState)/$(state SubState)" = "$1" ]; }
value() {
	local line
	{ exec 9<>/dev/tcp/127.0.0.1/9105; } 2>/dev/null || return
	printf 'GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n' >&9
	while read -r line; do [ "${line% *}" != "$1" ] || echo "${line##* }"; done <&9
	exec 9>&-
}
has() { [ "$(value "$1" 2>/dev/null)" = "$2" ]; }
show() { cat /tmp/journal; ctl status dtrace-export@calls; }

echo 'hworld:::entry { @calls[probefunc] = count(); } END { printf("ended well\n"); }' >/etc/dtrace/export.d/calls.d
ctl start dtrace-export@calls || { said .; show; fail "it does not start"; }
until_ok has dtrace_probes "$all"
for n in 1 2 3; do cat /proc/hello-world >/dev/null; done
until_ok has 'dtrace_calls_total{probefunc="open1"}' 3
expect "the watching path" "$(ctl is-active dtrace-export@calls.path)" active
first=$(state MainPID)

# A change restarts it: the counters begin again, and count exactly.
echo 'hworld::open1:entry { @calls[probefunc] = count(); } END { printf("ended well\n"); }' >/etc/dtrace/export.d/calls.d
until_ok has dtrace_probes 2
expect "the count after a change" "$(value 'dtrace_calls_total{probefunc="open1"}')" ""
cat /proc/hello-world >/dev/null
until_ok has 'dtrace_calls_total{probefunc="open1"}' 1
second=$(state MainPID)
[ "$first" != "$second" ] || fail "it was not restarted"
until_ok said '^ended well'

# By hand, as well.
ctl reload dtrace-export@calls || { said .; show; fail "no reload"; }
third() { [ "$(state MainPID)" != "$second" ] && is active/running; }
until_ok third
third=$(state MainPID)
until_ok has dtrace_probes 2

# A program that does not compile does not replace one that runs.
echo 'hworld::open1:entry { @calls[nosuch] = count(); }' >/etc/dtrace/export.d/calls.d
until_ok said 'nosuch'
ctl reload dtrace-export@calls 2>/dev/null && fail "a reload of a bad program succeeds"
until_ok is active/running
expect "the process after a bad program" "$(state MainPID)" "$third"
cat /proc/hello-world >/dev/null
until_ok has 'dtrace_calls_total{probefunc="open1"}' 1

# It does not start with one either, says why, and does not try for ever.
ctl stop dtrace-export@calls || fail "no stop"
ctl start dtrace-export@calls
until_ok is failed/failed
expect "restarts after an error of the program" "$(state NRestarts)" 0
said 'failed to resolve nosuch' || { show; fail "the journal has no reason"; }
# The mended program starts, because its file is still watched.
expect "the watching path" "$(ctl is-active dtrace-export@calls.path)" active
echo 'hworld:::entry { @calls[probefunc] = count(); } END { printf("ended well\n"); }' >/etc/dtrace/export.d/calls.d
until_ok has dtrace_probes "$all"

# A process that is killed starts again.
kill -KILL "$(pgrep -x dtrace)"
restarted() { [ "$(state NRestarts)" = 1 ] && is active/running; }
until_ok restarted
until_ok has dtrace_probes "$all"

ctl stop dtrace-export@calls || fail "no stop"
expect "the state after stop" "$(state ActiveState)/$(state Result)" inactive/success
expect "the path after stop" "$(ctl is-active dtrace-export@calls.path)" inactive
pgrep -x dtrace >/dev/null && fail "a consumer is left"
expect "users of the module" "$(users)" "$before"
ctl list-units --failed --no-legend | grep . && fail "a unit has failed"
inside systemd-analyze --man=no verify dtrace-export@calls.service dtrace-export@calls.path dtrace-export-reload@calls.service >/tmp/verified 2>&1
grep dtrace-export /tmp/verified && fail "systemd has an objection"
exit 0
