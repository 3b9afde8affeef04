# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a probe that does not exist gets the classic message and the nearest names.
. /src/selftests/lib/sh
driver hworld
dtrace -n 'hworld:open_module:opem1:entry' 2>/tmp/err
expect status $? 1
grep -q 'probe description hworld:open_module:opem1:entry does not match any probes' /tmp/err || fail "$(cat /tmp/err)"
grep -q 'hworld:open_module:open1:entry' /tmp/err || fail "no near name: $(cat /tmp/err)"
