# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a traced program that kills its children before they have run leaves nothing in the kernel log.
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
cat >/tmp/kills.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void hot(void) { __asm__ volatile(""); }
int main(void)
{
	int killed = 0, status;

	puts("ready");
	fflush(stdout);
	getchar();
	for (int n = 0; n < 50; n++) {
		pid_t child = fork();

		if (!child)
			for (;;)
				hot();
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	hot();
	printf("killed %d\n", killed);
	return 0;
}
C
gcc -O1 -o /tmp/kills /tmp/kills.c || fail "gcc"
# On one CPU, the parent goes on first.
begin taskset -c 0 /tmp/kills
trace /tmp/o -p "$target" -n 'pid$target::hot:entry { @ = count(); } END { printa("%@d\n", @); }'
dmesg -C
go_on
wait "$target" || fail "the program ended with $?"
end_trace
grep -q '^killed 50$' /tmp/said || fail "$(cat /tmp/said)"
dmesg >/tmp/log
! grep -q fasttrap /tmp/log || fail "$(grep -c fasttrap /tmp/log) lines: $(grep -m1 fasttrap /tmp/log)"
exit 0
