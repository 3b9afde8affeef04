# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -h writes a header that C and C++ compile without a warning, with and without probes; it says what is wrong.
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
cat toy.h
for cc in "gcc -Wall -Wextra -Werror" "clang -Wall -Wextra -Werror" "clang -x c++ -Wall -Wextra -Werror -nostdinc++"; do
	for version in 0 1; do
		echo 'int f(int x) { if (TOY_TICK_ENABLED()) TOY_TICK_MORE(); TOY_MADE(&x); return x; }' >t.c
		$cc -D_DTRACE_VERSION=$version -include toy.h -c -o t.o t.c || fail "$cc -D_DTRACE_VERSION=$version"
	done
done
gcc -D_DTRACE_VERSION=0 -include toy.h -c -o t.o t.c
expect "without probes" "$(nm t.o | grep -c __dtrace)" 0
dtrace -h -s $here/toy.d -o named.h && cmp <(sed 's/NAMED_H/TOY_H/' named.h) toy.h || fail "-o"
refused() {
	local rc=$1 said=$2
	shift 2
	"$@" >out 2>&1
	expect "$*" $? "$rc"
	grep -qF -- "$said" out || { cat out; fail "$*: not said: $said"; }
}
refused 2 "-h needs one script" dtrace -h
refused 2 "-h needs one script" dtrace -h -n BEGIN
refused 2 "-h takes no objects" dtrace -h -s $here/toy.d t.o
refused 2 "-h and -l exclude each other" dtrace -h -l -s $here/toy.d
echo 'BEGIN { }' >none.d
refused 1 "it declares no provider" dtrace -h -s none.d
echo 'provider p { probe q(nothing_t); };' >type.d
refused 1 "parameter nothing_t has a name, but no type" dtrace -h -s type.d
echo 'provider p2 { probe q(); };' >name.d
refused 1 "may not end with a digit" dtrace -h -s name.d
