# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the buffers of a consumer take a quarter of the available memory on all CPUs together, those of all consumers half of the
# machine's; what is freed can be used again. The variables of a program count too.
# SECONDS: 180
. /src/selftests/lib/sh
kb() { awk -v what="$1:" '$1 == what { print $2 }' /proc/meminfo; }
cpus=$(nproc)
# try BUFSIZE: as much on each CPU, and one spare.
try() { dtrace -q -b "$1" -x bufresize=manual -n 'BEGIN { trace("ok"); exit(0); }' 2>&1; }
refusal='the kernel has no memory for bufsize of'
expect "an eighth" "$(try $(($(kb MemAvailable) / 8 / (cpus + 1)))k)" ok
size=$(($(kb MemAvailable) * 3 / 8 / (cpus + 1)))
try ${size}k | grep -qF "$refusal $((size * 1024)) bytes" || fail "three eighths: $(try ${size}k)"
# Clause-local variables of 256 MiB on each CPU.
python3 - >/tmp/large.d <<'P'
print("struct large { char c[65535]; };")
for n in range(4090):
    if n % 250 == 0: print(f"this struct large {', '.join(f'v{n + i}' for i in range(250) if n + i < 4090)};")
for n in range(4090):
    if n % 250 == 0: print("tick-1h {" if n == 0 else "}\ntick-1h {")
    print(f"this->v{n} = *(struct large *)arg0;")
print("}\nBEGIN { exit(0); }")
P
[ $(($(kb MemAvailable) / 4)) -gt $((cpus << 18)) ] || {
	dtrace -q -s /tmp/large.d -b 4k >/tmp/o 2>&1 && fail "$((cpus * 256)) MiB of variables"
	grep -qF 'too many bytes of variables' /tmp/o || fail "variables: $(cut -c1-300 /tmp/o)"
}
# Fourteen parts of 32 fit into a half; with the rest of what a consumer has, sixteen may not.
size=$(($(kb MemTotal) / 32 / (cpus + 1)))k
tracers=()
for n in $(seq 14); do
	trace /tmp/o$n -b $size -x bufresize=manual -n 'tick-1h { trace(1); }'
	tracers+=("$tracer")
done
trace /tmp/o -n 'tick-1h { trace(1); }' -b $size
try $(($(kb MemTotal) / 16 / (cpus + 1)))k | grep -qF "$refusal" || fail "more than a half"
expect "a small one" "$(try 4k)" ok
kill -INT "$tracer" "${tracers[@]}"
wait "$tracer" "${tracers[@]}"
expect "after them" "$(try $(($(kb MemTotal) / 16 / (cpus + 1)))k)" ok
