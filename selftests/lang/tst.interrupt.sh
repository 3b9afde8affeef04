# SPDX-License-Identifier: GPL-2.0
# ASSERTION: ^C and SIGTERM stop tracing: END fires, aggregations are printed, status 0. A closed pipe ends it too. A second signal ends it at once, whatever it is doing.
. /src/selftests/lib/sh
driver many
for signal in INT TERM; do
	dtrace -q -n 'BEGIN { printf("ready\n"); } many:main:args:one { @ = count(); } END { printf("end\n"); }' >/tmp/out 2>/tmp/err & tracer=$!
	until_ok grep -q ready /tmp/out
	fire_many 5
	kill -$signal $tracer
	wait $tracer; expect "status after $signal" $? 0
	expect "output after $signal" "$(tr -d ' \n' </tmp/out)" "readyend5"
	expect "nothing on stderr" "$(cat /tmp/err)" ""
done
bash -c 'dtrace -q -x switchrate=10ms -n "many:main:args:one { printf(\"%d\n\", arg0); }" | head -1' >/tmp/out 2>&1 &
reader=$!
for n in $(seq 900); do fire_many 5; kill -0 $reader 2>/dev/null || break; sleep 0.1; done
wait $reader; expect "status of the pipe" $? 0
expect "the first line" "$(wc -l </tmp/out)" 1
dtrace -w -q -n 'BEGIN { system("touch /tmp/began; exec sleep 60"); } END { printf("end\n"); }' >/tmp/out 2>/tmp/err & tracer=$!
until_ok test -f /tmp/began
kill -INT $tracer
sleep 0.5
kill -0 $tracer || fail "the first signal interrupted what a record asks for"
kill -INT $tracer
wait $tracer; expect "status after the second signal" $? 1
expect "no END after it" "$(cat /tmp/out)" ""
