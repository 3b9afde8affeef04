# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program whose control group may have no more memory gets its probes all the same. Nothing of the group is
# killed for them: the pages that breakpoints change are charged beyond the limit.
# SECONDS: 120
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
mkdir -p /tmp/groups && mount -t cgroup2 none /tmp/groups || fail cgroup2
trap 'umount -l /tmp/groups' EXIT
group=/tmp/groups/limited
echo +memory >/tmp/groups/cgroup.subtree_control && mkdir "$group" || fail "no group"
events() { awk -v e="$1" '$1 == e { print $2 }' "$group/memory.events"; }
begin sh -c "echo 0 >$group/cgroup.procs; exec /tmp/calls 1 10"
# All that it has, and not a page more; there is no swap.
limit=$(cat "$group/memory.current")
echo "$limit" >"$group/memory.max" || fail "no limit"
kill -0 "$target" || fail "the limit has killed the program"
trace /tmp/o -n "pid$target:libc.so.6::entry, pid$target:calls:leaf:entry { @[probefunc] = count(); }"
expect "errors" "$(cat /tmp/o.err)" ""
kill -0 "$target" || fail "the probes have killed the program"
expect "killed" "$(events oom_kill)" 0
have=$(cat "$group/memory.current")
[ "$have" -gt $((limit + 500000)) ] || fail "the group has $have bytes, and had $limit: what were the breakpoints written to?"
echo max >"$group/memory.max"
go_on
end_well
end_trace
expect "calls" "$(awk '$1 == "leaf" { print $2 }' /tmp/o)" 10
expect "errors" "$(cat /tmp/o.err)" ""
