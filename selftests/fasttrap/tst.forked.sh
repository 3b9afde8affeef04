# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a server whose file has notes (<sys/sdt.h>) is traced by a glob, and so is each process that it forks, from its
# first instruction on: every probe of every child is counted, under the child's own process id. Children of children, too.
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
cd "$(mktemp -d)" || exit 1
cat >server.c <<'C'
#include <sys/sdt.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void serve(int depth)
{
	DTRACE_PROBE1(shop, served, depth);
	if (depth < 2 && !fork())
		serve(depth + 1), _exit(0);
	while (wait(0) > 0);
}
int main(void)
{
	char line[8];
	while (fgets(line, sizeof(line), stdin)) {
		for (int n = 0; n < 10; n++)
			if (!fork())
				serve(1), _exit(0);
		while (wait(0) > 0);
	}
	return 0;
}
C
gcc -O1 -I/src/userspace-ctl/include -o server server.c || fail "gcc"
mkfifo in
./server <in & server=$!
exec 3>in
trace o -n 'shop*:::served { @[arg0] = count(); @pids[pid] = count(); } END { printa("depth %d: %@d\n", @); printa("pid %d: %@d\n", @pids); }
	tick-10ms /!told/ { told = 1; printf("attached\n"); }'
# The server itself has its probes then.
until_ok sh -c "dtrace -l -P shop$server | grep -q served"
until_ok grep -q attached o
for round in 1 2 3 4 5; do echo go >&3; done
exec 3>&-
wait $server || fail "the server ended with $?"
end_trace
if too_slow o.err; then
	[ "$(grep -c '^pid ' o)" -le 100 ] || fail "more processes than there were: $(cat o)"
	exit 0
fi
[ ! -s o.err ] || fail "$(cat o.err)"
expect "probes of the children" "$(sed -n 's/^depth 1: //p' o)" 50
expect "probes of their children" "$(sed -n 's/^depth 2: //p' o)" 50
expect "processes, one probe each" "$(grep -c '^pid [0-9]*: 1$' o)" 100
exit 0
