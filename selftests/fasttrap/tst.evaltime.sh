# SPDX-License-Identifier: GPL-2.0
# ASSERTION: how far a command has come when its probes are made decides whether calls of constructors are seen, and its
# libraries.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
program=/tmp/toy
calls() { dtrace -q "$@" -n 'pid$target:a.out:tock:entry { @ = count(); } END { printa("%@d", @); }' -c "$program 5" 2>&1; }
expect "by default" "$(calls)" 6
for when in exec preinit; do expect "$when" "$(calls -x evaltime=$when)" 6; done
for when in postinit main; do expect "$when" "$(calls -x evaltime=$when)" 5; done

# The same of one that is linked statically.
program=/tmp/static
gcc -static -O2 -o $program /src/selftests/fasttrap/toy.c 2>/dev/null || fail "gcc -static"
for when in exec preinit; do expect "static, $when" "$(calls -x evaltime=$when)" 6; done
expect "static, main" "$(calls -x evaltime=main)" 5

writes() { dtrace -q "$@" -n 'pid$target:libc:write:entry { @ = count(); } END { printa("%@d", @); }' -c '/usr/bin/echo x' 2>&1; }
for when in preinit main; do expect "write, $when" "$(writes -x evaltime=$when | xargs)" "x 1"; done
writes -x evaltime=exec >/tmp/o
grep -q 'has no object libc' /tmp/o || { cat /tmp/o; fail "libc before it is mapped"; }
calls -x evaltime=never >/tmp/o && fail "evaltime=never was taken"
grep -q 'evaltime' /tmp/o || { cat /tmp/o; fail "what is wrong with evaltime"; }
