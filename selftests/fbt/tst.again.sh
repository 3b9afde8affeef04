# SPDX-License-Identifier: GPL-2.0
# ASSERTION: functions that one CPU executes all the time can be enabled and disabled many times by another one,
# and no byte of the kernel is another one afterwards.
# SECONDS: 300
. /src/selftests/lib/sh
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"
rm -f /tmp/stop
busy() { taskset -c "$1" sh -c 'while [ ! -e /tmp/stop ]; do read line </proc/self/stat; cat /proc/version >/dev/null; done'; }
busy 1 & a=$!
# TIMES=1000 takes nine minutes here.
times=${TIMES:-$(rounds 200)}
taskset -c 0 /tmp/consumers again $times vfs_read || fail "vfs_read"
taskset -c 0 /tmp/consumers again $((times / 4)) 'vfs_*' || fail "vfs_*"
# They do fire.
dtrace -qn 'fbt:vmlinux:vfs_read: { @[probename] = count(); }' -c 'cat /proc/version' >/tmp/o || fail "dtrace"
grep -q '^ *entry' /tmp/o && grep -q '^ *return' /tmp/o || fail "nothing fired: $(cat /tmp/o)"
touch /tmp/stop
wait $a
/src/selftests/lib/kernel-text compare /tmp/text || fail "the text is not what it was"
