# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a 32-bit program whose sources use the header of -h has its probes, with their arguments, and its question is
# answered; -G leaves its objects alone and writes an object that links with them.
# SECONDS: 300
. /src/selftests/lib/sh
here=/src/selftests/usdt
cd "$(mktemp -d)" || exit 1
# The C library's headers for 32 bits are a package of its own; what is needed of them is the same.
mkdir gnu && : >gnu/stubs-32.h
headers="-I. -I /src/userspace-ctl/include -isystem /usr/include/x86_64-linux-gnu"
alone="-ffreestanding -fno-stack-protector -fcf-protection=none"
dtrace -32 -h -s $here/narrow.d || fail "-h"
for how in "gcc -m32 -O0 -fno-pic" "gcc -m32 -O2 -fPIC" "clang -m32 -O2 -fno-pic"; do
	$how $alone $headers -c -o narrow.o $here/narrow.c || fail "$how"
	cp narrow.o before.o
	dtrace -32 -G -s $here/narrow.d -o prov.o narrow.o || fail "-G: $how"
	cmp narrow.o before.o || fail "$how: the object has changed"
	gcc -m32 -nostdlib -static -no-pie -o narrow narrow.o prov.o || fail "$how does not link"
	expect "$how: nobody traces" "$(./narrow | xargs)" "asked"
	dtrace -qn 'narrow$target:::form-begin { @n = count(); @a = sum(arg0); @c = sum(arg2); }
		narrow$target:::form-begin /arg0 == 999/ { printf("%d %s %f %d\n", arg1, copyinstr(arg3), args[4], arg5); }
		narrow$target:::nothing { @e = count(); }
		END { printa("%@d %@d %@d %@d\n", @n, @a, @c, @e); }' -c ./narrow >o 2>&1
	expect "$how" "$(LC_ALL=C sort o | sed '/^$/d' | tr -s ' \n' ' ')" "-1099511627776 words 2.500000 4294967295 1000 499500 -812 1000 asked 1000 "
done
# Without the objects, and what is no 32-bit object.
dtrace -32 -G -s $here/narrow.d -o alone.o && gcc -m32 -nostdlib -static -no-pie -o narrow narrow.o alone.o || fail "without objects"
gcc -O0 -c -x c -o wide.o - <<<'int wide;' || fail gcc
dtrace -32 -G -s $here/narrow.d -o prov.o wide.o 2>o && fail "-32 with an object of 64 bits"
grep -q "it is not a 32-bit object" o || fail "$(cat o)"
dtrace -G -s $here/narrow.d -o prov.o wide.o narrow.o 2>o && fail "of both kinds"
grep -q "some objects are of 32 bits" o || fail "$(cat o)"
