# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that replaces its text by a copy while it is traced, in shared memory, in memory of another file or
# in huge pages, is traced on, and is well when the tracing ends; so are its children, during and after that.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O1 -no-pie -Wl,-z,max-page-size=0x200000 -o /tmp/copied /src/selftests/fasttrap/copied.c || fail "gcc copied.c"
complaints() { dmesg | grep -c "fasttrap: breakpoints could not be taken out"; }
before=$(complaints)
echo 16 >/proc/sys/vm/nr_hugepages
step() {
	local last=$(grep -c "^$1 " /tmp/said)
	printf %s "$1" >&3
	done_it() { [ "$(grep -c "^$1 " /tmp/said)" -gt "$last" ] || ! kill -0 "$target" 2>/dev/null; }
	until_ok done_it "$1"
	kill -0 "$target" 2>/dev/null || { wait "$target"; fail "$how: the program has ended with $? at \"$1\", $2"; }
	expect "$how: $1, $2" "$(grep "^$1 " /tmp/said | tail -n 1)" "$1 well"
}
for how in a s p h; do
	# The `int3` for an instruction of one byte is not told from another one in a file's private memory.
	case $how in p) probes="work:entry" ;; *) probes="work:,single:" ;; esac
	begin /tmp/copied
	described=$(printf '%s' "$probes" | sed "s/\(^\|,\)/\1pid$target:copied:/g")
	trace /tmp/o -n "$described { @[probefunc, probename] = count(); }"
	step c "traced"
	step $how "traced"
	grep -q none /tmp/said && [ "$how" = h ] && echo "no huge pages" && { end_trace; exec 3>&-; end_well; continue; }
	step c "copied"
	step f "copied"
	end_trace
	# The parent's calls; a child's are not its own.
	[ "$(awk '$1 == "work" && ($2 == "0" || $2 == "entry") { print $3; exit }' /tmp/o)" = 30 ] || { cat /tmp/o /tmp/o.err; fail "$how: not 30 calls"; }
	step c "no longer traced"
	step f "no longer traced"
	sleep 2
	step c "later"
	step f "later"
	exec 3>&-
	end_well
done
expect "complaints" "$(complaints)" "$before"
