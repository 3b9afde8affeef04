# SPDX-License-Identifier: GPL-2.0
# ASSERTION: self-> variables that find no room are counted and told: kept + dropped = assigned; unset ones give their room back.
. /src/selftests/lib/sh
vars=$(for i in $(seq 90); do printf 'self->v%d = "x"; ' "$i"; done)
sum=$(for i in $(seq 90); do printf ' + (self->v%d == "x")' "$i"; done)
kept=$(dtrace -q -x dynvarsize=4k -n "BEGIN { $vars } BEGIN { printf(\"%d\", 0 $sum); exit(0); }" 2>/tmp/err)
drops=$(sed -n 's/^dtrace: \([0-9]*\) dynamic variable drops$/\1/p' /tmp/err)
expect "kept + dropped" $((kept + ${drops:-0})) 90
[ "$kept" -gt 0 ] && [ "${drops:-0}" -gt 0 ] || fail "kept $kept, dropped $drops"
again=$(for i in $(seq 100); do printf 'BEGIN { self->v = "x"; n += self->v == "x"; self->v = 0; } '; done)
expect "room comes back" "$(dtrace -q -x dynvarsize=4k -n "$again BEGIN { printf(\"%d\", n); exit(0); }" 2>&1)" 100
