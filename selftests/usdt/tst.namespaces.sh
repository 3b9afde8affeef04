# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program in namespaces of its own, as in a container, run by a user, has its probes under the number that the
# root namespace knows it by, and is traced from there, functions and types too; a command within sees the same.
# SECONDS: 600
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build app gcc -O2
gcc -o app app.o app.prov.o || fail gcc
chmod -R a+rX .
trace o -Z -n 'toy*:::tick { printf("%d %d\n", probeprov == strjoin("toy", lltostr(pid)), pid != nspid); }'
inside=$(setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Urpf --mount-proc sh -c 'echo $$ $(id -u); ./app 3; true')
end_trace
expect "a user's container" "$(echo $inside)" "1 0 enabled 3000"
expect "its probes" "$(sed 1d o | xargs)" "1 1 1 1 1 1"

begin unshare -pf --mount-proc sh -c 'exec ./app'
unshared=$target
target=$(pgrep -P $unshared) || fail "it is not there"
trace o -n 'pid$target:app:work:entry { printf("entry %d\n", pid == $target); }
	toy$target:::tick { printf("tick %d %s\n", pid == $target, copyinstr(args[1])); }' -p $target
step x
end_trace
expect "by its number outside" "$(sed 1d o | xargs)" "entry 1 tick 1 measured here"
target=$unshared
end_well

# A command within counts processes as is done there.
unshare -pf --mount-proc dtrace -qn 'pid$target:app:work:entry { printf("%d %d %d %s\n", nspid == $target, pid != $target, execname == "app", probefunc); }' \
	-c './app 1' >o 2>&1
expect "a command within" "$(grep work o)" "1 1 1 work"
