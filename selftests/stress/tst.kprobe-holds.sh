# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a kprobe on an enabled site, or on a return, keeps it from being disabled, even if the kprobe itself is
# disabled. As long as it is there dtrace.ko is in use, and the log says why; soon after the kprobe has gone, or the
# driver, dtrace.ko can be removed. Where a disabled kprobe was first, nothing is patched.
. /src/selftests/lib/sh
events=/sys/kernel/tracing/kprobe_events
held=/sys/kernel/tracing/events/kprobes/held
register() {
	echo "p:held $1" >$events || fail "no kprobe at $1"
}
hold() {
	register "$1"
	echo 1 >$held/enable || fail "kprobe not enabled"
}
let_go() {
	[ ! -e $held ] || echo 0 >$held/enable
	echo "-:held" >>$events || fail "kprobe stays"
}
is_held() {
	timeout 20 rmmod dtrace 2>/tmp/e && fail "dtrace.ko was removed while a kprobe leads to it"
	grep -q 'in use' /tmp/e || fail "rmmod: $(cat /tmp/e)"
	dmesg | grep "dtrace: $1 cannot be patched back" || fail "the log does not say why: $(dmesg | tail -5)"
	dmesg -C
}
for ends in kprobe disabled driver; do
	driver hworld
	trace /tmp/o -n 'hworld::: { @ = count(); }'
	# The address of the last site it looks at.
	site=$(python3 -c 'import runpy, sys
sys.argv[1:] = ["hworld"]
print(hex(runpy.run_path("/src/selftests/lib/site-bytes")["site"]))' | tail -1)
	case $ends in
	disabled) register "$site" ;;
	*) hold "$site" ;;
	esac
	end_trace
	is_held 'sdt: hworld:.*'
	cat /dev/hworld >/dev/null 2>&1
	case $ends in
	kprobe | disabled) let_go ;;
	driver) rmmod hworld || fail "rmmod hworld" ;;
	esac
	until_ok rmmod dtrace
	[ ! -e $held ] || echo 0 >$held/enable
	echo >$events
	insmod "$module" || fail "insmod"
done

# An event that is not enabled has a kprobe that is disabled. It knows the byte that was there when it was registered,
# and writes it when it is disabled again.
here="cat /proc/version"
first() {
	register "$1"
	dtrace -n "$2" -c "$here" >/tmp/o 2>&1
	grep 'another tracer' /tmp/o || fail "$2 is enabled over a kprobe: $(cat /tmp/o)"
	for value in 1 0; do
		echo $value >$held/enable || fail "enable $value"
		$here
	done
	let_go
	dtrace -n "$2" -c "$here" >/tmp/o 2>&1 || fail "$2 after the kprobe: $(cat /tmp/o)"
	! grep 'another tracer' /tmp/o || fail "$2 is not enabled although the kprobe has gone"
}
driver hworld
first "$site" 'hworld:::'
rmmod hworld || fail "rmmod hworld"

trace /tmp/o -n 'fbt::vfs_read:return { printf("%d\n", arg0); }'
cat /proc/version >/dev/null
until_ok grep -qx '[0-9][0-9]*' /tmp/o
return="vfs_read+$(grep -xm1 '[0-9][0-9]*' /tmp/o)"
hold "$return"
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
first "$return" 'fbt::vfs_read:return'
