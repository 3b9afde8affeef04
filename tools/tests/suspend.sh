#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The machine sleeps, in each way that it has, while every function of the kernel is traced.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
out=$(tools/bare -t 1500 -d 1024 -k button selftests/bare/suspend 2>&1)
status=$?
passed=0 failed=0
for what in freeze mem 'hibernation, test_resume' 'hibernation, reboot' cpu1; do
	if grep -qx "$what: well" <<<"$out"; then
		echo "test $what ... ok"; passed=$((passed + 1))
	else
		echo "test $what ... FAILED"; failed=$((failed + 1))
	fi
done
if [ $status = 0 ] && grep -qx removed <<<"$out"; then
	echo "test module_is_removed_after_that ... ok"; passed=$((passed + 1))
else
	echo "test module_is_removed_after_that ... FAILED"; failed=$((failed + 1))
	printf 'status %d\n%s\n' $status "$out"
fi
[ $failed = 0 ] && result=ok || result=FAILED
echo "test result: $result. $passed passed; $failed failed;"
[ $failed = 0 ]
