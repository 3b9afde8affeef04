# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a kprobe on an enabled site, or on a return, keeps it from being disabled. As long as it is there dtrace.ko
# is in use, and the log says why; soon after the kprobe has gone, or the driver, dtrace.ko can be removed.
. /src/selftests/lib/sh
events=/sys/kernel/tracing/kprobe_events
held=/sys/kernel/tracing/events/kprobes/held
hold() {
	echo "p:held $1" >$events || fail "no kprobe at $1"
	echo 1 >$held/enable || fail "kprobe not enabled"
}
let_go() {
	echo 0 >$held/enable
	echo "-:held" >>$events || fail "kprobe stays"
}
is_held() {
	timeout 20 rmmod dtrace 2>/tmp/e && fail "dtrace.ko was removed while a kprobe leads to it"
	grep -q 'in use' /tmp/e || fail "rmmod: $(cat /tmp/e)"
	dmesg | grep "dtrace: $1 cannot be patched back" || fail "the log does not say why: $(dmesg | tail -5)"
	dmesg -C
}
for ends in kprobe driver; do
	driver hworld
	trace /tmp/o -n 'hworld::: { @ = count(); }'
	# The address of the last site it looks at.
	site=$(python3 -c 'import runpy, sys
sys.argv[1:] = ["hworld"]
print(hex(runpy.run_path("/src/selftests/lib/site-bytes")["site"]))' | tail -1)
	hold "$site"
	end_trace
	is_held 'sdt: hworld:.*'
	cat /dev/hworld >/dev/null 2>&1
	case $ends in
	kprobe) let_go ;;
	driver) rmmod hworld || fail "rmmod hworld" ;;
	esac
	until_ok rmmod dtrace
	[ ! -e $held ] || echo 0 >$held/enable
	echo >$events
	insmod "$module" || fail "insmod"
done

trace /tmp/o -n 'fbt::vfs_read:return { printf("%d\n", arg0); }'
cat /proc/version >/dev/null
until_ok grep -qx '[0-9][0-9]*' /tmp/o
hold "vfs_read+$(grep -xm1 '[0-9][0-9]*' /tmp/o)"
end_trace
is_held '1 places in kernel text'
cat /proc/version >/dev/null
# Who traces it again takes it over.
trace /tmp/o -n 'fbt::vfs_read:return { @ = count(); }'
cat /proc/version >/dev/null
end_trace
[ "$(tail -1 /tmp/o)" -gt 0 ] || fail "does not fire: $(cat /tmp/o /tmp/o.err)"
let_go
until_ok rmmod dtrace
insmod "$module" || fail "insmod"
