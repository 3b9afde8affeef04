# SPDX-License-Identifier: GPL-2.0
# ASSERTION: scripts in the manner of the DTrace toolkit run as commands, unchanged: one-liners grown up, snoopers, distributions,
# profiles, flows, speculations, structs of their own, destructive actions.
. /src/selftests/lib/sh
cd /src/selftests/lang/scripts || exit 1
echo traced >/tmp/traced
out=/tmp/out
set -o pipefail
# A pipe, as cat reads nothing where it can have the kernel copy from file to file.
# script NAME COMMAND [ARGUMENTS]: its output is in $out; it ends well and says nothing of errors.
script() {
	name=$1 command=$2
	shift 2
	./"$name.d" -c "$command" "$@" 2>/tmp/err | cat >$out || fail "$name: $(cat /tmp/err)"
	! grep -i "error\|drop" /tmp/err || fail "$name: $(cat /tmp/err)"
}
has() {
	grep -Eq -- "$1" $out || fail "$name: no line like '$1' in: $(cat $out)"
}
script syscalls-by-process "cat /tmp/traced"
has "^ EXEC                 SYSCALL                     COUNT$"
has "^ cat                  exit_group                      1$"
script rwsnoop "cat /tmp/traced" cat
has "^    0 +[0-9]+ cat              R       7 /tmp/traced$"
has "^    0 +[0-9]+ cat              W       7 "
script opensnoop "cat /tmp/traced"
has "^20[0-9]{2} [A-Z][a-z]{2} .* cat +3   0 /tmp/traced$"
has "slowest, ns +[0-9]+$"
script iodist "cat /tmp/traced"
has "^read us$"
has "^total [0-9]+ KB$"
has "^deviation [0-9]+ us$"
script hotkernel "sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i+1)); : </dev/null; done'"
has "^vmlinux\`[a-z_0-9.]+ +[0-9]+$"
has "^vmlinux +[0-9]+$"
script functime "dd if=/tmp/traced of=/dev/null count=1"
has "-> vfs_write +7$"
has "<- vfs_write +7$"
script failures "cat /tmp/traced /nosuch || true" cat
has "^cat/openat /nosuch: error 2 \(none\)$"
! grep -q "/tmp/traced" $out || fail "failures: what opened is kept: $(cat $out)"
script lifetimes "sh -c 'cat /tmp/traced; true'"
has "^cat          ended well     1$"
has "^[0-9]+ <- [0-9]+ cat /tmp/traced \[cat\]$"
script taskfiles "cat /tmp/traced"
has "^  cat +in +[0-9]+$"
has "^  cat +0 +1$"
script stopped "uname"
has "^uname asks \(in time\)$"
has "^heard of uname$"
has "^stacks there: 1, 1$"
# Nobody listens there.
cat >/tmp/connect.py <<'P'
import os, socket
socket.socket().connect_ex(("127.0.0.1", 7))
os.write(2, b"")
os.write(2, b"eight by")
P
script soconnect "python3 /tmp/connect.py 2>/dev/null"
has "^python3 127.0.0.1:7 111$"
has "^nothing \[\]$"
has "^text \[eight by\]$"
name=vmstat
./vmstat.d >$out 2>&1 || fail "vmstat: $(cat $out)"
expect "vmstat's lines" "$(grep -c ' load [0-9]*\.[0-9][0-9]$' $out)" 2
has "time: busy$"
