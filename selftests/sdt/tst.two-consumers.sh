# SPDX-License-Identifier: GPL-2.0
# ASSERTION: two consumers on one probe both see every firing, and one ending does not disturb the other.
. /src/selftests/lib/sh
driver many
trace /tmp/one -n 'many:main:args:one { @ = count(); } END { printa("%@d\n", @); }'
one=$tracer
trace /tmp/two -n 'many:main:args:one /arg0 % 2 == 0/ { @ = count(); } END { printa("%@d\n", @); }'
fire_many 100
end_trace
tracer=$one
fire_many 50
end_trace
expect one "$(grep -E "^[0-9]" /tmp/one)" 150
expect two "$(grep -E "^[0-9]" /tmp/two)" 50
