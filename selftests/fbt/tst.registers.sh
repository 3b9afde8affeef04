# SPDX-License-Identifier: GPL-2.0
# ASSERTION: regs[] are the processor's registers where the probe is: all of them at a breakpoint and in an interrupt; what is
# known of them where a probe is called; those that nobody has kept are a fault.
. /src/selftests/lib/sh
driver shapes
regs="R_R15 R_R14 R_R13 R_R12 R_RBP R_RBX R_R11 R_R10 R_R9 R_R8 R_RAX R_RCX R_RDX R_RSI R_RDI R_ERR R_RIP R_CS R_RFL R_RSP R_SS"
# known PROBE: which registers have a value there, by names.
known() {
	for r in $regs; do
		printf '%s { n = %s; printf("%s %%x\\n", regs[n]); } ' "$1" "$r" "$r"
	done >/tmp/known.d
	rm -f /tmp/out
	dtrace -qs /tmp/known.d -o /tmp/out -c 'sh -c "echo 1 >/proc/shapes"' 2>/tmp/err || fail "$1: $(cat /tmp/err)"
	# Some of these functions are called more than once.
	awk '/^R_/ && !seen[$1]++ { printf "%s ", $1 }' /tmp/out
	faults=$(sed -n 's/.* enabled probe ID \([0-9]*\) .*invalid address (0x0) in action.*/\1/p' /tmp/err | sort -u | wc -l)
	[ $(($(sed -n 's/^\(R_[A-Z0-9]*\) .*/\1/p' /tmp/out | sort -u | wc -l) + faults)) = 21 ] || fail "$1: $(cat /tmp/out /tmp/err)"
}
expect "by a call, where it begins" "$(known fbt:shapes:shape_plain:entry)" "R_R9 R_R8 R_RCX R_RDX R_RSI R_RDI R_RIP R_RSP "
expect "by a call, where it returns" "$(known fbt:shapes:shape_loop:return)" "R_RAX R_RIP R_RSP "
expect "by a breakpoint, where it begins" "$(known fbt:shapes:shape_push:entry)" "$regs "
expect "by a breakpoint, where it returns" "$(known fbt:shapes:shape_plain:return)" "$regs "
expect "in BEGIN" "$(dtrace -qn 'BEGIN { trace(regs[R_RIP]); } ERROR { printf("fault %d %d", arg4, arg5); exit(0); }' 2>/dev/null)" "fault 1 0"
expect "no such register" "$(dtrace -qn 'BEGIN { n = 21; trace(regs[n]); } ERROR { printf("fault %d", arg4); exit(0); }' 2>/dev/null)" "fault 3"
dtrace -qn 'BEGIN { trace(regs[21]); }' 2>/tmp/err && fail "regs[21]"
grep -q 'index 21 is out of range for regs\[21\]' /tmp/err || fail "$(cat /tmp/err)"

# What they are: the arguments, the value, where it is, and the return address on the stack.
for f in displaced push ten; do
	rm -f /tmp/out
	dtrace -qn "fbt:shapes:shape_$f:entry /regs[R_RDI] == arg0 && *(uint64_t *)regs[R_RSP] == caller/
		{ printf(\"entry %a %d %d\\n\", regs[R_PC], regs[R_RSI] == arg1, regs[R_R9] == arg5); }
		fbt:shapes:shape_$f:return /regs[R_RAX] == arg1 && *(uint64_t *)regs[R_SP] == caller/ { printf(\"return %d\\n\", regs[R_RIP] - (arg0 + (uint64_t)&shapes\`shape_$f)); }" \
		-o /tmp/out -c 'sh -c "echo 1 >/proc/shapes"' 2>/tmp/err || fail "$f: $(cat /tmp/err)"
	expect "$f" "$(sed "s/+0x4//" /tmp/out | grep . | sort -u)" "entry shapes\`shape_$f 1 1
return 0"
done
dtrace -qn 'profile-997 /arg0/ { kernel++; } profile-997 /arg1/ { user++; }
	profile-997 /arg0 && (regs[R_RIP] != arg0 || regs[R_CS] & 3)/ { wrong++; }
	profile-997 /arg1 && (regs[R_RIP] != arg1 || regs[R_SP] != uregs[R_SP] || (regs[R_CS] & 3) != 3)/ { wrong++; }
	profile-997 /user > 3 && kernel > 3/ { exit(0); } END { printf("%d", wrong); }' >/tmp/out 2>/tmp/err \
	-c 'sh -c "while :; do :; done"' || fail "profile: $(cat /tmp/err)"
expect "in an interrupt" "$(cat /tmp/out /tmp/err)" 0
