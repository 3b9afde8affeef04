# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a thread that executes a program keeps its self-> variables, also if it was not the first of its process.
. /src/selftests/lib/sh
cat >/tmp/exec.py <<'P'
import os, threading
def run():
    os.getppid()
    os.execv("/bin/true", ["true"])
t = threading.Thread(target=run); t.start(); t.join()
P
dtrace -qn 'self int mark; self string text;
	syscall::getppid:entry /pid == $target/ { self->mark = tid; self->text = "kept"; }
	syscall::execve:return /pid == $target && self->mark/ { printf("%d %d %s\n", self->mark != pid, tid == pid, self->text); }
	syscall::exit_group:entry /pid == $target/ { printf("%s %d\n", execname, self->mark != pid); }' \
	-c "python3 /tmp/exec.py" >/tmp/out 2>/tmp/err
cat /tmp/out /tmp/err
expect "in the new program" "$(grep . /tmp/out | tr '\n' ';')" "1 1 kept;true 1;"
