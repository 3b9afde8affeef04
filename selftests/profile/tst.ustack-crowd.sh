# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that maps 3,500 files, more than dtrace keeps unwinding rows of, does not shorten the stacks of other users'
# programs; nor does it need a limit of its own to be walked.
# SECONDS: 200
. /src/selftests/lib/sh
gcc -O2 -o /tmp/crowd /src/selftests/profile/crowd.c || fail "gcc crowd.c"
gcc -x c -O1 -fomit-frame-pointer -shared -nostdlib -o /tmp/spin.so - <<'C' || fail "gcc spin"
long spin(long n) { for (volatile long i = 0; i < n; i++) ; return n; }
C
at=$(nm /tmp/spin.so | awk '$3 == "spin" { print $1 }')
victim() {
	gcc -x c -O2 -fomit-frame-pointer -o "/tmp/$1" - <<'C' || fail "gcc victim"
__attribute__((noipa)) long inner(long n) { for (volatile long i = 0; i < n; i++) ; return n; }
__attribute__((noipa)) long outer(long n) { return inner(n) + 1; }
int main(void) { for (;;) outer(100000); }
C
	"/tmp/$1" &
	pids="$! $pids"
}
mkdir -p /tmp/files
chmod 777 /tmp/files
# OBJECT gives the module the rows of a file.
trace /tmp/o -x statusrate=100ms -n 'profile-499 /arg1/ { @[execname, ustack()] = count(); }
	syscall::ioctl:entry /pid == $pid && arg1 == 0xc0286429/ { given++; } END { printf("given %d\n", given); }'
setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/crowd /tmp/spin.so "$at" /tmp/files >/tmp/said &
crowd=$!
pids=$crowd
trap 'kill $pids' EXIT
until_ok grep -q "all mapped" /tmp/said
victim first
sleep 3
victim second
sleep 3
end_trace
given=$(sed -n 's/^given //p' /tmp/o)
echo "$given files"
[ "$given" -gt 3000 ] || fail "dtrace has read $given files only"
for name in first second; do
	awk -v name="$name" '
		function judge() { if (is && sum) { all += sum; if (whole) good += sum } }
		/^$/ { judge(); is = whole = sum = 0 }
		$1 == name && NF == 1 { is = 1 }
		/`main/ { whole = 1 }
		/^ *[0-9]+$/ { sum = $1 }
		END { judge(); print name, good + 0, "of", all + 0; exit !(all > 200 && good > all * 0.9) }' /tmp/o ||
		fail "stacks of $name: $(grep -A8 "$name" /tmp/o | head -30; cat /tmp/o.err)"
done
