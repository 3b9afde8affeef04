# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the least and the greatest number are values of min() and max(); after clear(), and nothing since, both are 0.
. /src/selftests/lib/sh
dtrace -q -n 'BEGIN { @a = min(0x7fffffffffffffff); @b = max(-0x7fffffffffffffff - 1); @c = min(0x7fffffffffffffff); @d = max(7); }
	BEGIN { clear(@c); clear(@d); printa("%@d %@d %@d %@d\n", @a, @b, @c, @d); exit(0); }' >/tmp/o 2>/tmp/err || fail "$(cat /tmp/err)"
expect extremes "$(grep . /tmp/o | head -1)" "9223372036854775807 -9223372036854775808 0 0"
