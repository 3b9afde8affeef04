# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the module is removed while a process that was traced is between the copy of its memory, breakpoints included,
# and the report of its child: the child runs on. A fork that nobody lets end delays the removal for a limited time.
# SECONDS: 120
. /src/selftests/lib/sh
# The fork waits there until somebody reads of it from a userfaultfd.
cat >/tmp/forking.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void hot(void) { __asm__ volatile(""); }
static int fd;
static void say(const char *what) { puts(what); fflush(stdout); }
static void *reader(void *arg)
{
	struct uffd_msg msg;

	getchar();
	if (read(fd, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_FORK)
		say("no fork");
	return 0;
}
int main(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_FORK };
	struct uffdio_register page = { .range.len = 4096, .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;
	pid_t child;
	int status;

	fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	page.range.start = (long)mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &page))
		perror("userfaultfd"), exit(2);
	hot();
	say("ready");
	getchar();
	pthread_create(&thread, 0, reader, 0);
	say("forks");
	child = fork();
	if (!child) {
		hot();
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("status %x\n", status);
	return 0;
}
C
gcc -O1 -pthread -o /tmp/forking /tmp/forking.c || fail "gcc"
trap 'grep -q ^dtrace /proc/modules || insmod "$module"' EXIT
for how in lets never; do
	rm -f /tmp/go && mkfifo /tmp/go
	/tmp/forking </tmp/go >/tmp/said 2>&1 &
	target=$!
	exec 3>/tmp/go
	until_ok grep -q '^ready' /tmp/said
	trace /tmp/o -p "$target" -n 'pid$target::hot:entry { @ = count(); }'
	echo >&3
	until_ok grep -q '^forks' /tmp/said
	# fork is clone without CLONE_VM.
	until_ok grep -q '^56 ' "/proc/$target/syscall"
	end_trace
	dmesg -C
	rmmod dtrace &
	removal=$!
	for n in 1 2 3 4 5 6 7 8 9 10; do nap; done
	grep -q '^dtrace' /proc/modules || fail "$how: the module did not wait for the fork"
	[ $how = never ] || echo >&3
	wait $removal || fail "$how: rmmod"
	[ $how = lets ] || echo >&3
	wait "$target" || fail "$how: $(cat /tmp/said)"
	exec 3>&-
	case $how in
	lets)
		expect "$how: the child" "$(tail -1 /tmp/said)" "status 700"
		! dmesg | grep fasttrap || fail "$how: the log says something" ;;
	never)
		dmesg | grep -q "fasttrap: thread $target forks for too long" || fail "$how: $(dmesg)" ;;
	esac
	insmod "$module" || fail insmod
done
