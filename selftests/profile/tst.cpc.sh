# SPDX-License-Identifier: GPL-2.0
# ASSERTION: cpc fires each time that a CPU has counted so many events: exactly where the kernel counts them one by one, by
# the clock else, with stacks of what was interrupted; on CPUs that come; and what cannot be counted says why.
# SECONDS: 120
. /src/selftests/lib/sh
rmmod dtrace && insmod "$module" || fail "reload"
export LC_ALL=C
usual=$(dtrace -l -P cpc | awk 'NR > 1 { print $NF }' | sort)
for name in cpu_clock-all-1000000000 task_clock-all-1000000000 page_faults-all-100 context_switches-all-100 \
	cpu_migrations-all-100 minor_faults-all-100 major_faults-all-100; do
	grep -qx -- "$name" <<<"$usual" || fail "$name is not listed: $usual"
done
expect "made when asked for" "$(dtrace -l -n 'cpc:::faults-user-7' | awk 'NR > 1 { print $2, $3 }')" "cpc faults-user-7"
dtrace -lv -n cpc:::page_faults-all-100 | grep -q 'Evolving' || fail "stability"

refused() {
	dtrace -e -n "$1" >/tmp/o 2>&1 && fail "$1 is there"
	grep -q "$2" /tmp/o || { cat /tmp/o; fail "$1"; }
}
refused cpc:::nosuch-all-10000 'no event has this name'
refused cpc:::cpu_clock-idle-1000000 'the mode is one of'
refused cpc:::cpu_clock-all-1000 'smallest count of a clock is 200000'
refused cpu_cycles-all-100 'smallest count of an event of the processor is 5000'
refused cpc:::cs-user-1 'this event happens'
refused cpc:::cpu_cycles-all-0x7-10000 'no mask here'
refused cpc:::page_faults-all-0 'a count that is not 0'
refused cpc:::page_faults 'EVENT-MODE-COUNT'
# This guest has no counters of the processor, unless it is given some.
if ! grep -q cpu_cycles <<<"$usual"; then
	for name in PAPI_tot_cyc-all-10000000 cpc:::instructions-user-5000 cpc:::r01c2-all-10000 cpc:::LLC-load-misses-all-5000; do
		refused "$name" 'this machine'
	done
fi

# Each page of memory that is touched for the first time is a fault of the process; what it returns is that of /proc.
cat >/tmp/touch.c <<'C'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
static long faults(void) { struct rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_minflt + r.ru_majflt; }
int main(void)
{
	char *p = mmap(0, 3000 << 12, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before, i;

	madvise(p, 3000 << 12, MADV_NOHUGEPAGE);
	before = faults();
	for (i = 0; i < 3000; i++)
		p[i << 12] = 1;
	printf("%ld\n", faults() - before);
}
C
gcc -O2 -o /tmp/touch /tmp/touch.c || fail "gcc"
dtrace -q -n '
	cpc:::page_faults-user-1 /execname == "touch"/ { @one = count(); @user = sum(arg1 != 0); @[arg1 & 0xfff] = count(); }
	cpc:::page_faults-all-100 { @hundred = count(); }
	vminfo:::as_fault /execname == "touch"/ { @faults = count(); }
	END { printa("one %@d user %@d faults %@d hundred %@d\n", @one, @user, @faults, @hundred); }' -c 'taskset -c 1 /tmp/touch' >/tmp/o || fail "faults"
read -r _ one _ user _ faults _ hundred <<<"$(grep ^one /tmp/o)"
[ "$one" -ge 3000 ] && [ "$user" = "$one" ] && [ "$hundred" -ge 30 ] || { cat /tmp/o; fail "faults"; }
# The loop has one store, or a few.
[ "$(awk 'NF == 2 && $2 >= 300 { n += $2 } END { print n + 0 }' /tmp/o)" -ge 3000 ] || { cat /tmp/o; fail "where they came"; }

# If a clock fires more often than perf allows, it misses some; dtrace says so.
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
echo 500 >/proc/sys/kernel/perf_event_max_sample_rate || fail "the rate"
dtrace -q -n 'cpc:::cpu_clock-all-200000 { @ = count(); } tick-2s { exit(0); }' >/tmp/o 2>&1 || fail "pauses"
echo "$rate" >/proc/sys/kernel/perf_event_max_sample_rate
grep -qE '[1-9][0-9]* pauses? of probes' /tmp/o || { cat /tmp/o; fail "pauses without a word"; }

# The kernel counts each switch of a CPU to another thread, as the scheduler's tracepoint does.
dtrace -q -n '
	cpc:::context_switches-all-1 { @[cpu] = count(); @cs = count(); @kernel = sum(arg0 != 0 && arg1 == 0); }
	cpc:::context_switches-kernel-10 { @tens = count(); }
	cpc:::cs-all-1 /pid == $target/ { @stacks[stack(3)] = count(); }
	sched:::off-cpu { @off = count(); }
	tick-2s { exit(0); }
	END { printa("cs %@d kernel %@d tens %@d off %@d\n", @cs, @kernel, @tens, @off); }' \
	-c 'sh -c "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.01; done"' >/tmp/o || fail "switches"
read -r _ cs _ kernel _ tens _ off <<<"$(grep ^cs /tmp/o)"
# Both are enabled one after the other.
[ "$cs" -gt 20 ] && [ "$kernel" = "$cs" ] && [ $((off > cs ? off - cs : cs - off)) -le 8 ] || { cat /tmp/o; fail "switches"; }
[ $((cs / 10 - tens)) -le 4 ] && [ $((tens - cs / 10)) -le 2 ] || { cat /tmp/o; fail "tens"; }
grep -qE '(__)?schedule' /tmp/o || { cat /tmp/o; fail "stacks of switches"; }

# Clocks: both CPUs, user and kernel apart, and the stack is that of what was interrupted.
cat >/tmp/spin.c <<'C'
#include <unistd.h>
int main(void) { for (;;) { for (volatile int i = 0; i < 100000; i++); getppid(); } }
C
gcc -O1 -o /tmp/spin /tmp/spin.c || fail "gcc"
for cpu in 0 1; do taskset -c $cpu /tmp/spin & done
dtrace -q -n '
	cpc:::cpu_clock-all-1000000 { @all[cpu] = count(); @both = sum(arg0 != 0 && arg1 != 0); @none = sum(!arg0 && !arg1); }
	cpc:::cpu_clock-user-1000000 { @user = sum(arg0 != 0); @spin[execname, ufunc(arg1)] = count(); }
	cpc:::cpu_clock-kernel-1000000 { @kernel = sum(arg1 != 0); @same = sum(arg0 == caller || 1); }
	cpc:::task_clock-all-1000000 { @task[cpu] = count(); @ipl[ipl] = count(); }
	cpc:::task_clock-user-2000000 /execname == "spin"/ { @u[ustack(1)] = count(); n++; }
	cpc:::task_clock-user-2000000 /n > 300/ { exit(0); }
	END { printa("all %d %@d\n", @all); printa("task %d %@d\n", @task); printa("ipl %d %@d\n", @ipl);
		printa("wrong %@d %@d %@d %@d\n", @both, @none, @user, @kernel); printa("spin %s %A %@d\n", @spin); printa(@u); }' >/tmp/o || fail "clocks"
kill $(jobs -p)
for cpu in 0 1; do
	for clock in all task; do
		[ "$(awk "/^$clock $cpu / { print \$3 }" /tmp/o)" -gt 20 ] || { cat /tmp/o; fail "$clock on CPU $cpu"; }
	done
done
grep -q '^wrong 0 0 0 0' /tmp/o || { cat /tmp/o; fail "user and kernel"; }
expect "in interrupts" "$(awk '/^ipl/ { print $2 }' /tmp/o)" 2
grep -q 'spin`main' /tmp/o || { cat /tmp/o; fail "ustack"; }

# A CPU that goes and comes counts again.
online=/sys/devices/system/cpu/cpu1/online
trap 'echo 1 >$online' EXIT
trace /tmp/o -n 'cpc:::cpu_clock-all-10000000 { @[cpu] = count(); } cpc:::context_switches-all-1 { @cs[cpu] = count(); }
	tick-5hz { printa("clock %d %@d.\n", @); printa("cs %d %@d.\n", @cs); clear(@); clear(@cs); printf("-\n"); }'
counts() { until_ok bash -c "tail -n +$(($(wc -l </tmp/o) + 8)) /tmp/o | grep -qE '^$1 1 [1-9][0-9]*\.'"; }
counts clock
counts cs
for round in 1 2 3; do
	echo 0 >$online || fail "offline"
	from=$(wc -l </tmp/o)
	until_ok bash -c "[ \$(tail -n +$from /tmp/o | grep -c '^-') -ge 4 ]"
	tail -n 4 /tmp/o | grep -qE '^(clock|cs) 1 [1-9]' && { tail /tmp/o; fail "CPU 1 counts while it is off"; }
	echo 1 >$online || fail "online"
	counts clock
	counts cs
done
end_trace || fail "dtrace: $?"
# Nobody has stopped them.
(while :; do echo 0 >$online; echo 1 >$online; done) 2>/dev/null &
toggler=$!
for round in $(seq 6); do
	taskset -c 0 dtrace -q -n 'cpc:::cpu_clock-all-500000, cpc:::page_faults-all-1, cpc:::cs-all-1 { @ = count(); } tick-20 { exit(0); }' >/dev/null || fail "round $round"
done
kill $toggler
wait $toggler 2>/dev/null
echo 1 >$online 2>/dev/null

# A consumer that is killed; then everything goes.
dtrace -q -n 'cpc:::cpu_clock-all-200000, cpc:::page_faults-all-1, cpc:::cs-all-1 { @[stack(), ustack()] = count(); }' >/dev/null &
tracer=$!
sleep 1
kill -9 $tracer
wait $tracer 2>/dev/null
until_ok rmmod dtrace
insmod "$module" || fail insmod
dmesg | grep -E 'cpc|BUG|WARNING' | grep -vE 'TEST profile' && fail "the kernel's log"
exit 0
