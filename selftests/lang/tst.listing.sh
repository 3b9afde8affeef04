# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -S lists the compiled objects on stderr; -e compiles only; the seed's three objects are these words.
. /src/selftests/lib/sh
dtrace -S -e -n 'BEGIN{a=1;b=2;trace(a+b);}' >/tmp/out 2>/tmp/err || fail "status"
expect "stdout" "$(cat /tmp/out)" ""
words=$(awk '/^DIFO/ { if (n++) printf " / " } /^[0-9][0-9]: / { printf "%s ", $2 }' /tmp/err)
expect "the seed" "$words" "25000001 2a050001 23000001  / 25000001 2a050101 23000001  / 29050001 29050102 07010201 23000001 "
sed 's/^DIFO 0x[0-9a-f]*/DIFO/' /tmp/err
