# SPDX-License-Identifier: GPL-2.0
# ASSERTION: who may not trace is told so.
. /src/selftests/lib/sh
expect mode "$(stat -c %a:%U /dev/dtrace/dtrace)" 600:root
setpriv --reuid 65534 --clear-groups dtrace -n BEGIN 2>/tmp/err
expect status $? 1
expect message "$(head -1 /tmp/err)" "dtrace: failed to initialize dtrace: DTrace requires additional privileges"
# Root without the capabilities, with a node that lets it in.
setpriv --bounding-set -all --inh-caps -all dtrace -n BEGIN 2>/tmp/err
expect "status without capabilities" $? 1
grep -q "DTrace requires additional privileges" /tmp/err || fail "$(cat /tmp/err)"
