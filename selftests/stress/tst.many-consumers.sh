# SPDX-License-Identifier: GPL-2.0
# ASSERTION: each of 32 consumers of one probe gets every firing once: as a record or a counted drop, and in an
# aggregation or a counted drop. Some end while others still trace; the text is as before at the end. 128 can trace at a time.
. /src/selftests/lib/sh
driver many
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
/tmp/consumers count 32 200 || fail "$?"
/tmp/consumers count 1 2000 || fail "$?"
/tmp/consumers count 128 20 || fail "$?"
/tmp/consumers count 129 1 >/tmp/o && fail "129 consumers at a time"
grep -q 'start: Argument list too long' /tmp/o || fail "$(cat /tmp/o)"
/tmp/consumers count 1 20 || fail "one after them: $?"
expect "text" "$(/src/selftests/lib/site-bytes many | awk '{ print $2 }' | sort -u)" 0f1f440000
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
