# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a library that is written anew in place, under its inode, while it is not loaded, has its probes where its functions
# are now; what it had before is not taken for it, and the program is well.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
library() { # PADDING: so many bytes of code before the functions
	gcc -O2 -shared -fPIC -DLIBRARY -x c -o "$1" - /src/selftests/fasttrap/plugin.c /src/selftests/fasttrap/toy.c <<C || fail "gcc -shared"
asm(".text\n.globl padding\n.type padding,@function\npadding: .fill $2, 1, 0x90\nret\n.size padding, .-padding");
C
}
library /tmp/libplug.so 1
library /tmp/other.so 1003
[ "$(nm /tmp/libplug.so | grep ' begun$')" != "$(nm /tmp/other.so | grep ' begun$')" ] || fail "the function has not moved"
gcc -O2 -o /tmp/plugin /src/selftests/fasttrap/plugin.c || fail "gcc plugin.c"
inode=$(stat -c %i /tmp/libplug.so)
begin /tmp/plugin /tmp/libplug.so
trace /tmp/o -Z -x statusrate=1h -n "pid$target:libplug.so:begun:entry,pid$target:libplug.so:begun:return { @[probename] = count(); } pid$target:libplug.so:padding:entry { @[\"wrong\"] = count(); }"
for round in 1 2 3; do
	echo >&3
	until_ok grep -qx "loaded $round" /tmp/said
	[ $((round % 2)) = 0 ] && library /tmp/next.so 1 || library /tmp/next.so 1003
	cat /tmp/next.so >/tmp/libplug.so
	expect "its inode" "$(stat -c %i /tmp/libplug.so)" "$inode"
done
exec 3>&-
end_well
end_trace
expect "errors" "$(grep -v 'times a process went on before' /tmp/o.err)" ""
[ -s /tmp/o.err ] || expect "calls" "$(sed 1d /tmp/o | xargs -n2 | sort | xargs)" "entry 6 return 6"
exit 0
