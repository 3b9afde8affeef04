# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that registers probes at ever new addresses, and always has some, does not collect the memory of
# those that are gone, and nothing happens to a thread that runs in one that stays. What cannot be forgotten counts for
# its user.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build_dof
trace o -Z -n 'litter*:::{ @ = count(); } END { printa("fired %@d\n", @); }'
setpriv --reuid 65534 --regid 65534 --clear-groups python3 $here/hostile.py litter || fail "litter"
end_trace
[ "$(awk '/^fired/ { print $2 }' o)" -ge $((20 * 3000)) ] || { cat o o.err; fail "the probes did not fire"; }
trace o -Z -n 'litter*:::{ @ = count(); }'
setpriv --reuid 65534 --regid 65534 --clear-groups python3 $here/hostile.py kept || fail "kept"
end_trace
