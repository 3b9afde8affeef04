# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -c runs a command, -p looks at a process; the session ends with them, prints what is there, and leaves a
# process of -p alone; messages tell how it ended.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1
driver hworld
count='hworld::open1:entry /pid == $target/ { @ = count(); }'
expect "-c" "$(dtrace -q -n "$count" -c 'cat /proc/hello-world /proc/hello-world' 2>err | tail -1 | tr -d ' ')" 2
expect "quiet says nothing" "$(cat err)" ""
dtrace -n 'BEGIN { exit(0); }' -c 'sleep 100' >out 2>err || fail "exit with a command"
pgrep -x sleep >/dev/null && fail "the command outlives the session"
dtrace -n BEGIN -c 'bash -c "exit 3"' >out 2>err; expect "status" $? 0
grep -q 'dtrace: pid [0-9]* exited with status 3$' err || fail "$(cat err)"
dtrace -n BEGIN -c 'bash -c "kill -9 \$\$"' >out 2>err
grep -q 'dtrace: pid [0-9]* terminated by SIGKILL$' err || fail "$(cat err)"
dtrace -n BEGIN -c /nosuch >out 2>err && fail "a missing command is accepted"
grep -q '/nosuch.*No such file' err || fail "$(cat err)"
dtrace -n BEGIN -p 999999 >out 2>err && fail "a missing process is accepted"
expect "no process" "$(cat err)" "dtrace: failed to grab pid 999999: No such process"
sleep 1000 & victim=$!
dtrace -q -n 'BEGIN { printf("%d\n", $target); }' -p $victim >out 2>err & tracer=$!
until_ok grep -q $victim out
kill -0 $tracer || fail "ended before its target"
kill $victim; wait $victim 2>/dev/null
wait $tracer; expect "status after the target's end" $? 0
sleep 1000 & victim=$!
dtrace -q -n 'BEGIN { exit(0); }' -p $victim >out 2>err
kill -0 $victim || fail "the process was not left alone"
kill $victim
