# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the memory of slots goes with the last probe of a process, but not while a thread is in one: then afterwards.
# Children do not keep it either. The program goes on as if nothing had been.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -o /tmp/sits /src/selftests/fasttrap/sits.c || fail "gcc sits.c"
# What can be run and is of no file.
slots() { awk '$2 == "r-xp" && $5 == 0 && NF == 5' "/proc/$target/maps" | wc -l; }
none() { [ "$(slots)" = 0 ]; }
sits() { [ "$(cut -d' ' -f1 "/proc/$target/syscall")" = 0 ]; }
at() { cut -d' ' -f9 "/proc/$target/syscall"; }
# Has it go on by one byte; then it sits again.
step() {
	local before=$(wc -l </tmp/said)
	printf %s "$1" >&3
	said() { [ "$(wc -l </tmp/said)" -gt "$before" ]; }
	until_ok said
	until_ok sits
}
begin /tmp/sits
until_ok sits
home=$(at)
expect "before" "$(slots)" 0
for n in 1 2 3; do
	trace /tmp/o -n "pid$target:sits:main: { @ = count(); }"
	expect "round $n, traced" "$(slots)" 1
	end_trace
	until_ok none
done

# In a slot it sits where no file is.
trace /tmp/o -n "pid$target:sits:sit: { @ = count(); }"
step .
[ "$(at)" != "$home" ] || fail "it sits at home"
end_trace
sleep 1
expect "with the thread inside" "$(slots)" 1
step .
expect "it sits" "$(at)" "$home"
until_ok none

# A child does not keep its parent's.
trace /tmp/o -n "pid$target:sits:main: { @ = count(); }"
step f
expect "a child" "$(grep child /tmp/said)" "child 0"
end_trace
until_ok none

# A handler returns to the system call's own place: nothing keeps the slots.
trace /tmp/o -n "pid$target:sits:sit: { @ = count(); }"
step .
kill -USR1 "$target"
handled() { grep -q signal /tmp/said && sits; }
until_ok handled
end_trace
step .
expect "it sits" "$(at)" "$home"
until_ok none
exec 3>&-
end_well
