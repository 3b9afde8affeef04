# SPDX-License-Identifier: GPL-2.0
# ASSERTION: without the module every use says what is missing; what needs no kernel still works.
. /src/selftests/lib/sh
for args in "-l" "-n BEGIN" "-V"; do
	# shellcheck disable=SC2086
	dtrace $args >/tmp/out 2>/tmp/err
	rc=$?
	case $args in
	-V) expect "-V" "$rc" 0 ;;
	*)	expect "$args" "$rc" 1
		expect "$args" "$(head -1 /tmp/err)" "dtrace: failed to initialize dtrace: DTrace device not available on system" ;;
	esac
done
dtrace -S -e -n 'BEGIN{a=1;b=2;trace(a+b);}' 2>&1 | grep -oE '\b(25000001|2a050001|23000001|2a050101|29050001|29050102|07010201)\b'
