# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a child that was copied from a program before one library replaced another at the same address has the
# breakpoints of the first one removed, although the places of the second one are known before the child begins.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
for n in 1 2; do
	gcc -O2 -shared -fPIC -DLIBRARY=$n -o /tmp/libswap$n.so /src/selftests/fasttrap/swap.c || fail "gcc -shared $n"
done
gcc -O2 -pthread -o /tmp/swap /src/selftests/fasttrap/swap.c || fail "gcc swap.c"
dmesg -C
begin /tmp/swap /tmp/libswap1.so /tmp/libswap2.so
trace /tmp/o -x switchrate=50hz -n "pid$target:libswap*::entry /!told[probemod]/ { told[probemod] = 1; printf(\"%s\n\", probemod); }
	pid$target:libswap*:: { this->any = 1; }"
fires() { say call; grep -q "^libswap$1.so" /tmp/o; }
until_ok fires 1
say fork
# It has copied the memory, and waits.
is_forking() { grep -q '^57 ' /proc/$target/task/*/syscall; }
until_ok is_forking
say swap
expect "places" "$(sed -n 's/^ready.*at //p' /tmp/said | uniq | wc -l)" 1
until_ok fires 2
say end
expect "the child" "$(tail -n 1 /tmp/said)" "child 700"
end_trace
exec 3>&-
end_well
! dmesg | grep 'could not be taken out' || fail "the log says something"
