# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while probes of a program are made, enabled or disabled, it is an error or costs
# some probes; the program's text is as it was and the program runs on; what it does while no memory is to be had (forks,
# threads, its end) needs none.
# SECONDS: 900
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
rmmod dtrace && insmod "$module" fail_ioctl=1 || fail insmod

# Sweeps through the allocations of a request for probes until it succeeds; gives how many there are.
sweep() {
	local n said
	for n in $(seq 0 500); do
		said=$(FAIL=$n ask "$@" 2>&1) && { echo "$n"; return; }
		[ "$said" = "make: Cannot allocate memory" ] || fail "making after $n allocations: $said"
	done
	fail "making never succeeds"
}

begin /tmp/life loop
go_on
places=$(instructions life form)
sweep entry life load 0 >/tmp/n || exit 1
sweep return life load 3 >>/tmp/n || exit 1
sweep offset life form $places >>/tmp/n || exit 1
echo "allocations: $(xargs </tmp/n)"
[ "$(sort -n /tmp/n | head -1)" -ge 3 ] || fail "too few allocations failed: $(xargs </tmp/n)"
# What was made before an allocation failed is there, once.
listed() { dtrace -l -n "pid$target:life:$1:$2" | awk 'NR > 1 { print $5 }' | sort | xargs; }
expect "listed" "$(listed form '?') $(listed load '?*n*')" "0 1 4 a c d entry return"
at=$(where form)
EVERY="$(one_of 4)"
export EVERY TARGET=$target TEXT="0x${at% *}-0x$(printf %x $((0x${at% *} + ${at#* })))"
for step in ENABLE GO close; do
	/tmp/consumers memory $step form || fail "$step"
done
unset TARGET TEXT
dtrace -qn "pid$target:life:form: { @[probename] = count(); } pid$target:life:form:0 /++hits == 20/ { exit(0); } END { printa(\"%s\n\", @); }" >/tmp/o || fail dtrace
expect "fires" "$(sort /tmp/o | xargs)" "0 1 4 a c d entry return"
kill -0 "$target" || fail "the program is gone"
kill -9 "$target"
wait "$target" 2>/dev/null

# From here on there is none while the program runs.
mkfifo /tmp/fail
/tmp/make let-fail </tmp/fail >/tmp/set &
exec 4>/tmp/fail
no_memory() { : >/tmp/set; echo "$1" >&4; until_ok grep -q '^set' /tmp/set; }
for mode in "fork 20" "threads 20" "exec echo"; do
	# shellcheck disable=SC2086
	begin /tmp/life $mode
	ask offset life form $places >/dev/null
	trace /tmp/o -n "pid$target:life:form: { @[probename] = count(); }"
	no_memory 0
	go_on
	end_well
	no_memory -1
	end_trace
	expect "$mode: errors" "$(cat /tmp/o.err)" ""
	case $mode in fork*) n=$((10 + 20 * (1 + 10 + 10))) ;; threads*) n=$((10 + 20 * 8 * 10)) ;; *) n=10 ;; esac
	expect "$mode" "$(awk 'NF == 2 { print $2 }' /tmp/o | sort | uniq -c | xargs)" "8 $n"
done
exec 4>&-
gone() { ! dtrace -l -P "pid$target" >/dev/null 2>&1; }
until_ok gone
rmmod dtrace || fail "rmmod"
insmod "$module" fail_ioctl=0 || fail insmod
