# SPDX-License-Identifier: GPL-2.0
# ASSERTION: code that a process has made has the names that it has written to /tmp/perf-PID.map, also if that has come later;
# of somebody else's file it has none.
. /src/selftests/lib/sh
cat >/tmp/jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* mov $39, %eax (getpid); syscall; ret */
static const unsigned char code[] = { 0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xc3 };

static void make(char *at, const char *name)
{
	char path[64];
	FILE *map;

	memcpy(at, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "a");
	fprintf(map, "%lx %zx %s\n", (long)at, sizeof(code), name);
	fclose(map);
	((int (*)(void))at)();
}

int main(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, KIND | MAP_ANONYMOUS, -1, 0);

	make(page, "first made");
	sleep(1);
	make(page + 64, "second");
	return 0;
}
C
# At the first rate a frame is named while the program runs, at the second both when it has ended. Shared memory has a
# path, /dev/zero, but no file.
for how in 100ms:PRIVATE 1min:PRIVATE 1min:SHARED; do
	rate=${how%:*}
	gcc -O1 -DKIND="MAP_${how#*:}" -o /tmp/jit /tmp/jit.c || fail "gcc"
	dtrace -q -x switchrate="$rate" -n 'syscall::getpid:entry /pid == $target/ { ustack(1); }' -c /tmp/jit |
		sed -n 's/^  *//p' | grep -v '`getpid' >/tmp/frames
	expect "names at $how" "$(cat /tmp/frames)" '[jit]`first made+0x7
[jit]`second+0x7'
done
# The file is root's, the process is not.
cat >/tmp/foreign <<'S'
echo 0 ffffffffffff planted >/tmp/perf-$$.map
exec setpriv --reuid 65534 --clear-groups /tmp/jit.plain
S
sed 's/map = fopen.*/map = stderr;/; s/fclose(map);//' /tmp/jit.c >/tmp/plain.c
gcc -O1 -DKIND=MAP_PRIVATE -o /tmp/jit.plain /tmp/plain.c || fail "gcc plain"
dtrace -q -n 'syscall::getpid:entry /execname == "jit.plain"/ { ustack(1); }' -c "bash /tmp/foreign" >/tmp/o 2>/dev/null
grep -q '0x' /tmp/o || { cat /tmp/o; fail "no frames"; }
grep -q planted /tmp/o && fail "somebody else's file was believed"
exit 0
