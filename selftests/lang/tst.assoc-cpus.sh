# SPDX-License-Identifier: GPL-2.0
# ASSERTION: on two CPUs at once elements with keys of their own count exactly, strings of a common one are whole, nothing is dropped.
# SECONDS: 120
. /src/selftests/lib/sh
cat >/tmp/own.d <<'D'
#pragma D option quiet
inline string ONE = "1111111111111111111111111111111111111111111111111111111111111111111111111111111111";
inline string TWO = "22222222222222222222222222222222222222222222";
fbt::vfs_read:entry /execname == "one" || execname == "two"/
{
	n[pid, "reads"]++;
	self->mine[n[pid, "reads"] % 50] = timestamp;
	text["both", 1] = execname == "one" ? ONE : TWO;
	this->seen = text["both", 1];
	@reads[execname] = count();
	@n[execname] = max(n[pid, "reads"]);
}
fbt::vfs_read:entry /this->seen != ONE && this->seen != TWO && this->seen != ""/ { @bad["torn"] = count(); }
fbt::vfs_read:entry /execname == "one" && self->mine[n[pid, "reads"] % 50] == 0/ { @bad["lost"] = count(); }
fbt::vfs_read:entry /execname == "one" || execname == "two"/
{
	text["both", 1] = 0;
	self->mine[(n[pid, "reads"] + 25) % 50] = 0;
}
END { printa("bad %s %@d\n", @bad); printa("reads %s %@d\n", @reads); printa("n %s %@d\n", @n); }
D
trace /tmp/out -x dynvarsize=64k -s /tmp/own.d
cp /bin/dd /tmp/one; cp /bin/dd /tmp/two
taskset -c 0 /tmp/one if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null &
one=$!
taskset -c 1 /tmp/two if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
wait $one
end_trace
cat /tmp/out /tmp/out.err
for name in one two; do
	reads=$(sed -n "s/^reads $name //p" /tmp/out)
	[ "${reads:-0}" -ge 20000 ] || fail "$name: ${reads:-no} reads"
	expect "elements of $name" "$(sed -n "s/^n $name //p" /tmp/out)" "$reads"
done
grep -q '^bad' /tmp/out && fail "torn or lost"
[ -s /tmp/out.err ] && fail "drops"
true
