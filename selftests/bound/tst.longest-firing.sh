# SPDX-License-Identifier: GPL-2.0
# ASSERTION: no firing takes longer than 20 ms and the one operation that is under way (5 ms), by the clock that counts instructions,
# whatever the clause does; one that would is ended with the classic message.
# SECONDS: 200
. /src/selftests/lib/sh
python3 /src/selftests/bound/longest.py || fail "too long, or not ended"
