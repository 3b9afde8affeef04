# SPDX-License-Identifier: GPL-2.0
# ASSERTION: functions that a livepatch has replaced have no entry or return probes, and dtrace says so; nor has a system
# call that such a function serves. The new functions have them, and when the livepatch is gone the old ones have theirs.
# SECONDS: 240
. /src/selftests/lib/sh
patch=/sys/kernel/livepatch/livepatched
words="a livepatch has replaced it; trace the new function, in the module that has it"
shown() { cat /proc/cmdline >/dev/null && python3 -I -S -c 'import os; os.getppid()'; }
# firings PROBE: how often it fires at least, while both functions run.
firings() {
	trace /tmp/o -n "$1 { @ = count(); } END { printa(\"%@d\n\", @); }"
	shown || fail "the functions"
	end_trace
	[ ! -s /tmp/o.err ] || fail "$1: $(cat /tmp/o.err)"
	sed -n 2p /tmp/o
}
fires() { [ "$(firings "$1")" -gt 0 ] || fail "$1 does not fire"; }
refused() {
	dtrace -qn "$1 { @ = count(); }" -c true >/tmp/o 2>&1 && fail "$1 is enabled: $(cat /tmp/o)"
	grep -qF "$words" /tmp/o || fail "$1: $(cat /tmp/o)"
}
all() {
	for which in fbt:vmlinux:cmdline_proc_show fbt:vmlinux:__x64_sys_getppid syscall::getppid; do
		for name in entry return; do "$@" $which:$name; done
	done
}
all fires
driver livepatched
until_ok grep -q 0 $patch/transition
expect "what runs" "$(cat /proc/cmdline)" livepatched
all refused
for name in entry return; do
	fires fbt:livepatched:livepatched_cmdline:$name
	fires fbt:livepatched:livepatched_getppid:$name
done
# Others of the same description are traced.
trace /tmp/o -n 'fbt:vmlinux:*_proc_show: { @[probefunc, probename] = count(); }'
shown && cat /proc/version >/dev/null || fail "the functions"
end_trace
expect "those left out" "$(grep -c "cmdline_proc_show:.*: $words" /tmp/o.err)" 2
grep -q "^ *version_proc_show *return" /tmp/o || fail "version_proc_show: $(cat /tmp/o)"
grep -q cmdline_proc_show /tmp/o && fail "$(cat /tmp/o)"

# The livepatch goes. A traced new function must not keep it.
echo 0 >$patch/enabled || fail "the livepatch stays"
until_ok test ! -e $patch
until_ok rmmod livepatched
all fires

# By breakpoints, which need no ftrace.
with_module fbt_int3=1
driver livepatched
until_ok grep -q 0 $patch/transition
all refused
echo 0 >$patch/enabled || fail "the livepatch stays"
until_ok test ! -e $patch
until_ok rmmod livepatched
