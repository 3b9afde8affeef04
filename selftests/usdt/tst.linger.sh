# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a thread that maps a file, and then keeps itself from returning to its program, cannot keep rmmod waiting: the
# module is in use, until the thread goes on.
# SECONDS: 120
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
cp /bin/true file
chmod -R a+rX .
begin setpriv --reuid 65534 --regid 65534 --clear-groups python3 $here/linger.py file
trace o -Z -n 'nothing*:::{ }'
echo >&3
mapping() { [ "$(cut -d' ' -f1 /proc/$target/syscall)" = 9 ] && ! grep -q '^back' said; }
wait_for "it waits behind mmap" mapping
end_trace
mapping || fail "it has not waited"
rmmod dtrace >removed 2>&1 &
remover=$!
ended() { ! grep -q '^State:	[RSD]' /proc/$remover/status; }
for n in $(seq 100); do ended 2>/dev/null && break; sleep 0.1; done
ended 2>/dev/null || { kill -9 $target; fail "rmmod waits"; }
wait $remover && fail "removed while a thread is on its way into it"
grep -q 'in use' removed || { cat removed; fail "it does not say why"; }
kill -9 $target
wait_for "it can be removed" rmmod dtrace
insmod "$module" || fail insmod
