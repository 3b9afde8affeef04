# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a kprobe on an enabled site keeps it from being disabled. The removal of dtrace.ko waits for it, and ends
# when the kprobe goes, or when the driver does.
. /src/selftests/lib/sh
events=/sys/kernel/tracing/kprobe_events
for ends in kprobe driver; do
	driver hworld
	trace /tmp/o -n 'hworld::: { @ = count(); }'
	# The address of the last site it looks at.
	site=$(python3 -c 'import runpy, sys
sys.argv[1:] = ["hworld"]
print(hex(runpy.run_path("/src/selftests/lib/site-bytes")["site"]))' | tail -1)
	echo "p:held $site" >$events || fail "no kprobe at $site"
	echo 1 >/sys/kernel/tracing/events/kprobes/held/enable || fail "kprobe not enabled"
	end_trace
	rmmod dtrace &
	removal=$!
	sleep 1
	kill -0 $removal 2>/dev/null || fail "dtrace.ko was removed while a kprobe leads to it"
	cat /dev/hworld >/dev/null 2>&1
	case $ends in
	kprobe)
		echo 0 >/sys/kernel/tracing/events/kprobes/held/enable
		echo "-:held" >>$events || fail "kprobe stays" ;;
	driver)
		rmmod hworld || fail "rmmod hworld" ;;
	esac
	until_ok sh -c "! kill -0 $removal"
	wait $removal || fail "rmmod dtrace"
	[ ! -e /sys/kernel/tracing/events/kprobes/held ] || echo 0 >/sys/kernel/tracing/events/kprobes/held/enable
	echo >$events
	insmod "$module" || fail "insmod"
done
