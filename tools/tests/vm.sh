#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ASSERTION: tools/vm keeps its promises: exit statuses, streams, arguments, shared folders.
. "$(dirname "${BASH_SOURCE[0]}")/lib"

vm() { tools/vm --no-module "$@" >"$d/out" 2>"$d/err"; rc=$?; }
report() {
	echo "  status $rc"
	sed 's/^/  out: /' "$d/out" | head -n 20
	sed 's/^/  err: /' "$d/err" | head -n 20
}
same() { [ "$1" = "$2" ]; }

tools/buildroot run -- tools/kbuild tools/tests/provoke tests/provoke >"$d/out" 2>&1 || { rc=1; check provoke_builds false; }
krel=$(tools/buildroot kernel)
provoke=/src/build/$krel/tests/provoke/provoke.ko

# One boot for what one boot can show.
mkdir "$d/shared dir"
echo from-host >"$d/shared dir/in"
# shellcheck disable=SC2016
args=('' ' two  spaces ' $'line\nbreak' "quote's" 'double"quote' '$HOME `id` \n' '*' 'ünï' '--' '-t')
# shellcheck disable=SC2016
vm -m 900 -s 2 -S "$d/shared dir=/mnt/host dir" -- bash -c '
	echo to-out; echo to-err >&2
	echo again >/dev/stderr
	cat "/mnt/host dir/in"; echo from-guest >"/mnt/host dir/out"
	uname -r; nproc; id -u; awk "/MemTotal/ { print int(\$2 / 1024) }" /proc/meminfo
	[ -e /sys/module/dtrace ] && echo module-there
	touch /src/x 2>/dev/null && echo checkout-writable; touch /usr/x 2>/dev/null && echo root-writable
	touch /tmp/x /run/x /var/tmp/x /root/x /dev/shm/x || echo no-scratch
	[ -d /sys/kernel/tracing/events ] && [ -d /sys/kernel/debug/tracing ] && [ -e /sys/fs/cgroup/cgroup.procs ] && echo mounted
	printf "%s\0" "$@" >"/mnt/host dir/args"
	head -c 3000000 /dev/zero | tr "\0" z
	exit 7' bash "${args[@]}"
check status_is_the_commands same $rc 7
check stdout_and_stderr_are_apart same "$(head -n1 "$d/out") $(grep -c to-err "$d/out") $(head -n1 "$d/err") $(grep -c again "$d/err")" "to-out 0 to-err 1"
check shared_folder_is_read grep -qx from-host "$d/out"
check shared_folder_is_written same "$(cat "$d/shared dir/out")" from-guest
check kernel_is_the_stock_one grep -qxF "$krel" "$d/out"
check two_processors same "$(sed -n 4p "$d/out")" 2
check runs_as_root same "$(sed -n 5p "$d/out")" 0
check memory_as_asked [ "$(sed -n 6p "$d/out")" -gt 700 ]
check memory_not_more [ "$(sed -n 6p "$d/out")" -lt 900 ]
check no_module_means_none [ "$(grep -c module-there "$d/out")" = 0 ]
check root_and_checkout_are_read_only [ "$(grep -c writable "$d/out")" = 0 ]
check scratch_folders_are_writable [ "$(grep -c no-scratch "$d/out")" = 0 ]
check file_systems_are_mounted grep -qx mounted "$d/out"
printf '%s\0' "${args[@]}" >"$d/args"
check arguments_survive cmp -s "$d/args" "$d/shared dir/args"
check output_is_complete same "$(tr -dc z <"$d/out" | wc -c)" 3000000

vm -- true
check success_is_0 same $rc 0
vm -- no-such-command
check unknown_command_is_127 same $rc 127
vm -- bash -c 'sleep 1000 & echo left one behind; disown; exit 3'
check background_process_does_not_hold_it same $rc 3
check output_before_it_arrives grep -q 'left one behind' "$d/out"

begin=$SECONDS
vm -t 3 -- sleep 600
check time_out_is_124 same $rc 124
check time_out_comes_before_the_end [ $((SECONDS - begin)) -lt 600 ]
vm --icount -t 60 -- sleep 600
check idle_time_is_skipped_with_icount same $rc 0
vm --icount --mt -- true
check icount_excludes_mt same $rc 125

vm -- bash -c 'reboot -f 2>/dev/null; echo b >/proc/sysrq-trigger; sleep 60'
check guest_that_goes_away_is_125 same $rc 125
VM_APPEND=root=nowhere vm -- true
check guest_that_does_not_boot same $rc 125
vm -S "$d/not there=/mnt/x" -- true
check missing_shared_folder_is_125 same $rc 125

VM_CONSOLE=$d/console vm -- bash -c 'echo c >/proc/sysrq-trigger; sleep 60'
check panic_is_70 same $rc 70
check panic_is_shown grep -q 'sysrq triggered crash' "$d/err"
check console_is_kept grep -q 'Linux version' "$d/console"
for how in warn oops bug; do
	vm -- insmod "$provoke" how=$how
	check ${how}_is_70 same $rc 70
done
vm -- insmod "$provoke" how=nothing
check harmless_module_is_0 same $rc 0
vm -- bash -c 'echo "<3>rcu: INFO: rcu_preempt self-detected stall on CPU" >/dev/kmsg'
check rcu_stall_is_70 same $rc 70
vm -- bash -c 'echo "<4>WARNING: possible circular locking dependency detected" >/dev/kmsg'
check lockdep_is_70 same $rc 70
# What the kernel says of a processor is no report.
vm -- bash -c 'echo "<4>Speculative Return Stack Overflow: WARNING: See https://kernel.org" >/dev/kmsg'
check mention_of_a_warning_is_0 same $rc 0
# A race that KCSAN reports is ours if a function of a module is in the report.
race() {
	vm -- bash -c 'for line in "=====" "BUG: KCSAN: data-race in a / b" "write to 0xff of 4 bytes by task 0 on cpu 1:" " $1" "====="; do
		echo "<0>$line" >/dev/kmsg; done' - "$1"
}
race ' tick_nohz_handler+0x1ea/0x2c0'
check race_of_the_kernel_is_0 same $rc 0
race ' kapi_wake+0x1ea/0x2c0 [dtrace]'
check race_of_ours_is_70 same $rc 70
vm -- bash -c 'echo "<0>watchdog: BUG: soft lockup - CPU#0 stuck for 22s!" >/dev/kmsg'
check soft_lockup_is_70 same $rc 70

# Two at once, from inside the build root, as the test runner does.
# shellcheck disable=SC2016
tools/buildroot run -- bash -c '
	tools/vm --no-module -- bash -c "sleep 1; exit 4" & a=$!
	tools/vm --no-module -- bash -c "sleep 1; exit 5" & b=$!
	wait $a; ra=$?; wait $b; echo "$ra $?"' >"$d/out" 2>"$d/err"
rc=$?
check two_at_once same "$(cat "$d/out")" "4 5"

check nothing_stays_mounted [ "$(grep -c dtrace-rs/roots /proc/mounts)" = 0 ]
echo
result
