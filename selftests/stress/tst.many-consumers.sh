# SPDX-License-Identifier: GPL-2.0
# ASSERTION: each of 32 consumers of one probe gets every firing once: as a record or a counted drop, and in an
# aggregation or a counted drop. Some end while others still trace; the text is as before at the end.
. /src/selftests/lib/sh
driver many
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
/tmp/consumers count 32 200 || fail "$?"
/tmp/consumers count 1 2000 || fail "$?"
expect "text" "$(/src/selftests/lib/site-bytes many | awk '{ print $2 }' | sort -u)" 0f1f440000
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
