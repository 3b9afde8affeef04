# SPDX-License-Identifier: GPL-2.0
# ASSERTION: tracepoints of modules are probes as soon as their module is there, with exact counts, all arguments and their
# types; they go with the module, also while they are enabled, and come back with it.
# SECONDS: 300
. /src/selftests/lib/sh
listed() { dtrace -lm points 2>/dev/null | awk '$2 == "sdt" { print $NF }' | sort | xargs; }
pass() { echo "$1" >/sys/module/points/parameters/pass || fail "pass $1"; }
expect "before" "$(listed)" ""
driver points
expect "there" "$(listed)" "points_one_tp points_two_tp"
rmmod points
expect "gone" "$(listed)" ""

# Modules come and go while their probes, and all others, are enabled.
trace /tmp/o -Z -n 'sdt:points::points_one_tp { @n = count(); @sum = sum((unsigned int)arg0); @text[stringof(arg1)] = count(); }' \
	-n 'sdt:points::points_two_tp { @seven[(int)arg0, (int)arg1, (int)arg4, (int)arg5, (int)arg6] = count(); }' \
	-n 'tick-1s { printa("passed %@d\n", @n); } END { printa("n %@d\n", @n); printa("sum %@d\n", @sum); printa("%s %@d\n", @text); printa("%d %d %d %d %d: %@d\n", @seven); }'
has_passed() { grep -qx "passed $1" /tmp/o; }
for n in 1 2 3; do
	driver points
	pass 1000
	# What the last round left is not lost with the module.
	until_ok has_passed $((n * 1000))
	rmmod points || fail "rmmod while enabled"
done
driver points
end_trace
expect "counts" "$(sed -n '/^n /,$p' /tmp/o | grep .)" "n 3000
sum $((3 * 1000 * 999 / 2))
a text 3000
1 2 5 6 7: 3"
trace /tmp/o -n 'sdt::: { @[probemod] = count(); }'
pass 10
rmmod points || fail "rmmod with all enabled"
driver points
pass 100
end_trace
expect "all enabled" "$(awk '$1 == "points" { print $2 }' /tmp/o)" 112
for n in 1 2 3 4 5 6 7 8; do
	trace /tmp/o -n 'sdt:points:: { @ = count(); }'
	kill -9 "$tracer"
	wait "$tracer" 2>/dev/null
	rmmod points || fail "rmmod"
	driver points
done
rmmod points
dmesg | grep -A5 'WARNING\|BUG' && fail "the kernel complains"

# As a module of Debian's declares them.
modprobe kvm || fail "modprobe kvm"
dtrace -lvn 'sdt:kvm::kvm_entry' >/tmp/o || fail "listing"
expect "types" "$(grep 'args\[' /tmp/o | tr -d '\t\n')" "args[0]: struct kvm_vcpu *args[1]: bool"
