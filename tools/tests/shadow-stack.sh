#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that turns its shadow stack on after its calls have got probes runs on; those probes are counted as left out.
. "$(dirname "${BASH_SOURCE[0]}")/lib"

tools/buildroot run -b "$d=/shares/shadow" -- gcc -O1 -static -fcf-protection=none -o /shares/shadow/shadow selftests/bare/shadow.c \
	>"$d/log" 2>&1 || check it_builds false
tools/bare -e bochs -x -s 1 -t 900 -f "$d/shadow" selftests/bare/shadow-stack 2>"$d/log" | tr -d '\r' >"$d/out"
report() { [ $failed -gt 1 ] || { cat "$d/out"; tail -n 40 "$d/log"; }; }
check the_processor_has_shadow_stacks grep -qx user_shstk "$d/out"
check the_program_has_one grep -qx 'enabled 0' "$d/out"
check it_ends_well grep -qx 'status 0' "$d/out"
check it_did_its_work grep -qx 'sum 110' "$d/out"
check calls_fired_before [ "$(grep -c ' 10$' "$d/out")" = 2 ]
check other_probes_go_on grep -qx 'return 20' "$d/out"
check calls_are_left_out grep -q '^dtrace: 2 new' "$d/out"
result
