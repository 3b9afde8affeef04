#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a firing that dies by an error of the module, on a kernel that goes on after an oops, ends the tracing of everybody with
# a message and status 1; it is counted, the machine goes on, and later tracing works.
. "$(dirname "${BASH_SOURCE[0]}")/lib"

tools/buildroot run -- tools/kbuild tools/tests/provoke tests/provoke >"$d/log" 2>&1 || check provoke_builds false
krel=$(tools/buildroot kernel)
# It complains, as it should: the status says so, and the words are on stdout before.
tools/vm -t 120 -- bash -c '
	set -u
	echo 0 >/proc/sys/kernel/panic_on_oops
	at=$(awk "/\\[dtrace\\]/ && /8elements/ && /8Elements/ && /3set/ && /4fire/ { print \"0x\" \$1; exit }" /proc/kallsyms)
	echo "at ${at:+a place}"
	# The two others only look on; the second may stop processes.
	for n in 1 2; do
		dtrace $([ $n = 2 ] && echo -w) -q -n "BEGIN { printf(\"begun\\n\"); } syscall::getppid:entry { n++; } END { printf(\"end\\n\"); }" >/tmp/o$n 2>&1 &
		others[$n]=$!
	done
	begun() { until grep -q begun "$1"; do sleep 0.1; done; }
	begun /tmp/o1; begun /tmp/o2
	insmod "$1" how=there at=$at || echo no insmod
	# It takes the buffers of the CPU before anybody else has noticed.
	dtrace -q -x switchrate=50hz -n "BEGIN { printf(\"begun\\n\"); } syscall::getsid:entry { a[pid, execname] = timestamp; }" >/tmp/o 2>&1 &
	tracer=$!
	begun /tmp/o
	python3 -c "import os; os.getsid(0)"
	echo "victim $?"
	wait $tracer; echo "tracer $?"
	for n in 1 2; do wait ${others[$n]}; echo "other $n: $? $(tr "\n" " " </tmp/o$n)"; done
	sed "s/^/said: /" /tmp/o
	rmmod provoke
	dtrace -qn "BEGIN { a[1, \"x\"] = 5; printf(\"later %d \", a[1, \"x\"]); exit(0); }" | tr -d "\n"; echo "${PIPESTATUS[0]}"
	rmmod dtrace; echo "rmmod $?"
	dmesg | grep -c "a probe failed as it fired"
	' bash "/src/build/$krel/tests/provoke/provoke.ko" >"$d/out" 2>"$d/log"
rc=$?
report() { [ $failed -gt 1 ] || { echo "  status $rc"; cat "$d/out"; tail -n 60 "$d/log"; }; }
why='processing aborted: a probe failed as it fired, by an error in dtrace.ko; please report it with the kernel log'
check the_place_is_there grep -qx 'at a place' "$d/out"
check the_kernel_ends_the_thread grep -qx 'victim 13[0-9]' "$d/out"
check the_tracing_ends grep -qx 'tracer 1' "$d/out"
check it_says_why grep -qxF "said: dtrace: $why" "$d/out"
check the_loss_is_counted grep -qx 'said: dtrace: 1 nested probe drop' "$d/out"
check other_tracing_ends grep -qx "other 1: 1 begun dtrace: 1 nested probe drop dtrace: $why " "$d/out"
check destructive_tracing_ends grep -qx "other 2: 1 begun dtrace: 1 nested probe drop dtrace: $why " "$d/out"
check later_tracing_works grep -qx 'later 5 0' "$d/out"
check nothing_holds_the_module grep -qx 'rmmod 0' "$d/out"
check the_log_says_so_once [ "$(tail -n 1 "$d/out" | tr -d '\r')" = 1 ]
result
