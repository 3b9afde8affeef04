# SPDX-License-Identifier: GPL-2.0
# ASSERTION: lists, globs, the short forms -P -m -f -n -i, with predicates and bodies.
. /src/selftests/lib/sh
driver hworld
fire() { dtrace -q "$@" -c 'cat /proc/hello-world' 2>&1 | grep -v '^hello' | tr '\n' ' '; }
name='{ printf("%s:%s\n", probefunc, probename); }'
all='open1:entry open1:return read1:entry read1:return read1:entry read1:return  '
expect "provider" "$(fire -n "hworld::: $name")" "$all"
expect "list" "$(fire -n "hworld::open1:entry, hworld::open1:return $name")" "open1:entry open1:return  "
expect "glob" "$(fire -n "hw*:[no]*:?pen1: $name")" "open1:entry open1:return  "
expect "not" "$(fire -n "hworld::[!o]*:entry $name")" "read1:entry read1:entry  "
expect "name" "$(fire -n "hworld:::entry $name")" "open1:entry read1:entry read1:entry  "
expect "-P" "$(fire -P "hworld /probename == \"entry\"/ $name")" "open1:entry read1:entry read1:entry  "
expect "-m" "$(fire -m "open_module $name")" "open1:entry open1:return  "
expect "-m with provider" "$(fire -m "hworld:open_module $name")" "open1:entry open1:return  "
expect "-f" "$(fire -f "open1 $name")" "open1:entry open1:return  "
expect "-f with module" "$(fire -f "read_module:read1 /probename == \"return\"/ $name")" "read1:return read1:return  "
id=$(dtrace -l -n 'hworld::open1:entry' | awk 'NR == 2 { print $1 }')
expect "-i" "$(fire -i "$id $name")" "open1:entry  "
expect "several" "$(fire -n "hworld::open1:entry $name" -f "open1 $name")" "open1:entry open1:entry open1:return  "
expect "a probe twice in a list" "$(fire -n "hworld::open1:entry, hworld:::entry /probefunc == \"open1\"/ $name")" "open1:entry open1:entry  "
expect "-Z" "$(fire -Z -n "nosuch:::, hworld::open1:entry $name")" "open1:entry  "
for n in 'hworld:::nosuch' 'nosuch:::entry' 'hworld:open1::' ':::entri'; do
	dtrace -n "$n" >/tmp/out 2>&1 && fail "$n is accepted"
	grep -q "does not match any probes" /tmp/out || fail "$n: $(cat /tmp/out)"
done
expect "arguments" "$(fire -n 'hworld::read1:entry /arg1 == 0/ { printf("%d\n", arg0 > 0); }')" "1  "
