# SPDX-License-Identifier: GPL-2.0
# ASSERTION: drivers of both forms and of both languages work the same without dtrace.ko, and their sites are
# as the compiler left them.
. /src/selftests/lib/sh
rmmod many rsdt hworld dtrace 2>/dev/null
driver many
driver rsdt
fire_many 10
alone=$(/src/selftests/lib/site-bytes many)
insmod "$module"
expect "call sites with dtrace.ko" "$(/src/selftests/lib/site-bytes many | grep -vc 0f1f440000)" 0
fire_many 10
rmmod dtrace
expect "call sites as before" "$(/src/selftests/lib/site-bytes many)" "$alone"
fire_many 10
insmod "$module"
trace /tmp/o -n 'rsdt:::fire { @ = count(); }' -Z
end_trace
dtrace -l -P rsdt | grep -q three || fail "no probes of the Rust driver"
