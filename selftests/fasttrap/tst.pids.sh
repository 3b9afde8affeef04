# SPDX-License-Identifier: GPL-2.0
# ASSERTION: running processes are traced by their numbers, several at once, functions by what a resolver has chosen, of
# stripped and static programs what is there; the session is over when all have ended. What cannot be says why.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
begin /tmp/toy
mkfifo /tmp/go2
/tmp/toy </tmp/go2 >/tmp/said2 &
second=$!
exec 4>/tmp/go2
until_ok grep -q ready /tmp/said2
# A command is there until all of its probes are listed.
every() { dtrace -l -n "pid\$target:libc:[a-f]*:" "$@" 2>/dev/null | wc -l; }
expect "probes of a command" "$(every -c '/tmp/toy 1')" "$(every -p $target)"
trace /tmp/o -p $target -p $second -n "pid$target:a.out:tock:entry,pid$second::tock:entry { @[pid] = count(); }" \
	-n 'pid$target:libc:strlen:entry /copyinstr(arg0) == "measured here"/ { @[0] = count(); }'
echo >&3
echo >&4
echo >&4
exec 4>&-
go_on
end_well
wait $second
# It ends by itself.
wait $tracer || fail "status $?"
expect "calls" "$(awk -v a=$target -v b=$second 'NF == 2 { print ($1 == a) ? "first" : ($1 == b) ? "second" : $1, $2 }' /tmp/o | sort | xargs)" \
	"0 20 first 20 second 20"

strip -o /tmp/bare /tmp/toy
gcc -static -O2 -o /tmp/static /src/selftests/fasttrap/toy.c 2>/dev/null || fail "gcc -static"
of() { dtrace -q -n "pid\$target:$2 { @ = count(); } END { printa(\"%@d\", @); }" -c "/tmp/$1 4" 2>&1; }
expect "static" "$(of static a.out:tock:entry)" 5
expect "stripped" "$(of bare libc:strlen:entry | awk '{ print ($1 >= 4) }')" 1

# says TAG TEXT ARGUMENT...
says() {
	local tag=$1 text=$2
	shift 2
	dtrace -x errtags "$@" >/tmp/o 2>&1 && fail "taken: $*"
	grep -q "\[$tag\].*$text" /tmp/o || { cat /tmp/o; fail "not [$tag] $text: $*"; }
}
says D_PROC_DYN "is linked statically: it has no object libc" -n 'pid$target:libc:write:entry' -c '/tmp/static 1'
says D_PDESC_ZERO "bare:tock:entry does not match any probes" -n 'pid$target:a.out:tock:entry' -c '/tmp/bare 1'
says D_PDESC_ZERO "libnone::entry does not match any probes" -n 'pid$target:libnone::entry' -c '/tmp/toy 1'
says D_PROC_NAME 'has no probe `exit`' -n 'pid$target:a.out:tock:exit' -c '/tmp/toy 1'
says D_PROC_OFF "offset 0x1000 is not in toy:tock" -n 'pid$target:a.out:tock:1000' -c '/tmp/toy 1'
says D_PROC_ALIGN "no instruction of toy:tock begins at 0x1" -n 'pid$target:a.out:tock:1' -c '/tmp/toy 1'
says D_PROC_GRAB "failed to grab process 4194304: No such process" -n 'pid4194304:::entry'
says D_PROC_GRAB "failed to grab process 2: it runs no program" -n 'pid2:::entry'
says D_PROC_BADPID "has no valid process id" -n 'pid0:::entry'
says D_PDESC_ZERO "does not match any probes" -n 'pid$target::no_such_*:entry' -c '/tmp/toy 1'
