# SPDX-License-Identifier: GPL-2.0
# ASSERTION: all probes of fbt at once, while both CPUs do everything a machine does: every firing is counted, every function
# returns as often as it is entered but for the calls under way, and afterwards the text is byte for byte what it was.
# SECONDS: 900
. /src/selftests/lib/sh
text() { /src/selftests/lib/kernel-text "$1" /tmp/text || fail "the text is not what it was: $2"; }
ftraced() { cat /sys/kernel/tracing/enabled_functions; }
load() { taskset -c "$1" /src/selftests/lib/load "$2" >"/tmp/load$1" 2>&1; }
both() { load 0 "$1" & first=$!; load 1 "$1" & second=$!; }
loaded() { wait $first && wait $second || fail "the load: $(cat /tmp/load0 /tmp/load1)"; }
# As trace, which does not wait as long.
trace_all() {
	: >/tmp/o
	dtrace -q -x strsize=64 -x aggsize=16m -x bufsize=64k -n 'BEGIN { printf("ready\n"); }' -n "$1" >/tmp/o 2>/tmp/o.err &
	tracer=$!
	until grep -q '^ready' /tmp/o; do
		kill -0 "$tracer" 2>/dev/null || fail "dtrace ended early: $(cat /tmp/o.err)"
		sleep 0.5
	done
}
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
# What the kernel changes in itself when something is used the first time.
/src/selftests/lib/load 1 >/dev/null || fail "load"
rmmod hworld 2>/dev/null
ftraced_before=$(ftraced)
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"

trace_all 'fbt::: { @[probemod, probefunc, probename] = count(); }
	fbt::: { @all = count(); }
	END { printa("%s %s %s %@d\n", @); printa("all %@d\n", @all); }'
both 1
loaded
end_trace || fail "dtrace: $(tail -5 /tmp/o.err)"
text compare "everything was disabled"
expect "what ftrace has" "$(ftraced)" "$ftraced_before"
grep -v 'left out\|^ *fbt:' /tmp/o.err | grep -q . && fail "$(cat /tmp/o.err)"
left=$(awk '/probes? w.* left out/ { print $2 }' /tmp/o.err)
[ "${left:-0}" -le 20 ] || fail "$(cat /tmp/o.err)"
dtrace -ln 'fbt:::' >/tmp/probes
python3 - <<'P' || fail "counts"
import collections
KNOWN = 2 * 300
# Functions of one name are counted as one: each of them must have both probes.
probes = collections.Counter()
for line in open("/tmp/probes"):
    words = line.split()
    if words[1] == "fbt":
        probes[tuple(words[-3:])] += 1
count, total = collections.Counter(), None
for line in open("/tmp/o"):
    words = line.split()
    if len(words) == 4:
        count[tuple(words[:3])] = int(words[3])
    elif words and words[0] == "all":
        total = int(words[1])
assert len(probes) > 90000, f"{len(probes)} probes"
assert total == sum(count.values()), f"{total} firings, {sum(count.values())} of them by name"
left_out = {tuple(line.split(":")[1:4]) for line in open("/tmp/o.err") if line.startswith("  fbt:")}
under_way, functions, worst = 0, 0, []
for module, name in {key[:2] for key in count}:
    entry, back = (module, name, "entry"), (module, name, "return")
    if probes[entry] != probes[back] or entry in left_out or back in left_out:
        continue
    functions += 1
    differ = count[entry] - count[back]
    under_way += abs(differ)
    worst.append((abs(differ), name, count[entry], count[back]))
worst.sort(reverse=True)
import sys
print(f"{total} firings, {functions} functions, {under_way} calls under way or begun before: {worst[:12]}", file=sys.stderr)
assert functions > 3000, f"only {functions} functions ran"
for name in ("__x64_sys_sched_get_priority_max", "__x64_sys_getpriority", "__x64_sys_getsid"):
    for what in ("entry", "return"):
        n = count["vmlinux", name, what]
        assert n == KNOWN, f"{name}:{what} fired {n} times, not {KNOWN}"
# A thread that sleeps is in some 20 functions, one that ended has left 30 for good.
assert under_way < 20000 and under_way * 100 < total, f"{under_way} of {total}: {worst}"
P
