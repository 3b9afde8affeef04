# SPDX-License-Identifier: GPL-2.0
# ASSERTION: with every function's entry and end traced, a CPU goes and comes back 50 times under load (5 unless THOROUGH=1); what runs on a
# CPU that cannot take a breakpoint has no probe, and says so.
# SECONDS: 600
. /src/selftests/lib/sh
refused() {
	dtrace -ln "fbt::$1:$2" >/tmp/o 2>/tmp/e && fail "$1:$2 has a probe: $(cat /tmp/o)"
	grep -q "$1 runs while a CPU cannot take a breakpoint" /tmp/e || fail "$1:$2: $(cat /tmp/e)"
}
for f in secondary_startup_64 early_setup_idt cr4_init native_write_cr4 wakeup_long64 restore_registers machine_kexec; do
	refused $f entry
done
for f in start_secondary restore_processor_state cpuhp_ap_report_dead hlt_play_dead play_dead_common acpi_mp_play_dead; do refused $f return; done
cpu=/sys/devices/system/cpu/cpu1/online
(while :; do cat /proc/meminfo /proc/interrupts >/dev/null; done) &
load=$!
trap 'kill $load 2>/dev/null; echo 1 >$cpu 2>/dev/null' EXIT
trace /tmp/o -n 'fbt:::entry, fbt:::return { @ = count(); }'
for i in $(seq "$(rounds 50)"); do
	echo 0 >$cpu || fail "round $i: cpu1 does not go"
	echo 1 >$cpu || fail "round $i: cpu1 does not come back"
done
end_trace
echo "$i rounds" >&2
[ "$(tail -1 /tmp/o)" -gt 100000 ] || fail "few firings: $(cat /tmp/o /tmp/o.err)"
grep -qx 0-1 /sys/devices/system/cpu/online || fail "online: $(cat /sys/devices/system/cpu/online)"
