# SPDX-License-Identifier: GPL-2.0
# ASSERTION: vtimestamp is the thread's time on CPUs: as getrusage has it, not while it sleeps, never back, and without what its probes took.
# SECONDS: 180
. /src/selftests/lib/sh
cat >/tmp/work.py <<'P'
import os, sys, threading, time
def spend(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
# A stretch begins and ends with a call of getppid.
def stretch(what, *args):
    os.getppid(); a = time.thread_time_ns()
    what(*args)
    b = time.thread_time_ns(); os.getppid()
    print(b - a, flush=True)
spend(0.3)
stretch(spend, 0.5)
for _ in range(3): stretch(time.sleep, 0.5)
stretch(os.getpgid, 0)
# While others want the same CPU, and from one CPU to the other.
def move(n):
    for i in range(300):
        os.sched_setaffinity(0, {(i + n) % 2})
        for _ in range(3): os.getpriority(os.PRIO_PROCESS, 0)
        if i % 50 == 0: time.sleep(0.002)
threads = [threading.Thread(target=move, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
P
cat >/tmp/vtime.d <<'D'
#pragma D option quiet
#pragma D option destructive
self uint64_t v, t, last;
self int done;
syscall::getppid:entry /pid == $target && self->v/
	{ printf("%d %d\n", vtimestamp - self->v, timestamp - self->t); self->v = 0; self->done = 1; }
syscall::getppid:entry /pid == $target && !self->done/ { self->v = vtimestamp; self->t = timestamp; }
syscall::getppid:entry { self->done = 0; }
syscall::getpgid:entry /pid == $target/ { chill(200000000); }
syscall::getpriority: /pid == $target/ { this->v = vtimestamp; }
syscall::getpriority: /pid == $target && this->v < self->last/ { printf("back %d\n", self->last - this->v); }
syscall::getpriority: /pid == $target/ { self->last = this->v; @n = count(); @cpus[cpu] = count(); }
syscall::getpriority: /pid == $target && vtimestamp != this->v/ { printf("moves in a firing\n"); }
END { printa("calls %@d\n", @n); printa("cpu %d %@d\n", @cpus); }
D
dtrace -s /tmp/vtime.d -c "python3 /tmp/work.py" -o /tmp/traced >/tmp/said 2>/tmp/err || { cat /tmp/err; fail "dtrace"; }
cat /tmp/said /tmp/traced /tmp/err
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
# percent WHAT TRACED SAID: within 5 %, or 3 ms
near() { awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d < 3e6 || d < b / 20) }' || fail "$1: $2, but the process says $3"; }
line() { grep '^[0-9]' "$1" | sed -n "$2p"; }
set -- $(line /tmp/traced 1); near "busy" "$1" "$(line /tmp/said 1)"
[ "$1" -gt 400000000 ] || fail "too little: $1"
# While its CPU waits for a busy host the kernel takes that for time of the thread: the least of three.
set -- $(grep '^[0-9]' /tmp/traced | sed -n '2,4p' | sort -n | head -1)
[ "$2" -gt 450000000 ] && [ "$1" -lt 50000000 ] || fail "asleep for $2 ns, and vtimestamp went on by $1"
set -- $(line /tmp/traced 5)
[ "$2" -gt 200000000 ] && [ "$1" -lt 100000000 ] || fail "of $2 ns, 200000000 in a probe, vtimestamp counts $1"
grep '^back\|^moves' /tmp/traced && fail "not monotone"
expect "calls" "$(sed -n 's/^calls //p' /tmp/traced)" 7200
expect "CPUs" "$(grep -c '^cpu' /tmp/traced)" 2
# A killed consumer leaves nothing behind that keeps the module loaded or outlives it.
for n in 1 2 3; do
	trace /tmp/out -n 'syscall:::entry { @[execname] = max(vtimestamp); }'
	kill -9 "$tracer"; wait "$tracer" 2>/dev/null
	# Seen once: in use directly after that. What holds it is in the output.
	rmmod dtrace || {
		echo "held $(cat /sys/module/dtrace/refcnt) times, open in: $(find /proc/[0-9]*/fd -lname '*dtrace*' 2>/dev/null)"
		dmesg | tail -3
		until_ok rmmod dtrace
	}
	/bin/true && insmod "$module" || fail "reload"
done
