# SPDX-License-Identifier: GPL-2.0
# ASSERTION: doubles and floats of a program are printed by %e %f %g, trace(), print() and JSON as C prints them, and can be kept.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1
cat >f.c <<'C'
#include <stdio.h>
#include <unistd.h>
struct point { float x; double y; };
int main(void)
{
	struct point p = { 0.1f, -12345.678 };
	printf("%e %f %g %+.2f|%9.3E|%-9g|%09.1f\n", p.x, p.y, p.y, p.y, p.y, p.x, p.y);
	fflush(stdout);
	return write(-1, &p, sizeof p) > 0;
}
C
gcc -o f f.c || fail gcc
program='struct point { float x; double y; };
syscall::write:entry /pid == $target && (int)arg0 == -1/ { p = (struct point *)copyin(arg1, sizeof (struct point)); y = p->y; this->x = p->x;'
dtrace -q -n "$program"' printf("%e %f %g %+.2f|%9.3E|%-9g|%09.1f\n", p->x, p->y, y, y, y, this->x, y); }' -c ./f >out || fail "status"
expect "as in C" "$(sed -n 2p out)" "$(sed -n 1p out)"
expect "trace" "$(dtrace -q -n "$program"' trace(y); trace(this->x); }' -c ./f | sed -n 2p)" "-12345.6780.1"
expect "print" "$(dtrace -q -n "$program"' print(*p); }' -c ./f | grep -c 'float x = 0.1$\|double y = -12345.678$')" 2
dtrace -x oformat=json -o json -n "$program"' trace(y); }' -c ./f >/dev/null
grep -q '{"action":"trace","type":"float","value":-12345.678}' json || fail "$(cat json)"
