# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program whose descriptions match more probes than a consumer may enable is refused before anything is enabled, and
# others trace on.
# SECONDS: 180
. /src/selftests/lib/sh
all=$(printf 'fbt:::,%.0s' {1..16})
dtrace -n "${all%,}" >/tmp/o 2>&1 && fail "it was enabled"
grep -q 'too many enabled probes' /tmp/o || { cat /tmp/o; fail "no reason"; }
grep -q 'matched' /tmp/o && fail "ENABLE accepted it: $(cat /tmp/o)"
expect "another" "$(dtrace -qn 'BEGIN { trace("ok"); exit(0); }' 2>&1)" ok
