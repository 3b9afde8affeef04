# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what a program's file, or its container, says where its symbols are does not decide what root's dtrace opens: no path
# in a link, no FIFO, no device, no link that leaves the container, nothing without an end.
# SECONDS: 300
. /src/selftests/lib/sh
cat >/tmp/shop.c <<'C'
#include <unistd.h>
__attribute__((noinline, noclone)) int sell(int n) { return getppid() + n; }
/* It is there as long as anybody wants to know what it is. */
int main(void) { alarm(300); sell(getpid()); return pause(); }
C
gcc -O2 -static -o /tmp/plain /tmp/shop.c && objcopy --only-keep-debug /tmp/plain /tmp/shop.dbg || fail "gcc"
cp /tmp/plain /tmp/linked && strip /tmp/linked && (cd /tmp && objcopy --add-gnu-debuglink=shop.dbg linked) || fail "objcopy"
objcopy --dump-section .gnu_debuglink=/tmp/link /tmp/linked || fail "its link"
sum=$(tail -c 4 /tmp/link | od -An -tx1 | sed 's/ /\\x/g')
# linked TO NAME: the program, with another name in its link.
linked() {
	printf '%s\0' "$2" >/tmp/link
	while [ $(($(stat -c %s /tmp/link) % 4)) != 0 ]; do printf '\0' >>/tmp/link; done
	# shellcheck disable=SC2059
	printf "$sum" >>/tmp/link
	objcopy --update-section .gnu_debuglink=/tmp/link /tmp/linked "$1" || fail "a link to $2"
}
# sees COMMAND: are its functions' names known? A stack may have one frame only: who runs in another root was not known before.
sees() {
	dtrace -q -n 'syscall::getppid:entry /execname == "shop"/ { @[ustack(2)] = count(); exit(0); }' -c "$1" >/tmp/o 2>/tmp/err || fail "$1: $(cat /tmp/err)"
	grep -q '^ *shop' /tmp/o || fail "no stack: $(cat /tmp/o)"
	grep -q '^ *shop`[a-z]' /tmp/o && echo yes || echo no
}
dir=/tmp/here
mkdir -p $dir
# Every file that some dtrace opens for reading, by device and inode; a name that is only looked up is none.
trace /tmp/opened -n '
fbt::do_dentry_open:entry
/execname == "dtrace" && pid != $pid/
{
	this->file = (struct file *)arg0;
	this->inode = this->file->f_path.dentry->d_inode;
	this->device = this->inode->i_sb->s_dev;
	printf("%d %d:%d %d\n", this->file->f_flags & 010000000, this->device >> 20, this->device & 0xfffff, this->inode->i_ino);
}'
observer=$tracer
is_opened() { grep -qx "0 $(stat -L -c '%Hd:%Ld %i' "$1")" /tmp/opened; }

cp /tmp/linked $dir/shop
cp /tmp/shop.dbg $dir
expect "an honest link" "$(sees $dir/shop)" yes
until_ok is_opened $dir/shop.dbg
rm $dir/shop.dbg

mkdir /tmp/elsewhere && cp /tmp/shop.dbg /tmp/elsewhere
for name in ../elsewhere/shop.dbg /tmp/elsewhere/shop.dbg ../../dev/zero /dev/zero ../../dev/watchdog .. ''; do
	linked $dir/shop "$name"
	expect "a link to '$name'" "$(sees $dir/shop)" no
done

cp /tmp/linked $dir/shop
mkfifo $dir/shop.dbg || fail "mkfifo"
expect "a FIFO" "$(sees $dir/shop)" no
mkdir $dir/.debug && ln -s /dev/zero $dir/.debug/shop.dbg
expect "a link to a device" "$(sees $dir/shop)" no
rm $dir/.debug/shop.dbg && truncate -s 1T $dir/.debug/shop.dbg
expect "a file without an end" "$(sees $dir/shop)" no
rm -r $dir/shop.dbg $dir/.debug

# A container, and a program that has another root only: links lead outside of it for all but its own processes.
jail=/tmp/jail
mkdir -p $jail/tmp/outside $jail/.debug /tmp/outside
cp /tmp/linked $jail/shop
cp /tmp/shop.dbg /tmp/outside/shop.dbg
cat >/tmp/contain.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	return unshare(CLONE_NEWNS) || mount(0, "/", 0, MS_REC | MS_PRIVATE, 0) || mount("/tmp/jail", "/tmp/jail", 0, MS_BIND, 0) ||
	       chdir("/tmp/jail") || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/") ||
	       execl("/shop", "shop", (char *)0);
}
C
gcc -o /tmp/contain /tmp/contain.c || fail "gcc contain.c"
for how in "chroot $jail /shop" /tmp/contain; do
	for to in /tmp/outside/shop.dbg ../../../../../../tmp/outside/shop.dbg; do
		ln -sf $to $jail/.debug/shop.dbg
		expect "$how: a link to $to" "$(sees "$how")" no
	done
	cp /tmp/shop.dbg $jail/tmp/outside/inside.dbg
	ln -sf /tmp/outside/inside.dbg $jail/.debug/shop.dbg
	expect "$how: the same within" "$(sees "$how")" yes
	rm $jail/tmp/outside/inside.dbg
done

tracer=$observer
end_trace
[ -s /tmp/opened.err ] && fail "the observer: $(cat /tmp/opened.err)"
is_opened /tmp/outside/shop.dbg && fail "a file outside of the container was opened"
is_opened /dev/zero && fail "/dev/zero was opened"
is_opened /tmp/elsewhere/shop.dbg && fail "a path in a link was followed"
exit 0
