# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whatever a user tells of his process, it is an errno or probes of that process; nothing of it stays, and there
# is a limit; without memory nothing has changed.
# SECONDS: 900
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build_dof
rmmod dtrace && insmod "$module" fail_ioctl=1 || fail insmod
before=$(dtrace -l | wc -l)
expect "a user" "$(setpriv --reuid 65534 --regid 65534 --clear-groups ./app 1)" "enabled 0"
setpriv --reuid 65534 --regid 65534 --clear-groups env DTRACE_DOF_INIT_DEBUG=1 ./app 1 2>&1 | grep -q "registered: /dev/dtrace/helper" ||
	fail "a user may not"
setpriv --reuid 65534 --regid 65534 --clear-groups python3 $here/hostile.py users || fail "hostile"
setpriv --reuid 65534 --regid 65534 --clear-groups python3 $here/hostile.py bombs || fail "bombs"
python3 $here/hostile.py memory || fail "memory"
python3 $here/hostile.py shares || fail "shares"
umount groups
wait_for "nothing has stayed" eval '[ "$(dtrace -l | wc -l)" = '"$before"' ]'
rmmod dtrace && insmod "$module" || fail "rmmod"
