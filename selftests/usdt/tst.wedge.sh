# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program whose memory never answers (a FUSE daemon, a userfaultfd, slots that it unmaps) keeps itself waiting,
# and nobody else: others register, fork, are traced, and drivers come and go. It can be killed.
# SECONDS: 900
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build_dof
mkdir away
python3 $here/wedge.py serve away >served 2>&1 &
daemon=$!
wait_for "the file system is there" ls away/file

# Holds and traces one that wants to hear of its slots' end, and does not listen: deafen NAME FD
deafen() {
	hold $1 - 0 $2
	wait_for "$1" grep -q '^ready' $1.out
	trace o.$1 -n "toy$held:::tick { }"
	echo watch >&$2
	wait_for "$1 watches" grep -q '^done watch' $1.out
}

# What it needs is there: nothing behind that is waited for.
hold near away/file 0 5
near=$held
wait_for "probes of the first page" grep -q '^ready' near.out
others "a page behind that never comes"
trace o.near -n "toy$near:::tick { }"
end_trace
expect "it is traced" "$(cat o.near.err)" ""

# What it needs never comes.
hold far away/file 4090 6
far=$held
wait_for "the daemon was asked" grep -q '^left waiting' served
wait_for "it waits in ADD" in_ioctl $far
others "an ADD that waits"
kill -9 $far
wait_for "it has been killed" gone $far
expect "it never came back" "$(grep -c ready far.out)" 0

# It is told of its slots' end, and does not listen.
deafen deaf 7
deaf=$held
end_trace
others "nobody hears that slots are unmapped"
trace o.deaf -n "toy$deaf:::tick { }"
end_trace
expect "it is traced again" "$(cat o.deaf.err)" ""

# It removes its probes while they are traced, and does not listen.
deafen shy 9
shy=$held
echo remove >&9
wait_for "its probes are gone" grep -q '^done remove' shy.out
end_trace
others "nobody hears that slots are unmapped by a REMOVE"

# It takes its slots away: the next one to want one there is refused, and nobody else.
hold torn - 0 8
torn=$held
wait_for "torn" grep -q '^ready' torn.out
trace o.torn -n "toy$torn:::tick { }"
echo unmap >&8
wait_for "they are away" grep -q '^done unmap' torn.out
begin ./app
first=$tracer
trace o.both -n "toy*:::tick-more { @[pid] = count(); } END { printa(\"%d\n\", @); }"
step x
end_trace
expect "others are traced" "$(grep -c "^$target$" o.both)" 1
grep -q "unmapped the memory in which probed instructions run" o.both.err || { cat o.both.err; fail "it does not say so"; }
trace o.both -n "toy$torn:::tick-more { }"
end_trace
expect "then it has new ones" "$(cat o.both.err)" ""
tracer=$first
end_trace
end_well

# It has a file of its own in their place, whose pages its file system might keep locked: nothing is written there.
hold lender - 0 10
wait_for "lender" grep -q '^ready' lender.out
trace o.lender -n "toy$held:::tick { }"
echo lend >&10
wait_for "it is lent" grep -q '^done lend' lender.out
dtrace -qn "toy$held:::tick-more { } tick-1s { exit(0); }" >o.both 2>&1
grep -q "unmapped the memory in which probed instructions run" o.both || { cat o.both; fail "it does not say so of a file"; }
end_trace
exec 10>&-
wait_for "it tells" grep -q '^written' lender.out
expect "bytes written to its file" "$(grep '^written' lender.out)" "written 0"

exec 5>&- 6>&- 7>&- 8>&- 9>&-
kill -9 $near $deaf $shy $torn
kill -9 $daemon
for pid in $near $deaf $shy $torn; do
	wait_for "all can be killed" gone $pid
done
umount away
rmmod dtrace || fail "rmmod"
insmod "$module" || fail insmod
