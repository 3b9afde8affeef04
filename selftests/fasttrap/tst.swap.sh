# SPDX-License-Identifier: GPL-2.0
# ASSERTION: probes of a library that was unloaded are not put into another one at its place: what is enabled then leaves
# the program as it was, and counts the new one.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
for n in 1 2; do
	gcc -O2 -shared -fPIC -DLIBRARY=$n -o /tmp/libswap$n.so /src/selftests/fasttrap/swap.c || fail "gcc -shared $n"
done
gcc -O2 -o /tmp/swap /src/selftests/fasttrap/swap.c || fail "gcc swap.c"
rm -f /tmp/go
mkfifo /tmp/go
/tmp/swap /tmp/libswap1.so /tmp/libswap2.so </tmp/go >/tmp/said 2>&1 &
target=$!
exec 3>/tmp/go
n=0
calls() {
	trace /tmp/o -n "pid$target:libswap*::entry { @[probemod] = count(); } pid$target:libswap*:: { this->any = 1; }"
	say call
	end_trace
	expect "$1" "$(sed 1,2d /tmp/o | xargs)" "$2"
}
until_ok grep -q '^ready 1' /tmp/said
calls first "libswap1.so 100"
say swap
expect "places" "$(sed -n 's/^ready.*at //p' /tmp/said | uniq | wc -l)" 1
calls second "libswap2.so 100"
say swap
calls again "libswap1.so 100"
# While the probes are enabled.
trace /tmp/o -n "pid$target:libswap*::entry { @[probemod] = count(); } pid$target:libswap*:: { this->any = 1; }"
say call
say swap
say call
say swap
say call
end_trace
calls last "libswap1.so 100"
exec 3>&-
end_well
