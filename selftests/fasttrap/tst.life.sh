# SPDX-License-Identifier: GPL-2.0
# ASSERTION: forks, clones, exec, signals, faults, threads, text that is written anew: a traced program does what it does
# untraced, no child meets a breakpoint, and every run of an instruction is counted.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib

# Traces every instruction of both functions while the program runs: life MODE ARGUMENT; counts are in /tmp/o
life() {
	begin /tmp/life "$@"
	ask offset life form $(instructions life form) >/dev/null
	ask offset life load $(instructions life load) >/dev/null
	trace /tmp/o -n "pid$target:life:: { @[probefunc, probename] = count(); }"
	go_on
	end_well
	end_trace
	expect "$1: errors" "$(cat /tmp/o.err)" ""
}
count() { awk -v f="$1" -v n="$2" '$1 == f && $2 == n { print $3 }' /tmp/o; }
all() { for at in 0 1 4 a c d; do expect "$1 at $at" "$(count form $at)" "$2"; done; }

life fork 20
# Those of a child by fork are not the parent's; those in its memory are.
all fork $((10 + 20 * (1 + 10 + 10)))
life exec echo
all exec 10
life threads 20
all threads $((10 + 20 * 8 * 10))
life rewrite 3
all rewrite $((10 + 10))
life faults 100
# Mended in the handler, it comes back to the instruction.
expect "faults at 0" "$(count load 0)" $((100 + 100 + 50))
expect "faults at 3" "$(count load 3)" $((100 + 100))
life signals 200
grep -q "ticks 1" /tmp/said || fail "signals: $(cat /tmp/said)"
# Handlers jump out of calls: later instructions run less often, and none more often.
expect "signals" "$(for at in 0 1 4 a c d; do count form $at; done | sort -rnc 2>&1)" ""
