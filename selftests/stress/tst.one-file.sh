# SPDX-License-Identifier: GPL-2.0
# ASSERTION: threads and killed children that throw ioctls at one open file while it is replaced under them get an
# errno or a sound answer; nothing stays enabled.
# SECONDS: 150
. /src/selftests/lib/sh
driver many
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
/tmp/consumers race 4 100 || fail "$?"
expect "text" "$(/src/selftests/lib/site-bytes many | awk '{ print $2 }' | sort -u)" 0f1f440000
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
