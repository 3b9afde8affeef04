# SPDX-License-Identifier: GPL-2.0
# ASSERTION: nothing that a clause does takes more than 64 instructions for each unit that it is charged: every kind of operation and
# every subroutine at its worst arguments, with the longest strings there are and with short ones. A firing has 2^20 units.
# SECONDS: 200
. /src/selftests/lib/sh
python3 /src/selftests/bound/prices.py 65536 >/tmp/o 2>&1 || fail "$(cat /tmp/o)"
cat /tmp/o
python3 /src/selftests/bound/prices.py 256 >/tmp/o 2>&1 || fail "short strings: $(cat /tmp/o)"
