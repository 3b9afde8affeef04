# SPDX-License-Identifier: GPL-2.0
# ASSERTION: arguments of type float and double have their values and types: in vector registers, also while two threads
# share a CPU, in other registers and in memory, for <sys/sdt.h> and for dtrace -G.
. /src/selftests/lib/sh
here=/src/selftests/usdt
cd "$(mktemp -d)" || exit 1
echo 'provider scale { probe weigh(int, double, char *, float, double, double, double, double, double, double); };' >scale.d
dtrace -h -s scale.d || fail "-h"
for how in "gcc -O0" "gcc -O2" "clang -O2" "g++ -O2 -x c++"; do
	command -v ${how%% *} >/dev/null || continue
	$how -I. -I/src/userspace-ctl/include -c -o f.o $here/floats.c && dtrace -G -s scale.d -o scale.o f.o &&
		gcc -o floats f.o scale.o || fail "$how"
	dtrace -qn 'shop$target:::sale { printf("%.3f %.3f %d %.2f %d\n", args[0], args[1], args[2], args[3], arg0 != 0); }
		scale$target:::weigh { printf("%d %g %s %g %g %g %g %g %g %g\n", args[0], args[1], copyinstr(args[2]), args[3],
			args[4], args[5], args[6], args[7], args[8], args[9]); }
		shop$target:::vector { @[tid != pid] = count(); }' -c './floats 1' >out 2>&1 || fail "$how: $(cat out)"
	expect "$how" "$(xargs <out)" "0.750 0.100 2 6.50 1 1 2.5 apples 0.75 3.5 4.5 5.5 6.5 7.5 8.5 1 2"
done
expect "types" "$(dtrace -lvn 'shop$target:::sale' -c ./floats | sed -n 's/.*args\[.\]: //p' | xargs)" "double float int32_t double"
# Every firing finds its own thread's register, however often the two are switched.
taskset 1 dtrace -qn 'shop$target:::vector { @[arg1, arg0] = count(); this->v = args[0]; }
	shop$target:::vector /arg0 != 0x408f440000000000 && arg0 != 0xc09f410000000000/ { printf("%x\n", arg0); }
	END { printa("%d %x %@d\n", @); }' -c './floats 20000' >out 2>&1 || fail "$(cat out)"
expect "two threads" "$(sort -n out | xargs)" "-2000 c09f410000000000 20000 1000 408f440000000000 20000"
exit 0
