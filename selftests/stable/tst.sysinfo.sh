# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what processes ask the kernel for is counted once each, bytes exactly; switches are those of sched; modules, cross
# calls, interrupts and locks that are held are told of.
. /src/selftests/lib/sh
cat >/tmp/asks.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *p) { return p; }

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	char *none[] = { "true", NULL };
	char b[3000], c[50];
	struct iovec v[2] = { { b, 3000 }, { c, 50 } };
	struct { long type; char text[8]; } m = { 1, "" };
	struct sembuf up = { 0, 1, 0 };
	struct stat st;
	cpu_set_t cpus;
	pthread_t t;
	int i, fd, q;

	/* Before: what the program needs itself has been looked up and read. */
	getppid();
	fd = open("/tmp/data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (write(fd, b, 3000) != 3000 || pwrite(fd, b, 7, 0) != 7 || writev(fd, v, 2) != 3050 || pwritev(fd, v, 2, 0) != 3050)
		return 1;
	lseek(fd, 0, SEEK_SET);
	if (read(fd, b, 1000) != 1000 || pread(fd, b, 30, 5) != 30 || readv(fd, v, 2) != 3050 || preadv(fd, v, 1, 0) != 3000)
		return 1;
	if (pread(fd, b, 10, 1 << 20) != 0 || read(-1, b, 10) != -1 || write(1000, b, 10) != -1 || read(fd, NULL, 10) != -1)
		return 1;
	mkdir("/tmp/dir", 0700);
	for (i = 0; i < 4; i++)
		stat("/tmp/dir", &st);
	rmdir("/tmp/dir");
	getpgid(0);
	for (i = 0; i < 3; i++)
		if (fork() == 0)
			_exit(0);
	for (i = 0; i < 2; i++)
		if (vfork() == 0) {
			execv(i ? "/bin/true" : "/nowhere/program", none);
			_exit(0);
		}
	wait_for_all();
	for (i = 0; i < 4; i++)
		if (pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL))
			return 1;
	q = msgget(IPC_PRIVATE, 0600);
	if (msgsnd(q, &m, 8, 0) || msgrcv(q, &m, 8, 0, 0) != 8)
		return 1;
	msgctl(q, IPC_RMID, NULL);
	q = semget(IPC_PRIVATE, 1, 0600);
	for (i = 0; i < 3; i++)
		if (semop(q, &up, 1))
			return 1;
	semctl(q, 0, IPC_RMID);
	for (i = 0; i < 6; i++) {
		CPU_ZERO(&cpus);
		CPU_SET(i % 2, &cpus);
		if (sched_setaffinity(0, sizeof cpus, &cpus))
			return 1;
	}
	return 0;
}
C
gcc -O2 -pthread -o /tmp/asks /tmp/asks.c || fail compile
cat >/tmp/asks.d <<'D'
#pragma D option quiet
syscall::getppid:entry /pid == $target/ { self->in = 1; }
syscall::getpgid:entry /pid == $target/ { self->in = 0; }
sysinfo:::readch, sysinfo:::writech /self->in/ { @[strjoin(probename, "-bytes")] = sum(arg0); @[probename] = sum(1); }
sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::namei /self->in/ { @[probename] = sum(arg0); }
sysinfo:::sysfork, sysinfo:::sysvfork, sysinfo:::nthreads, sysinfo:::msg, sysinfo:::sema /pid == $target/ { @[probename] = sum(args[0]); }
sysinfo:::sysexec /ppid == $target/ { @[probename] = sum(arg0); }
sysinfo:::pswitch, sysinfo:::inv_swtch, sched:::off-cpu, sched:::preempt /pid == $target/ { @[probename] = sum(1); }
sysinfo:::cpumigrate, sysinfo:::idlethread { @[probename] = sum(arg0); }
sysinfo::: /arg1 != 0/ { @["counters"] = sum(1); }
END { printa("%s %@d\n", @); }
D
dtrace -s /tmp/asks.d -c /tmp/asks >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
of() { awk -v n="$1" '$1 == n { print $2 }' /tmp/o; }
is() { expect "$1" "$(of "$1")" "$2"; }
is writech-bytes $((3000 + 7 + 3050 + 3050))
is readch-bytes $((1000 + 30 + 3050 + 3000))
is writech 4
is readch 5
is syswrite 4
# One cannot: its buffer is none.
is sysread 6
is namei 7
is sysfork 3
is sysvfork 2
is nthreads 9
is sysexec 2
is msg 2
is sema 3
is counters ''
[ "$(of pswitch)" -ge 1 ] || fail "no switch"
is pswitch "$(of off-cpu)"
is inv_swtch "$(of preempt)"
[ "$(of cpumigrate)" -ge 5 ] || fail "migrations: $(of cpumigrate)"
[ "$(of idlethread)" -ge 1 ] || fail "never idle"
# A program that others wrote, by the lines that everybody knows.
head -c 700000 /dev/zero >/tmp/in
dtrace -qn 'sysinfo:::writech /pid == $target/ { @[execname] = sum(arg0); } sysinfo:::readch /pid == $target/ { @d[execname] = quantize(arg0); }
	END { printa("%s %@d\n", @); printa(@d); }' -c 'dd if=/tmp/in of=/tmp/out bs=7000 count=99 status=none' >/tmp/o || fail dtrace
is dd 693000
expect "reads of 4096 and more" "$(awk '$1 == 4096 { print $NF }' /tmp/o)" 99
# Modules; their memory is made executable on all processors.
modprobe -r loop
dtrace -qn 'sysinfo:::modload, sysinfo:::modunload { @[probename] = sum(arg0); } sysinfo:::xcalls { @[probename] = sum(arg0); }
	sysinfo:::intr { @[probename] = sum(arg0); } END { printa("%s %@d\n", @); }' -c 'sh -c "modprobe loop && rmmod loop"' >/tmp/o || fail dtrace
is modload 1
is modunload 1
[ "$(of xcalls)" -ge 1 ] || fail "no cross calls"
[ "$(of intr)" -ge 1 ] || fail "no interrupts"
# Threads that want the same lock, until one has to wait.
cat >/tmp/locks.c <<'C'
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static int ends[2];
static void *want(void *p)
{
	char b[512];
	for (;;) {
		void *m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(m, 4096);
		if (write(ends[1], b, sizeof b) != sizeof b || read(ends[0], b, sizeof b) <= 0)
			return p;
	}
}
int main(void)
{
	pthread_t t;
	int i;
	if (pipe(ends))
		return 1;
	for (i = 0; i < 3; i++)
		pthread_create(&t, NULL, want, NULL);
	want(NULL);
	return 0;
}
C
gcc -O2 -pthread -o /tmp/locks /tmp/locks.c || fail compile
for lock in mutex_adenters rw_wrfails; do
	dtrace -wqn "sysinfo:::$lock"' /pid == $target/ { raise(SIGKILL); printf("%d\n", arg0); }' -c /tmp/locks >/tmp/o 2>/tmp/err
	grep -qx 1 /tmp/o || fail "$lock: $(cat /tmp/err)"
done
# Characters of a terminal, which echoes what is typed; a process too many.
cat >/tmp/terminal.py <<'P'
import os, pty, resource, time
here, there = pty.openpty()
os.write(here, b'typed\n')
time.sleep(0.5)
os.read(there, 100)
os.write(there, b'told\n')
os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    if os.fork() == 0:
        os._exit(0)
except BlockingIOError:
    print('refused')
P
dtrace -qn 'sysinfo:::outch, sysinfo:::procovf /pid == $target/ { @[probename] = sum(arg0); } sysinfo:::rawch { @[probename] = sum(arg0); }
	END { printa("%s %@d\n", @); }' -c 'python3 /tmp/terminal.py' >/tmp/o || fail dtrace
grep -qx refused /tmp/o || fail "a process too many: $(cat /tmp/o)"
# What the program writes to either end; what either end receives: with the echo, and a return before each new line.
is outch 11
is rawch 19
is procovf 1
# Blocks of a disk.
truncate -s 4M /tmp/blocks && modprobe loop && loop=$(losetup --show -f /tmp/blocks) || fail losetup
dtrace -qn 'sysinfo:::lwrite /pid == $target/ { @[probename] = sum(arg0); } END { printa("%s %@d\n", @); }' \
	-c "dd if=/dev/zero of=$loop bs=4k count=30 status=none" >/tmp/o || fail dtrace
[ "$(of lwrite)" -ge 30 ] || fail "blocks: $(cat /tmp/o)"
losetup -d "$loop"
exit 0
