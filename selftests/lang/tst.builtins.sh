# SPDX-License-Identifier: GPL-2.0
# ASSERTION: pid tid ppid uid gid execname cpu tell who fired the probe and where.
. /src/selftests/lib/sh
driver hworld
trace /tmp/out -n 'hworld::open1:entry { printf("%d %d %d %d %d %s %d\n", pid, tid, ppid, uid, gid, execname, cpu); }'
# A copy under a name of its own reads the file on CPU 0.
cp /bin/cat /tmp/reader
taskset -c 0 /tmp/reader /proc/hello-world >/dev/null &
child=$!; wait $child
echo "$child $child $$ 0 0 reader 0" >/tmp/want
taskset -c 1 setpriv --reuid 1000 --regid 1001 --clear-groups /tmp/reader /proc/hello-world >/dev/null &
child=$!; wait $child
echo "$child $child $$ 1000 1001 reader 1" >>/tmp/want
# A thread has its own tid.
python3 -c '
import os, threading
def read():
    open("/proc/hello-world").close()
    print(os.getpid(), threading.get_native_id(), os.getppid(), 0, 0, end=" ")
t = threading.Thread(target=read); t.start(); t.join()' >/tmp/thread
end_trace
expect "processes" "$(sed -n 2,3p /tmp/out)" "$(cat /tmp/want)"
expect "thread" "$(sed -n 4p /tmp/out | cut -d' ' -f1-5)" "$(cut -d' ' -f1-5 /tmp/thread)"
[ "$(cut -d' ' -f1 /tmp/thread)" != "$(cut -d' ' -f2 /tmp/thread)" ] || fail "the thread is the process"
