# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program whose file comes from a server that never answers keeps itself waiting, and nobody else. It can be killed.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build_dof
mkdir away
python3 $here/nfs.py away >served 2>&1 &
server=$!
wait_for "the file system is there" ls away/file

hold near away/file 0 5
near=$held
wait_for "probes of the first page" grep -q '^ready' near.out
others "a page behind that never comes"
trace o.near -n "toy$near:::tick { }"
end_trace
expect "it is traced" "$(cat o.near.err)" ""

hold far away/file 4090 6
far=$held
wait_for "it waits in ADD" in_ioctl $far
others "an ADD that waits"
kill -9 $far $near
exec 5>&- 6>&-
for pid in $far $near; do
	wait_for "it has been killed" gone $pid
done
expect "it never came back" "$(grep -c ready far.out)" 0
umount -fl away
kill -9 $server
rmmod dtrace || fail "rmmod"
insmod "$module" || fail insmod
