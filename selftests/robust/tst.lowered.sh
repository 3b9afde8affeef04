# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a size for which there is no memory is lowered, told, and enough to trace with; with bufresize=manual it is refused with
# its name.
# SECONDS: 120
. /src/selftests/lib/sh
try() {
	local option=$1 what=$2 program=$3 size=${4:-$((16 << 30))}
	dtrace -q -x "$option=$size" -x nspec=32 -n "$program" >/tmp/o 2>/tmp/o.err || fail "$option: $(cat /tmp/o.err)"
	grep -qx "dtrace: $what size lowered to [1-9][0-9]*[mk]" /tmp/o.err || fail "$option: it says $(cat /tmp/o.err)"
	expect "$option: messages" "$(wc -l </tmp/o.err)" 1
	expect "$option: output" "$(tr -d '\n ' </tmp/o)" ok
	dtrace -q -x "$option=$size" -x nspec=32 -x bufresize=manual -n "$program" >/tmp/o 2>&1
	expect "$option: status with manual" $? 1
	expect "$option: manual" "$(head -1 /tmp/o)" "dtrace: could not enable tracing: the kernel has no memory for $option of $size bytes; a smaller one, or bufresize=auto, helps"
}
try bufsize buffer 'BEGIN { printf("ok"); exit(0); }'
try aggsize aggregation 'BEGIN { @["o"] = count(); printa("%sk", @); exit(0); }'
try dynvarsize 'dynamic variable' 'BEGIN { a["x"] = "ok"; } BEGIN { printf("%s", a["x"]); exit(0); }'
try specsize speculation 'BEGIN { s = speculation(); } BEGIN { speculate(s); printf("ok"); } BEGIN { commit(s); } BEGIN { exit(0); }' \
	$((32 << 20))
expect "enough" "$(dtrace -q -n 'BEGIN { printf("ok"); exit(0); }' 2>&1)" ok
