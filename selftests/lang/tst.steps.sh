# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -S -v says how many steps each object takes at most: the longest way through it, strings by the length that
# strsize allows; the kernel finds the same number, and refuses an expression whose way is longer than a firing may take.
. /src/selftests/lib/sh
most() { dtrace -S -v -e "$@" 2>&1 | sed -n 's/^DIFO.*, at most \([0-9]*\) steps$/\1/p' | paste -sd' '; }
expect "a straight line" "$(most -n 'BEGIN { trace(pid + 1); }')" 4
# Of a choice the longer way: tst, branch, one arm, the jump over the other.
expect "a choice" "$(most -n 'BEGIN { trace(pid ? tid + 1 : 2); }')" 8
expect "strings" "$(most -n 'BEGIN { trace(strlen(execname)); }')" 106
expect "long strings" "$(most -x strsize=4k -n 'BEGIN { trace(strlen(execname)); }')" 1306
expect "the program's own strsize" "$(most -n '#pragma D option strsize=4k
BEGIN { trace(strlen(execname)); }')" 1306
dtrace -S -e -n 'BEGIN { trace(1); }' 2>&1 | grep -q steps && fail "without -v"

calls=$(printf 'strlen(execname) + %.0s' $(seq 90))
echo "BEGIN { trace($(printf "($calls 0) + %.0s" 1 2 3 4 5 6) 0); exit(0); }" >/tmp/long.d
dtrace -q -s /tmp/long.d >/tmp/out 2>/tmp/err || fail "short strings: $(cat /tmp/err)"
dtrace -q -x strsize=64k -s /tmp/long.d >/tmp/out 2>/tmp/err && fail "it ran"
grep -q "may take up to $(most -x strsize=64k -s /tmp/long.d | cut -d" " -f1) steps, but a firing may take at most 1048576" /tmp/err || fail "$(cat /tmp/err)"
