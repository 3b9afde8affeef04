# SPDX-License-Identifier: GPL-2.0
# ASSERTION: stacks of a program without section headers are whole and have names, by its program headers; so are those of one that
# is in memory alone. Its functions can be traced.
. /src/selftests/lib/sh
cat >/tmp/bare.c <<'C'
#include <unistd.h>
__attribute__((noinline)) int inner(int n) { return getppid() + n; }
__attribute__((noinline)) int outer(int n) { return inner(n) + inner(n + 1); }
int main(int n)
{
	while (n > 1)
		usleep(1000), outer(n);
	return outer(n) == 0;
}
C
gcc -O2 -fomit-frame-pointer -rdynamic -Wl,--hash-style="${1:-gnu}" -o /tmp/full /tmp/bare.c || fail gcc
objcopy --strip-section-headers /tmp/full /tmp/bare || fail objcopy
readelf -h /tmp/bare | grep -q 'Number of section headers: *0' || fail "it has section headers"
frames() { # FILE OPTION...
	local file=$1
	shift
	dtrace -q -n 'syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); } syscall::getppid:entry /pid == $target && ++n == 4/ { exit(0); }' \
		"$@" >/tmp/o || fail "dtrace: $*"
	sed -n "s/^ *$file\`//p" /tmp/o | sed 's/+0x.*//' | xargs
}
all="inner outer main _start"
expect "with sections" "$(frames full -c /tmp/full)" "$all $all"
expect "without" "$(frames bare -c /tmp/bare)" "$all $all"
cat >/tmp/memory.py <<'P'
import os
fd = os.memfd_create('unseen')
os.write(fd, open('/tmp/bare', 'rb').read())
os.execve(fd, ['unseen', 'stay'], os.environ)
P
python3 /tmp/memory.py &
pid=$!
trap 'kill $pid' EXIT
until_ok grep -q memfd:unseen "/proc/$pid/maps"
expect "in memory" "$(frames memfd:unseen -p $pid)" "$all $all"
kill $pid
trap - EXIT
got=$(dtrace -q -n 'pid$target:a.out:inner:entry, pid$target:a.out:inner:return { @[probename] = count(); }' -c /tmp/bare | xargs)
expect "its functions" "$got" "entry 2 return 2"
[ -n "${1:-}" ] || exec bash "$0" sysv
