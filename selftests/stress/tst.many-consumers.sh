# SPDX-License-Identifier: GPL-2.0
# ASSERTION: each of 32 consumers of one probe gets every firing once: as a record or a counted drop, and in an
# aggregation or a counted drop. Some end while others still trace; the text is as before at the end. 128 can trace at a time, 64 of one user.
. /src/selftests/lib/sh
driver many
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
/tmp/consumers count 32 200 || fail "$?"
/tmp/consumers count 1 2000 || fail "$?"
/tmp/consumers count 128 20 || fail "$?"
/tmp/consumers count 129 1 >/tmp/o && fail "129 consumers at a time"
grep -q 'start: Argument list too long' /tmp/o || fail "$(cat /tmp/o)"
/tmp/consumers count 1 20 || fail "one after them: $?"
chmod 666 /dev/dtrace/dtrace
few='-all,+perfmon,+bpf'
of_user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set $few --inh-caps $few --ambient-caps $few \
		/tmp/consumers start "$1" 0 >/tmp/o
}
of_user 64 || fail "64 of a user: $(cat /tmp/o)"
of_user 65 && fail "65 of a user"
grep -q 'start: Argument list too long' /tmp/o || fail "$(cat /tmp/o)"
chmod 600 /dev/dtrace/dtrace
expect "text" "$(/src/selftests/lib/site-bytes many | awk '{ print $2 }' | sort -u)" 0f1f440000
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
