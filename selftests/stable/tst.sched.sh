# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a thread that goes and comes does each as often; who sleeps, is woken, gets another priority is told of with the right
# arguments; the CPU's clock ticks.
. /src/selftests/lib/sh
cat >/tmp/naps.py <<'P'
import os, time
for i in range(40): time.sleep(0.002)
os.nice(3)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(7))
P
cat >/tmp/naps.d <<'D'
#pragma D option quiet
sched:::off-cpu /pid == $target/ { @["off"] = count(); self->left = timestamp; self->next = args[0]->pr_addr; }
sched:::off-cpu /pid == $target && args[1]->pr_pid == pid && args[0]->pr_lwpid == tid/ { @["to itself"] = count(); }
sched:::on-cpu /pid == $target/ { @["on"] = count(); }
sched:::on-cpu /self->left/ { @["both"] = count(); @time = quantize(timestamp - self->left); self->left = 0; }
sched:::sleep /pid == $target/ { @["sleep"] = count(); }
sched:::preempt /pid == $target/ { @["preempt"] = count(); }
sched:::wakeup /args[1]->pr_pid == $target/ { @["wakeup"] = count(); }
sched:::enqueue /args[1]->pr_pid == $target/ { @["enqueue"] = count(); }
sched:::enqueue /args[2]->cpu_id < 0 || args[2]->cpu_id > 63/ { @["no such CPU"] = count(); }
sched:::dequeue /args[1]->pr_pid == $target/ { @["dequeue"] = count(); }
sched:::tick /args[0]->pr_lwpid == tid && args[1]->pr_pid == pid/ { @["tick"] = count(); }
sched:::change-pri /args[1]->pr_pid == $target/ { printf("pri %d to %d\n", args[0]->pr_pri, args[2]); }
syscall::exit_group:entry /pid == $target/ { exit(0); }
END { printa("%s %@d\n", @); }
D
dtrace -s /tmp/naps.d -c 'python3 /tmp/naps.py' >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
of() { awk -v n="$1" '$1 == n { print $2 }' /tmp/o; }
# It runs as the tracing begins or is stopped then, and runs as that ends.
[ $(($(of on) - $(of both))) -ge 0 ] && [ $(($(of on) - $(of both))) -le 1 ] || fail "on $(of on), after off $(of both)"
[ $(($(of on) - $(of off))) -ge 0 ] && [ $(($(of on) - $(of off))) -le 1 ] || fail "on $(of on), off $(of off)"
[ "$(of off)" -ge 40 ] || fail "off $(of off)"
expect "sleeps and preemptions" $(($(of sleep) + $(of preempt))) "$(of off)"
[ "$(of sleep)" -ge 40 ] && [ "$(of wakeup)" -ge 40 ] || fail "sleep $(of sleep), wakeup $(of wakeup)"
[ "$(of enqueue)" -ge 40 ] && [ "$(of dequeue)" -ge 40 ] || fail "enqueue $(of enqueue), dequeue $(of dequeue)"
grep -qE 'to itself|no such CPU' /tmp/o && fail "$(cat /tmp/o)"
[ "$(of tick)" -ge 1 ] || fail "no tick"
grep -qx 'pri 120 to 123' /tmp/o && grep -qx 'pri 123 to 92' /tmp/o || { cat /tmp/o; fail priorities; }
