# SPDX-License-Identifier: GPL-2.0
# ASSERTION: pages that a program touches are counted: new ones, those that are another process's too, those that must be read;
# pages of disks are counted exactly, and so is what is taken back; for what Linux does not count an error says what comes close.
. /src/selftests/lib/sh
cat >/tmp/touch.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 200, PAGE = 4096, HUGE = 2 << 20 };

static void touch(char *p, int n)
{
	for (int i = 0; i < n; i++)
		((volatile char *)p)[i * PAGE] = 1;
}

int main(int argc, char **argv)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *h = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(argv[1], O_RDONLY);
	volatile char *f = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	char c = 0;

	if (p == MAP_FAILED || h == MAP_FAILED || f == MAP_FAILED)
		return 1;
	/* Kernels without huge pages (PREEMPT_RT) refuse both. */
	madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE);
	madvise(h, 2 * HUGE, MADV_HUGEPAGE);
	if (madvise((char *)f, PAGES * PAGE, MADV_RANDOM))
		return 1;
	umask(1);
	touch(p, PAGES);
	umask(2);
	h = (char *)(((unsigned long)h + HUGE - 1) & -(unsigned long)HUGE);
	touch(h, 1);
	umask(3);
	/* Each by itself. */
	for (int i = 0; i < 50; i++)
		c += f[i * PAGE];
	umask(0);
	if (fork() == 0) {
		umask(4);
		touch(p, PAGES);
		umask(0);
		_exit(0);
	}
	wait(NULL);
	return c == 1;
}
C
gcc -O2 -o /tmp/touch /tmp/touch.c || fail compile
modprobe loop || fail modprobe
. /src/selftests/stable/iso
iso /tmp/disk file 40000000
loop=$(losetup --show -f /tmp/disk) || fail losetup
mkdir -p /tmp/mnt && mount -t iso9660 -o ro "$loop" /tmp/mnt || fail mount
echo 3 >/proc/sys/vm/drop_caches
cat >/tmp/touch.d <<'D'
#pragma D option quiet
syscall::umask:entry /execname == "touch"/ { self->at = arg0; }
vminfo:::as_fault, vminfo:::prot_fault, vminfo:::maj_fault, vminfo:::zfod, vminfo:::pgpgin /self->at/ { @[self->at, probename] = sum(arg0); }
END { printa("%d %s %@d\n", @); }
D
dtrace -s /tmp/touch.d -c '/tmp/touch /tmp/mnt/file' >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
of() { awk -v at="$1" -v n="$2" '$1 == at && $2 == n { print $3 }' /tmp/o; }
expect "new pages" "$(of 1 zfod)" 200
[ "$(of 1 as_fault)" -ge 200 ] || fail "faults: $(of 1 as_fault)"
expect "none of them read" "$(of 1 maj_fault)" ""
# If there was one.
case $(of 2 zfod) in 512 | 1) ;; *) fail "a huge page: $(of 2 zfod)" ;; esac
expect "pages read" "$(of 3 maj_fault)" 50
[ "$(of 3 as_fault)" -ge 50 ] && [ "$(of 3 pgpgin)" -ge 50 ] || fail "faults $(of 3 as_fault), pages $(of 3 pgpgin)"
[ "$(of 4 prot_fault)" -ge 200 ] || fail "copies: $(of 4 prot_fault)"
expect "new pages of a child" "$(of 4 zfod)" ""
# What is taken back of a group of processes that may have less than it reads.
mkdir -p /tmp/groups && mount -t cgroup2 none /tmp/groups || fail cgroup2
echo +memory >/tmp/groups/cgroup.subtree_control && mkdir /tmp/groups/few || fail "no group"
echo 8M >/tmp/groups/few/memory.max || fail "no limit"
dtrace -qn 'vminfo:::scan, vminfo:::dfree /execname == "cat"/ { @[0, probename] = sum(arg0); } END { printa("%d %s %@d\n", @); }' \
	-c 'sh -c "echo 0 >/tmp/groups/few/cgroup.procs; exec cat /tmp/mnt/file"' >/tmp/all || fail dtrace
tail -c 200 /tmp/all | tr -d x >/tmp/o
rmdir /tmp/groups/few; umount /tmp/groups
[ "$(of 0 dfree)" -ge 1 ] && [ "$(of 0 scan)" -ge "$(of 0 dfree)" ] || fail "freed $(of 0 dfree), looked at $(of 0 scan)"
umount /tmp/mnt
# As the kernel is asked.
run() {
	dtrace -qn 'vminfo:::pgpgin, vminfo:::pgpgout, vminfo:::pgin, vminfo:::pgout /pid == $target/ { @[0, probename] = sum(arg0); }
		END { printa("%d %s %@d\n", @); }' -c "$1" >/tmp/o || fail dtrace
}
run "dd if=$loop of=/dev/null bs=64k count=16 iflag=direct status=none"
expect "read" "$(of 0 pgpgin) $(of 0 pgin) $(of 0 pgpgout)" "256 16 "
run "dd if=/dev/zero of=$loop bs=64k count=4 seek=8 oflag=direct status=none"
expect "written" "$(of 0 pgpgout) $(of 0 pgout) $(of 0 pgpgin)" "64 4 "
# A process that may have less memory than it writes to, twice: as the kernel counts itself. Others may swap, too, before
# and after it: the count lies between what the process sees and what is seen around dtrace.
mkswap "$loop" >/dev/null && swapon "$loop" || fail swapon
mount -t cgroup2 none /tmp/groups && echo +memory >/tmp/groups/cgroup.subtree_control && mkdir /tmp/groups/few || fail "no group"
echo 16M >/tmp/groups/few/memory.max || fail "no limit"
swapped() { awk '$1 == "pswpin" { i = $2 } $1 == "pswpout" { o = $2 } END { print i, o }' /proc/vmstat; }
cat >/tmp/swap.py <<'P'
import mmap, os
open('/tmp/groups/few/cgroup.procs', 'w').write('0')
def swapped():
    counters = dict(line.split() for line in open('/proc/vmstat'))
    return [int(counters[n]) for n in ('pswpin', 'pswpout')]
before, many = swapped(), 5000
m = mmap.mmap(-1, many * 4096)
for turn in range(2):
    for i in range(many):
        m[i * 4096:(i + 1) * 4096] = os.urandom(4096) if turn == 0 else m[i * 4096:(i + 1) * 4096][::-1]
print('inside', *[b - a for a, b in zip(before, swapped())])
P
before=$(swapped)
dtrace -qn 'vminfo:::anonpgin, vminfo:::anonpgout { @[0, probename] = sum(arg0); } END { printa("%d %s %@d\n", @); }' \
	-c 'python3 /tmp/swap.py' >/tmp/o || fail dtrace
read -r in out <<<"$before"
read -r in2 out2 <<<"$(swapped)"
read -r _ least_in least_out <<<"$(grep inside /tmp/o)"
[ "$least_out" -ge 1000 ] && [ "$least_in" -ge 500 ] || fail "it does not swap: $(cat /tmp/o)"
within() { [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1: $2, but the kernel says $3 to $4"; }
within anonpgin "$(of 0 anonpgin)" "$least_in" $((in2 - in))
within anonpgout "$(of 0 anonpgout)" "$least_out" $((out2 - out))
rmdir /tmp/groups/few; umount /tmp/groups
swapoff "$loop"; losetup -d "$loop"
dtrace -n 'vminfo:::swapin' >/tmp/o 2>&1 && fail "swapin"
grep -q 'no event that matches `swapin`' /tmp/o && grep -q 'close to it: vminfo:::anonpgin' /tmp/o || { cat /tmp/o; fail "swapin: $(cat /tmp/o)"; }
