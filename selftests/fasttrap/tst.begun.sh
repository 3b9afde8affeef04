# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that begins while a description may mean it waits for its probes, however short it runs: each of its firings
# is counted; so is a library that another one loads. Programs without such probes wait once. A consumer that is stopped or killed
# holds nobody up for long, and tells what it missed.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
ran_on='dtrace: [0-9]* times a process went on before the probes in a newly mapped file were ready'
told() { grep -c "^$ran_on$" /tmp/o.err; }
gcc -O2 -shared -fPIC -DLIBRARY -o /tmp/libplug.so /src/selftests/fasttrap/plugin.c /src/selftests/fasttrap/toy.c || fail "gcc -shared"
gcc -O2 -o /tmp/plugin /src/selftests/fasttrap/plugin.c || fail "gcc plugin.c"
echo 'int main(void) { return 0; }' | gcc -x c -o /tmp/nothing - || fail "gcc"
# Nobody looks but when he is told.
trace /tmp/o -x statusrate=1h -n 'toy*:libplug.so::tick { @ = count(); } END { printa("%@d\n", @); }' -Z
for n in 1 2 3 4 5; do
	/tmp/plugin /tmp/libplug.so 1 >/tmp/said || fail "plugin: $?"
	/tmp/nothing || fail "nothing: $?"
done
end_trace
expect "errors" "$(grep -v "^$ran_on$" /tmp/o.err)" ""
[ "$(told)" -gt 0 ] || expect "firings" "$(sed 1d /tmp/o | xargs)" 5000

# A command of the consumer's own does not wait for it in vain.
dtrace -wqZ -n 'toy*:libplug.so::tick { @ = count(); } toy*:libplug.so::tick /++n == 1000/ { exit(0); } BEGIN { system("cp /tmp/nothing /tmp/fresh; /tmp/fresh; /tmp/plugin /tmp/libplug.so 1 >/tmp/said"); } tick-60s { exit(1); } END { printa("%@d\n", @); }' >/tmp/o 2>/tmp/o.err || grep -q "^$ran_on$" /tmp/o.err || fail "system: $(cat /tmp/o.err)"
[ -s /tmp/o.err ] || expect "a command of ours" "$(xargs </tmp/o)" 1000

is_stopped() { grep -q '^State:.T' "/proc/$tracer/status"; }
stop() { kill -STOP "$tracer"; until_ok is_stopped; }
trace /tmp/o -x statusrate=1h -n 'toy*:libplug.so::tick { @ = count(); }' -Z
stop
cp /tmp/nothing /tmp/one && /tmp/one || fail "one that begins while the consumer is stopped"
cp /tmp/nothing /tmp/two && /tmp/two || fail "another one"
kill -CONT "$tracer"
until_ok grep -q "^$ran_on$" /tmp/o.err
stop
cp /tmp/nothing /tmp/three
/tmp/three &
three=$!
kill -KILL "$tracer"
wait "$tracer"
wait "$three" || fail "one that begins while the consumer is killed"
exit 0
