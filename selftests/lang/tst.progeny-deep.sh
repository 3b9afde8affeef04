# SPDX-License-Identifier: GPL-2.0
# ASSERTION: progenyof() finds an ancestor a thousand generations back; where a probe has no time for so many, it raises a fault
# instead of an answer that may be false.
. /src/selftests/lib/sh
cat >/tmp/deep.c <<'C'
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (int n = 1; n <= 1100; n++) {
		int status, child = fork();

		if (child < 0)
			return 2;
		if (child) {
			waitpid(child, &status, 0);
			return WEXITSTATUS(status);
		}
		if (n == 1000 || n == 1100)
			getpriority(PRIO_PROCESS, 0);
	}
	return 0;
}
C
gcc -O1 -static -o /tmp/deep /tmp/deep.c || fail gcc
dtrace -qn 'syscall::getpriority:entry /execname == "deep"/ { printf("%d\n", progenyof($target)); }
	ERROR { printf("fault %d\n", arg4); }' -c /tmp/deep 2>/tmp/e >/tmp/o || fail "dtrace: $(cat /tmp/e)"
# 3: an operation that cannot be done (DTRACEFLT_ILLOP).
expect "1,000 and 1,100 generations" "$(sed '/^$/d' /tmp/o)" "1
fault 3"
