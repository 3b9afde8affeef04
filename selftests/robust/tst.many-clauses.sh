# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program has at most 1024 clauses on one probe: a probe with more is left out, or refuses the program, with the reason.
# Several such programs share a probe with one that traces on when they are over.
. /src/selftests/lib/sh
words='a program can have at most 1024 clauses on one probe'
# many NUMBER DESCRIPTION
many() { printf "$2,%.0s" $(seq $(($1 - 1))); printf %s "$2"; }
refused() {
	dtrace -qn "$1 { n++; }" -c true >/tmp/o 2>&1 && fail "enabled: 1025 on $2"
	grep -qF "cannot enable $2: $words" /tmp/o || fail "$(cut -c1-300 /tmp/o)"
}
refused "$(many 1025 syscall::getcwd:entry)" syscall:vmlinux:getcwd:entry
refused "$(many 1025 BEGIN)" dtrace:::BEGIN
dtrace -n "$(many 1024 'syscall::getc*:entry'), syscall::get*d:entry { n++; }" -c true >/tmp/o 2>&1 || fail "$(cut -c1-300 /tmp/o)"
grep -qF "syscall:vmlinux:getcwd:entry: $words" /tmp/o || fail "left out: $(cat /tmp/o)"
grep -q 'getcpu' /tmp/o && fail "$(cut -c1-300 /tmp/o)"
expect "1024 for BEGIN" "$(dtrace -qn "$(many 1024 BEGIN) { n++; } END { printf(\"%d\", n); }" -c true 2>&1)" 1024
# Such probes take none of the 2^20 pairs of a probe and a clause that a program may enable.
n=$((1025 + (1 << 20) / $(dtrace -ln syscall::: | grep -c syscall)))
dtrace -qn "$(many $n syscall:::) { n++; }" -c true >/tmp/o 2>&1 && fail "enabled: $n on all system calls"
grep -q "cannot enable syscall:.*: $words" /tmp/o || fail "$(cut -c1-300 /tmp/o)"
tracers=()
for n in 1 2 3; do
	trace /tmp/o$n -n "$(many 1024 syscall::getcwd:entry) { @ = count(); }" -n 'syscall::getpgid:entry { exit(0); }'
	tracers+=("$tracer")
done
python3 -c 'import os; os.getcwd(); os.getpgid(0)'
python3 -c 'import os; os.getpgid(0); [os.getcwd() for _ in range(1000)]'
wait "${tracers[@]}" || fail "$(cat /tmp/o?.err)"
expect "another" "$(dtrace -qn 'syscall::getcwd:entry /pid == $target/ { n++; } END { printf("%d", n >= 1000); }' \
	-c "python3 -c 'import os; [os.getcwd() for _ in range(1000)]'" 2>&1)" 1
