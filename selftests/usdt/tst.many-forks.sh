# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a server that forks far more often than there are EPIDs and ids of probes is traced to the end: what its dead
# children had is used again, and each record is told of the child that it is of; with speculations, too.
# SECONDS: 900
# FORKS: in all; AT_ONCE: of those so many before the consumer has printed and forgotten them.
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
forks=${FORKS:-200} at_once=${AT_ONCE:-50}
# Ids: three of each child, as many again, and those of the probes that are there before. EPIDs: four of each child, and as
# many that a busy consumer has not given back.
with_module without_fbt=1
before=$(dtrace -l | wc -l)
with_module without_fbt=1 few_ids=$((before + at_once * 6)) few_epids=$((at_once * 8 + 60))
dtrace -h -s $here/forks.d && gcc -I. -O2 -c -o forks.o $here/forks.c && dtrace -G -s $here/forks.d -o prov.o forks.o &&
	gcc -o forks forks.o prov.o || fail "not built"
ticks() { grep -c '"name":"tick-10hz"' o; }
ticked() { [ "$(ticks)" -ge "$1" ]; }
alone() { [ "$(dtrace -ln 'forks*:::child' 2>/dev/null | grep -c forks)" = 1 ]; }
memory() { awk '/^(SUnreclaim|VmallocUsed):/ { n += $2 } END { print n }' /proc/meminfo; }
size() { awk '/^VmRSS:/ { print $2 }' "/proc/$tracer/status"; }

for how in plain speculated; do
	case $how in
	plain) record='trace(pid);' ;;
	speculated) record='self->s = speculation(); speculate(self->s); trace(pid);' ;;
	esac
	cat >forks.script <<D
forks*:::child { $record }
forks*:::child { $([ $how = plain ] && echo 'trace(arg0);' || echo 'commit(self->s); self->s = 0;') }
forks*:::child /pid % 5 == 0/ { trace(*(int *)16); }
forks*:::child { @["all"] = count(); }
tick-10hz { trace("tick"); }
D
	begin ./forks
	dtrace -x oformat=json -x switchrate=20hz -x cleanrate=20hz -x nspec=64 -s forks.script >o 2>o.err 3>&- &
	tracer=$!
	until_ok ticked 1
	made=0
	while [ $made -lt "$forks" ]; do
		echo "$at_once" >&3
		made=$((made + at_once))
		wait_for "$made children" grep -qx "done $made" said
		wait_for "the dead are forgotten" alone
		# A round has printed what came after them, and the next one has begun: twice, for speculations. A busy
		# machine prints many ticks in one round, so one is waited for at a time.
		for _ in 1 2 3 4 5 6; do
			now=$(ticks)
			until_ok ticked $((now + 1))
		done
		[ -z "${FORKS:-}" ] || [ $((made % 1000)) != 0 ] || echo "$made: consumer $(size) KiB, kernel $(memory) KiB"
	done
	end_trace
	end_well
	[ ! -s o.err ] || fail "$(head o.err)"
	python3 - $how "$made" <<'P' || fail "$how: $(tail -c 2000 o)"
import json, sys
how, made = sys.argv[1], int(sys.argv[2])
seen, faults, wrong = {}, 0, []
for line in open("o"):
    line = json.loads(line)
    if line["type"] == "fault":
        provider = line["probe"]["provider"]
        faults += provider.startswith("forks")
        if not provider.startswith("forks") or int(provider[5:]) % 5:
            wrong.append(line)
    if line["type"] in ("drop", "error", "note"):
        wrong.append(line)
    if line["type"] != "record" or not line["probe"]["provider"].startswith("forks"):
        continue
    pid = line["probe"]["provider"][5:]
    if line["probe"]["name"] != "child" or any(str(a.get("value", pid)) != pid for a in line["actions"]):
        wrong.append(line)
    seen.setdefault(pid, []).append(line["timestamp"])
    if line["type"] == "aggregation":
        pass
each = 2 if how == "plain" else 1
short = {pid: n for pid, n in seen.items() if len(n) % each}
print(how, "children", len(seen), "records", sum(map(len, seen.values())), "faults", faults)
wanted = made * each
got = sum(map(len, seen.values()))
if wrong or short or got != wanted or not faults:
    sys.exit(f"{got} records of {wanted}; wrong: {wrong[:3]}; short: {list(short.items())[:3]}; {faults} faults")
P
done
