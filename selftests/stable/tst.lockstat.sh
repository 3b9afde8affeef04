# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a lock of the kernel that is acquired is released as often, by each of its kinds; who waits for one is told of, with
# the lock and the time.
. /src/selftests/lib/sh
# A mutex is reported as acquired while it is still free. Under PREEMPT_RT it is an rt_mutex, and the thread has it then.
wrong='(args[0]->owner.counter & ~7) != 0'
mutex=32 waits='lockstat:::adaptive-block, lockstat:::adaptive-spin'
case $(uname -v) in
*PREEMPT_RT*)
	wrong='((uintptr_t)args[0]->rtmutex.owner & ~1) != (uintptr_t)curthread'
	mutex=8 waits='lockstat:::adaptive-block'
	;;
esac
cat >/tmp/locks.py <<'P'
import mmap, os
r, w = os.pipe()
for n in range(2000): os.write(w, b"x"); os.read(r, 1)
for n in range(500): mmap.mmap(-1, 4096).close()
P
# The locks that the program takes most: those of its pipe and of its memory, which nobody else wants.
dtrace -qn '
	lockstat:::adaptive-acquire /pid == $target/ { @m[arg0] = sum(1); @wrong = sum('"$wrong"'); }
	lockstat:::adaptive-release /pid == $target/ { @m[arg0] = sum(-1); @mutex[arg0] = count(); }
	lockstat:::spin-acquire /pid == $target && !ipl/ { @s[arg0] = sum(1); }
	lockstat:::spin-release /pid == $target && !ipl/ { @s[arg0] = sum(-1); @spin[arg0] = count(); }
	lockstat:::rw-acquire /pid == $target && !ipl/ { @r[arg0] = sum(1); }
	lockstat:::rw-release /pid == $target && !ipl/ { @r[arg0] = sum(-1); @rw[arg0] = count(); }
	lockstat:::rw-acquire /pid == $target && arg0 == (uintptr_t)&curthread->mm->mmap_lock/ { @mm["acquire", arg1] = count(); }
	lockstat:::rw-release /pid == $target && arg0 == (uintptr_t)&curthread->mm->mmap_lock/ { @mm["release", arg1] = count(); }
	lockstat:::rw-downgrade /pid == $target && arg0 == (uintptr_t)&curthread->mm->mmap_lock/ { @mm["downgrade", 0] = count(); }
	END { printa("mutex %d %@d %@d\n", @mutex, @m); printa("spin %d %@d %@d\n", @spin, @s); printa("rw %d %@d %@d\n", @rw, @r);
		printa("mm %s %d %@d\n", @mm); printa("wrong %@d\n", @wrong); }' -c 'taskset -c 1 python3 /tmp/locks.py' >/tmp/o || fail dtrace
# The lock that was released most; how often it was not.
most() { awk -v k="$1" '$1 == k && $3 > n { n = $3; left = $4 } END { print n, left }' /tmp/o; }
for kind in mutex spin rw; do
	read -r n left <<<"$(most $kind)"
	# The program begins and ends within some.
	[ "$n" -ge 1000 ] && [ "$left" -ge -3 ] && [ "$left" -le 3 ] || { sort -k3n /tmp/o | tail -30; fail "$kind: $n released, $left more acquired"; }
done
[ "$(awk '/^mutex/ && $3 >= 4000 { n++ } END { print n + 0 }' /tmp/o)" -ge 1 ] || { cat /tmp/o; fail "the pipe's mutex"; }
mm() { awk -v a="$1" -v k="$2" '$1 == "mm" && $2 == a && $3 == k { print $4 }' /tmp/o; }
[ "$(mm acquire 0)" -ge 1000 ] || { grep ^mm /tmp/o; fail "the memory's lock as a writer"; }
left=$(($(mm acquire 0) - $(mm release 0) - $(mm downgrade 0)))
[ $left -ge -3 ] && [ $left -le 3 ] || { grep ^mm /tmp/o; fail "a writer's acquires, releases and downgrades"; }

# Parameters of a module have one mutex: the second one to set one waits as long as the first needs. While it does, the CPU
# where it waits has other work, so that it sleeps in the end.
driver many
cat >/tmp/wait.d <<D
#pragma D option quiet
BEGIN { printf("ready\\n"); }
$waits { @n[probename] = count(); }
$waits /execname == "setter"/ { @t[probename, arg0] = max(arg1); @a[arg0] = sum(-1); }
lockstat:::adaptive-acquire /execname == "setter"/ { @a[arg0] = sum(1); @got[arg0] = count(); }
lockstat:::adaptive-release /execname == "setter"/ { @a[arg0] = sum(0); @let[arg0] = count(); }
sdt:::contention_begin /execname == "setter" && args[1] & $mutex/ { @begun[arg0] = count(); }
END { printa("wait %s %d %@d\\n", @t); printa("got %d %@d %@d\\n", @got, @let); }
D
cp "$(command -v bash)" /tmp/setter
dtrace -s /tmp/wait.d >/tmp/o 2>/tmp/err &
tracer=$!
until_ok grep -q ready /tmp/o
for cpu in 0 1; do
	taskset -c $cpu /tmp/setter -c 'for n in 1 2 3 4 5 6 7 8; do echo 300000 >/sys/module/many/parameters/fire; done' &
	setters+=" $!"
	taskset -c $cpu bash -c 'while :; do :; done' &
	spinners+=" $!"
done
wait $setters
kill $spinners
end_trace || fail "dtrace: $(cat /tmp/err)"
read -r lock time <<<"$(awk '/^wait/ && $4 > n { n = $4; lock = $3 } END { print lock, n }' /tmp/o)"
[ "${time:-0}" -gt 1000 ] || { cat /tmp/o; fail "nobody waited"; }
read -r got let <<<"$(awk -v l="$lock" '$1 == "got" && $2 == l { print $3, $4 }' /tmp/o)"
[ "$got" = "$let" ] && [ "$got" -ge 16 ] || { cat /tmp/o; fail "the lock that was waited for: $got acquired, $let released"; }

# There, who waits for the readers or as one waits for a part of the lock within: that is no mutex.
case $waits in *spin*) exit 0 ;; esac
cat >/tmp/readers.py <<'P'
import mmap, os, threading, time
pid, end = os.getpid(), time.time() + 4
def write():
    while time.time() < end: mmap.mmap(-1, 4096).close()
for n in range(2):
    if os.fork() == 0:
        os.sched_setaffinity(0, {n})
        while time.time() < end:
            with open(f"/proc/{pid}/cmdline") as f: f.read()
        os._exit(0)
threads = [threading.Thread(target=write) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
P
dtrace -qn '
	sdt:::contention_begin /(args[1] & 10) == 10/ { self->lock = arg0; }
	sdt:::contention_begin /self->lock && arg0 == self->lock + 8/ { @n["inner"] = count(); }
	lockstat:::adaptive-block /self->lock && arg0 == self->lock + 8/ { @n["wrong"] = count(); }
	sdt:::contention_begin /(args[1] & 14) == 8/ { @n["all"] = count(); }
	sysinfo:::mutex_adenters { @n["adenters"] = count(); }
	sdt:::contention_end /self->lock == arg0/ { self->lock = 0; }
	END { printa("%s %@d\n", @n); }' -c 'python3 /tmp/readers.py' >/tmp/o || fail dtrace
n() { awk -v k="$1" '$1 == k { n = $2 } END { print n + 0 }' /tmp/o; }
[ "$(n inner)" -ge 10 ] || { cat /tmp/o; fail "hardly a reader waited"; }
expect "waits of readers that count as those for a mutex" "$(n wrong)" 0
# Tracing begins and ends within some.
left=$(($(n all) - $(n inner) - $(n adenters)))
[ $left -ge -3 ] && [ $left -le 3 ] || { cat /tmp/o; fail "mutex_adenters"; }
