# SPDX-License-Identifier: GPL-2.0
# ASSERTION: hundreds of threads of a user map a file of a FUSE daemon that never answers, while a consumer follows everyone: other
# users' programs get their probes before they run, and the module can be removed.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
cat >shop.c <<'C'
#include <sys/sdt.h>
int main(void) { DTRACE_PROBE(shop, served); return 0; }
C
gcc -O1 -I/src/userspace-ctl/include -o shop shop.c || fail "gcc shop.c"
cat >crowd.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static int fd;
static void *one(void *arg)
{
	mmap(0, 3 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	return 0;
}
int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t thread;

	fd = open(argv[1], O_RDONLY);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	for (int n = 0; n < 300; n++)
		if (pthread_create(&thread, &small, one, 0))
			return 2;
	for (;;)
		pause();
}
C
gcc -O1 -pthread -o crowd crowd.c || fail "gcc crowd.c"
chmod -R a+rX .
mkdir away
python3 $here/wedge.py serve away >served 2>&1 &
daemon=$!
wait_for "the file system is there" ls away/file
trace o -Z -n 'shop*:::served { printf("served %s\n", execname); }'
./shop
until_ok grep -q '^served' o
setpriv --reuid 65534 --regid 65534 --clear-groups ./crowd away/file &
crowd=$!
# mmap
waits() { [ "$(cat /proc/$crowd/task/*/syscall | grep -c '^9 ')" = 300 ]; }
until_ok waits
for n in 1 2 3; do ./shop; done
end_trace
expect "probes of others" "$(grep -c '^served shop' o)" 4
timeout 30 rmmod dtrace || fail "rmmod"
waits || fail "the crowd did not stay"
insmod "$module" || fail insmod
kill -9 $crowd
kill -9 $daemon
gone() { [ ! -e /proc/$crowd ]; }
wait_for "all can be killed" gone
umount away
exit 0
