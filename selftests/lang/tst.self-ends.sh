# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a thread that ends leaves no self-> variable behind, of no kind: hundreds of them fit where some dozen do.
# SECONDS: 180
. /src/selftests/lib/sh
cat >/tmp/ends.d <<'D'
#pragma D option quiet
#pragma D option dynvarsize=40k
fbt::begin_new_exec:entry
{
	self->number = 1; self->text = strjoin(execname, " of some length, so that it needs more than one unit of memory");
	self->array[1, "x"] = 1; self->array[2, "y"] = 2; self->texts[pid] = execname;
	@ = count();
}
END { printa("threads %@d\n", @); }
D
trace /tmp/out -s /tmp/ends.d
for round in $(seq 10); do
	(for n in $(seq 30); do /bin/true & done; wait)
	# The kernel is in no hurry to free them: membarrier(2) waits for a grace period.
	python3 -c 'import ctypes
for _ in range(5): ctypes.CDLL(None).syscall(324, 1, 0, 0)'
	sleep 0.5
done
end_trace
cat /tmp/out /tmp/out.err
[ "$(sed -n 's/^threads //p' /tmp/out)" -ge 300 ] || fail "too few threads"
[ -s /tmp/out.err ] && fail "drops: what ended threads had is still there"
true
