# SPDX-License-Identifier: GPL-2.0
# ASSERTION: events that come faster than a buffer lasts from one second to the next arrive all the same, in order: a buffer
# that is half full is taken at once.
# SECONDS: 120
. /src/selftests/lib/sh
n=100000
# Without looking, a buffer would be full after 10,900 of them.
dtrace -q -x bufsize=256k -n 'BEGIN { n = 0; } fbt::vfs_read:entry /pid == $target && arg2 == 1/ { printf("event %d\n", ++n); }
	END { printf("fired %d\n", n); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=$n" >/tmp/o 2>/tmp/e || { cat /tmp/e; fail "dtrace"; }
grep -i drop /tmp/e && fail "drops"
expect "fired" "$(grep fired /tmp/o)" "fired $n"
expect "in order" "$(awk '/^event/ { if ($2 != ++n) bad++ } END { print n + 0, bad + 0 }' /tmp/o)" "$n 0"
