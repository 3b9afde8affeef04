# SPDX-License-Identifier: GPL-2.0
# ASSERTION: calls that end in another way than they began: execve, fork, clone, vfork, exit, signals, calls that block while
# probes come and go.
. /src/selftests/lib/sh
dtrace -q -n '
syscall::execve:entry /progenyof($target)/ { printf("execve %s\n", basename(copyinstr(arg0))); }
syscall::execve:return /progenyof($target)/ { printf("execve: %d %d\n", arg0, errno); }
syscall:vmlinux:exit_group:entry /progenyof($target)/ { printf("exit_group %d\n", arg0); }' \
	-c 'bash -c "/bin/true; (exit 3); /bin/false"' >/tmp/o 2>/tmp/e || fail "dtrace: $?"
[ -s /tmp/e ] && { cat /tmp/e; fail "errors"; }
for line in 'execve true' 'execve: 0 0' 'exit_group 3' 'execve false' 'exit_group 1' 'exit_group 0'; do
	grep -qx "$line" /tmp/o || { cat /tmp/o; fail "$line"; }
done
# A call that began before its probes and ends with them, and the other way round.
mkfifo /tmp/f
cat /tmp/f >/tmp/got &
reader=$!
exec 9>/tmp/f
reads() { [ "$(cut -d" " -f1 "/proc/$reader/syscall")" = 0 ]; }
until_ok reads
trace /tmp/t -n "syscall:vmlinux:read:return /pid == $reader/ { printf(\"read %d\\n\", arg0); }"
echo hello >&9
until_ok grep -qx 'read 6' /tmp/t
end_trace
# It waits in read again, which no probe holds on to.
rmmod dtrace || fail "rmmod while a call is under way"
insmod "$module"
echo again >&9
exec 9>&-
wait $reader || fail "cat: $?"
expect "what it read" "$(cat /tmp/got | tr '\n' ' ')" "hello again "
# Signals: a call that is interrupted says so.
cat >/tmp/sleep.py <<'P'
import signal, time
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3)
time.sleep(2)
P
dtrace -q -n 'syscall::*nanosleep:return /pid == $target && errno/ { printf("%d errno %d\n", arg0, errno); }' \
	-c 'python3 /tmp/sleep.py' >/tmp/o || fail "dtrace: $?"
grep -Eqx -- '-1 errno (4|51[2-6])' /tmp/o || { cat /tmp/o; fail "no EINTR"; }
