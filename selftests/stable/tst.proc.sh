# SPDX-License-Identifier: GPL-2.0
# ASSERTION: processes and threads begin, execute programs, fail to, get signals and end: each is told of exactly once, with the
# right arguments.
. /src/selftests/lib/sh
cat >/tmp/life.py <<'P'
import ctypes, os, signal, sys, threading
def child(f):
    pid = os.fork()
    if pid == 0:
        f()
        os._exit(0)
    return os.waitpid(pid, 0)
def missing():
    try: os.execv("/nowhere/program", ["program"])
    except OSError: os._exit(0)
def waits():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.sigwait([signal.SIGUSR1])
def handles():
    signal.signal(signal.SIGUSR2, lambda *a: None)
    os.kill(os.getpid(), signal.SIGUSR2)
def ignores():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.kill(os.getpid(), signal.SIGHUP)
child(lambda: os.execv("/bin/true", ["true", "a word"]))
child(missing)
child(lambda: os._exit(3))
child(lambda: os.kill(os.getpid(), signal.SIGKILL))
child(lambda: ctypes.string_at(8))
child(waits)
child(handles)
child(ignores)
for i in range(5):
    t = threading.Thread(target=lambda: None); t.start(); t.join()
P
cat >/tmp/life.d <<'D'
#pragma D option quiet
proc:::create /pid == $target/ { born[args[0]->pr_pid] = 1; printf("create %d\n", args[0]->pr_ppid == $target); }
proc:::start /born[pid]/ { printf("start %d\n", tid == pid); }
proc:::exec /born[pid]/ { printf("exec %s\n", stringof(args[0])); }
proc:::exec-failure /born[pid]/ { printf("exec-failure %d\n", args[0] == ENOENT); }
proc:::exec-success /born[pid]/ { printf("exec-success %s %s\n", execname, curpsinfo->pr_psargs); }
proc:::exit /born[pid]/ {
	printf("exit %s\n", args[0] == CLD_EXITED ? "exited" : args[0] == CLD_KILLED ? "killed" : "dumped");
}
proc:::lwp-create /pid == $target && args[0]->pr_lwpid != args[1]->pr_pid/ { printf("thread %d\n", args[1]->pr_pid == $target); }
proc:::lwp-create /pid == $target/ { @["lwp-create"] = count(); }
proc:::lwp-start /born[pid] || pid == $target/ { @["lwp-start"] = count(); }
proc:::lwp-exit /born[pid] || pid == $target/ { @["lwp-exit"] = count(); }
proc:::signal-send /born[pid] && args[1]->pr_pid == pid/ { printf("send %d %d\n", args[2], args[0]->pr_lwpid == pid); }
proc:::signal-discard /born[pid] && args[1]->pr_pid == pid/ { printf("discard %d\n", args[2]); }
proc:::signal-handle /born[pid]/ { printf("handle %d %s\n", args[0], args[2] == 0 ? "default" : "function"); }
proc:::signal-clear /born[pid]/ { printf("clear %d%s\n", args[0], args[1]->si_signo == args[0] && args[1]->_sifields._kill._pid == pid ? "" : " by another"); }
proc:::fault /born[pid]/ { printf("fault %d %d\n", args[0] == FLTBOUNDS, args[1]->si_signo); }
END { printa("%s %@d\n", @); }
D
ulimit -c 0
dtrace -s /tmp/life.d -c 'python3 /tmp/life.py' >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
# Two CPUs: in which order lines come is not told.
count() { grep -cx "$1" /tmp/o; }
times() { expect "$2" "$(count "$2")" "$1" || cat /tmp/o; }
times 8 'create 1'
times 8 'start 1'
times 1 'exec /bin/true'
times 1 'exec /nowhere/program'
times 1 'exec-failure 1'
times 1 'exec-success true true a word'
times 6 'exit exited'
times 1 'send 9 1'
times 1 'handle 9 default'
times 1 'fault 1 11'
times 1 'send 11 1'
times 1 'handle 11 default'
expect "killed" "$(grep -cE '^exit (killed|dumped)$' /tmp/o)" 2
times 1 'send 10 1'
times 1 'clear 10'
times 1 'send 12 1'
times 1 'handle 12 function'
times 1 'discard 1'
expect "sent, in spite of it" "$(grep -c 'send 1 ' /tmp/o)" 0
times 5 'thread 1'
times 1 'lwp-create 13'
# The command itself began before.
times 1 'lwp-start 13'
times 1 'lwp-exit 14'
