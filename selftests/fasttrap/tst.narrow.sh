# SPDX-License-Identifier: GPL-2.0
# ASSERTION: 32-bit programs: functions begin and return as often as they are called, their arguments are those on the
# stack, every instruction can be traced, and the program prints and ends as it does untraced.
# SECONDS: 300
. /src/selftests/lib/sh
gcc -m32 -O2 -fno-pic -no-pie -ffreestanding -fno-stack-protector -fcf-protection=none -nostdlib -static -o /tmp/narrow \
	/src/selftests/fasttrap/narrow.c || fail "gcc -m32"
/tmp/narrow >/tmp/plain
expect "untraced" "$?" 7
# deep() is called with 1 to 5, and calls itself with less: 1, 3, 6, 10, 15 in sum.
deep=$((200 * (1 + 3 + 6 + 10 + 15)))
# The sums of the arguments are those of the loop in main.
for when in exec preinit main; do
	dtrace -q -x evaltime=$when -n '
		pid$target:a.out:form:entry { @n["form"] = count(); @s["a"] = sum((int)arg0); @s["b"] = sum((int)arg1); @s["c"] = sum(arg2); }
		pid$target:a.out:form:return { @n["form back"] = count(); }
		pid$target:a.out:tail:entry { @n["tail"] = count(); }
		pid$target:a.out:tail:return { @n["tail back"] = count(); }
		pid$target:a.out:deep:entry { @n["deep"] = count(); @s["n"] = sum(arg0); }
		pid$target:a.out:deep:return { @n["deep back"] = count(); @s["value"] = sum(arg1); }
		syscall::exit:entry /pid == $target/ { @s["status"] = sum(arg0); }
		END { printa("%s %@d\n", @n); printa("%s %@d\n", @s); }' -c /tmp/narrow >/tmp/o 2>/tmp/o.err || fail "$when: $(cat /tmp/o.err)"
	expect "$when: output" "$(head -1 /tmp/o)" "$(cat /tmp/plain)"
	expect "$when: errors" "$(cat /tmp/o.err)" ""
	expect "$when: counts" "$(sed 1d /tmp/o | grep -vE '^(a|b|c|n|value|status) ' | sort | xargs)" \
		"deep $((200 * (2 + 3 + 4 + 5 + 6))) deep back $((200 * (2 + 3 + 4 + 5 + 6))) form 1000 form back 1000 tail 1000 tail back 1000"
	expect "$when: arguments" "$(grep -E '^(a|b|c|n|value|status) ' /tmp/o | sort | xargs)" \
		"a 499500 b -499500 c $((499500 * 7919)) n $deep status 7 value $deep"
done
dtrace -q -n 'pid$target:a.out:form:,pid$target:a.out:deep:,pid$target:a.out:tail: { @[probefunc, probename] = count(); }
	END { printa("%s %s %@d\n", @); }' -c /tmp/narrow >/tmp/o 2>/tmp/o.err || fail "instructions: $(cat /tmp/o.err)"
expect "instructions: output" "$(head -1 /tmp/o)" "$(cat /tmp/plain)"
expect "instructions: errors" "$(cat /tmp/o.err)" ""
for f in form deep tail; do
	expect "the first instruction of $f" "$(grep "^$f 0 " /tmp/o)" "$(grep "^$f entry " /tmp/o | sed 's/entry/0/')"
done
# The same with a probe by <sys/sdt.h>.
gcc -m32 -O2 -fno-pic -no-pie -ffreestanding -fno-stack-protector -fcf-protection=none -nostdlib -static -DNOTED \
	-I /src/userspace-ctl/include -o /tmp/noted /src/selftests/fasttrap/narrow.c || fail "gcc -m32 with sys/sdt.h"
dtrace -q -n 'narrow$target:::form-begin { @n["n"] = count(); @s["a"] = sum(arg0); @s["b"] = sum(arg1);
	@x["c"] = max(arg2); @i["d"] = min(arg2); }
	END { printa("%s %@d\n", @n); printa("%s %@d\n", @s); printa("%s %@d\n", @x); printa("%s %@d\n", @i); }' -c /tmp/noted >/tmp/o 2>/tmp/o.err || fail "sys/sdt.h: $(cat /tmp/o.err)"
expect "sys/sdt.h" "$(sed 1d /tmp/o | sort | xargs)" "a 499500 b -499500 c 127 d -128 n 1000"
