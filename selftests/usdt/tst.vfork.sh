# SPDX-License-Identifier: GPL-2.0
# ASSERTION: probes that a process registers in memory that it shares with another process are gone when it ends, even while
# they are traced; the other process goes on.
# SECONDS: 120
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build lib gcc -O0 -fPIC -DLIBRARY
gcc -shared -o lib.so lib.o lib.prov.o || fail "gcc -shared"
gcc -O1 -o vfork $here/vfork.c || fail "gcc vfork.c"
begin ./vfork "$PWD/lib.so"
wait_for "the child has opened the library" grep -q '^child' said
child=$(awk '/^child/ { print $2 }' said)
[ "$(told "$child")" -gt 0 ] || fail "the child has no probes"
trace o -n "toy$child:::tick { @ = count(); }"
echo >&3
wait_for "the child has ended" grep -q '^ended' said
none() { [ "$(told "$child")" = 0 ]; }
wait_for "its probes are gone" none
echo >&3
wait_for "the other process works" grep -q '^worked 0' said
end_trace
end_well
