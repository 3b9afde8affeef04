# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a probe that another tracer holds is left out and named; the others are enabled all the same. Who asks for
# that one alone is refused, and once the tracer is gone it is a probe like any other.
. /src/selftests/lib/sh
driver many
events=/sys/kernel/tracing/kprobe_events
probe=many:main:args:eight
site=$(python3 -c 'import runpy, sys
sys.argv[1:] = ["many"]
core = runpy.run_path("/src/selftests/lib/site-bytes")
for line in open("/proc/kallsyms"):
    word = line.split()
    if len(word) == 4 and word[3] == "[many]" and word[2].startswith("__dtrace_sdt.many___main___args___eight."):
        record = int(word[0], 16)
        print("site", hex(record + int.from_bytes(core["read"](record, 4), "little", signed=True)))' | sed -n "s,^site ,,p")
[ -n "$site" ] || fail "no record of $probe: $(grep __dtrace_sdt /proc/kallsyms | head -3)"
all=$(dtrace -ln 'many:::' | grep -c many)
echo "p:held $site" >$events || fail "no kprobe at $site"
echo 1 >/sys/kernel/tracing/events/kprobes/held/enable || fail "kprobe not enabled"

trace /tmp/o -n 'many::: { @[probename] = count(); }'
expect "what is said" "$(grep -A1 'left out' /tmp/o.err)" "dtrace: 1 of $all probes was left out:
  $probe: another tracer has changed the instruction there"
fire_many 3
end_trace
grep -q '^ *seven *6$' /tmp/o || fail "the others do not count: $(cat /tmp/o)"
# Its namesakes in call_args count alone.
grep -q '^ *eight *3$' /tmp/o || fail "the one that was left out counts: $(cat /tmp/o)"

dtrace -qn "$probe { @ = count(); } BEGIN { exit(0); }" >/tmp/o 2>&1 && fail "enabled: $(cat /tmp/o)"
grep -q "cannot enable $probe: another tracer has changed the instruction there" /tmp/o || fail "$(cat /tmp/o)"
# Two clauses, of which one still has probes, do not save the other.
dtrace -qn "many:main:args:one, $probe { @ = count(); } BEGIN { exit(0); }" >/tmp/o 2>&1 && fail "enabled: $(cat /tmp/o)"
expect "text" "$(/src/selftests/lib/site-bytes many | grep -v ___args___eight | awk '{ print $2 }' | sort -u)" 0f1f440000

echo 0 >/sys/kernel/tracing/events/kprobes/held/enable
echo >$events
trace /tmp/o -n "$probe { @ = count(); }"
[ ! -s /tmp/o.err ] || fail "$(cat /tmp/o.err)"
fire_many 2
end_trace
expect "count" "$(tr -d ' \n' </tmp/o)" ready2
