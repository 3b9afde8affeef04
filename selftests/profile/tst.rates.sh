# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a tick fires as often as its name says, never more, on one CPU; a profile probe on every CPU; both tell what
# was interrupted, and how late they are.
. /src/selftests/lib/sh
rm -f /tmp/o
dtrace -q -o /tmp/o -n '
BEGIN { began = timestamp; }
tick-10ms { ticks++; @where[cpu] = count(); }
profile-97 { @every[cpu] = count(); }
tick-100 /(arg0 == 0) == (arg1 == 0)/ { wrong++; }
profile-199 /(arg0 == 0) == (arg1 == 0)/ { wrong++; }
/* Late by no more than all the time that there was. */
profile-199 /arg2 > timestamp - '"$(python3 -c 'import time; print(time.monotonic_ns())')"'/ { wrong++; }
profile-199 /arg0 != 0 && arg0 < 0xffffffff80000000/ { wrong++; }
profile-199 /arg1 != 0 && arg1 >= 0x800000000000/ { wrong++; }
profile-199 { sampled++; }
tick-10ms /ticks >= 200/ { exit(0); }
END {
	printf("ticks %d most %d wrong %d sampled %d\n", ticks, (timestamp - began) / 10000000, wrong, sampled);
	printa("tick %d %@d\n", @where);
	printa("profile %d %@d\n", @every);
}' || fail "dtrace: $?"
cat /tmp/o
read -r _ ticks _ most _ wrong _ sampled </tmp/o
# They began before BEGIN: a span has one more of them than of their distances.
[ "$ticks" -le $((most + 1)) ] || fail "more ticks than time for them"
[ "$sampled" -ge 20 ] || fail "few samples"
expect "arguments are right" "$wrong" 0
expect "ticks on one CPU" "$(grep -c '^tick ' /tmp/o)" 1
expect "profile on all CPUs" "$(grep -c '^profile ' /tmp/o)" "$(nproc)"

# A process that computes is interrupted in it; an idle machine in the kernel.
taskset -c 1 bash -c 'while :; do :; done' &
busy=$!
user=$(dtrace -q -n "profile-499 /pid == $busy && arg1/ { n++; } profile-499 /n > 50/ { exit(0); } END { printf(\"%d\", n); }")
kernel=$(dtrace -q -n "profile-499 /pid == 0 && arg0 && !arg1/ { n++; } profile-499 /n > 50/ { exit(0); } END { printf(\"%d\", n); }")
kill $busy
[ "$user" -gt 50 ] || fail "user: $user"
[ "$kernel" -gt 50 ] || fail "kernel: $kernel"
