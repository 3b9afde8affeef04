# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -G makes programs and libraries that link and run as if they had no probes, however they were compiled; once
# more it changes nothing; where it cannot, it says where and why, and no object has changed.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
export DTRACE_DOF_INIT_DISABLE=1
for how in "gcc -O0" "gcc -O2 -ffunction-sections -Wl,--gc-sections" "clang -O2" "gcc -O2 -fno-plt -fPIC"; do
	build app $how
	cp app.o before.o
	cp app.prov.o before.prov.o
	dtrace -G -s $here/toy.d -o app.prov.o app.o
	cmp app.o before.o && cmp app.prov.o before.prov.o || fail "$how: not the same once more"
	for link in -pie -no-pie -static; do
		gcc $link -Wl,--gc-sections -o app app.o app.prov.o 2>out || { cat out; fail "$how $link"; }
		expect "$how $link" "$(./app 3)" "enabled 0"
	done
done
build lib gcc -O2 -fPIC -DLIBRARY
gcc -shared -Wl,-z,defs -Wl,-z,text -o lib.so lib.o lib.prov.o || fail "a library"
expect "nothing of it is seen outside" "$(nm -D lib.so | grep -ic dtrace)" 0

for more in "" -DSECOND; do
	clang -x c++ -O2 -nostdinc++ -I. $more -c -o cxx$more.o $here/cxx.cc || fail "C++ $more"
done
dtrace -G -s $here/toy.d -o cxx.prov.o cxx.o cxx-DSECOND.o || fail "C++"
gcc -o cxx cxx.o cxx-DSECOND.o cxx.prov.o && ./cxx || fail "C++ does not run"

refused() {
	local said=$1
	shift
	"$@" >out 2>&1
	expect "$*" $? 1
	grep -qF -- "$said" out || { cat out; fail "$*: not said: $said"; }
}
echo 'void __dtrace_toy___wrong(void); int main(void) { __dtrace_toy___wrong(); return 0; }' | gcc -x c -c -o wrong.o -
refused "failed to link script with wrong.o: it calls probe wrong, which provider toy does not have" dtrace -G -s $here/toy.d wrong.o
build good gcc -O2
gcc -O2 -I. -c -o again.o $here/app.c
cp again.o before.o
cat >taken.c <<'C'
#include "toy.h"
int main(void) { void (*volatile f)(void) = __dtrace_toy___tick__more; f(); return 0; }
C
gcc -fno-pic -no-pie -I. -c -o taken.o taken.c
refused "main (.text+0x" dtrace -G -s $here/toy.d again.o taken.o
cmp again.o before.o || fail "another object has changed"
# The linker compiles these again, so they keep their calls, and the new object has the functions.
cat >more.c <<'C'
#include "toy.h"
void more_of_it(void) { OTHER_DONE(1); }
C
gcc -I. -c -o more.o more.c
for how in "gcc -flto -O2" "gcc -flto -ffat-lto-objects -O2" "clang -flto -O2 -fuse-ld=lld"; do
	case $how in clang*) command -v ld.lld >/dev/null || continue ;; esac
	$how -I. -c -o lto.o $here/app.c
	cp lto.o before.o
	dtrace -G -s $here/toy.d -o lto.prov.o lto.o more.o || fail "$how"
	cmp lto.o before.o || fail "$how: the object has changed"
	$how -o app lto.o more.o lto.prov.o 2>out || { cat out; fail "$how"; }
	expect "$how" "$(./app 3)" "enabled 0"
done
refused "it is already linked" dtrace -G -s $here/toy.d cxx
refused "No such file" dtrace -G -s $here/toy.d none.o
ar rc lib.a app.o
refused "it is an archive" dtrace -G -s $here/toy.d lib.a
echo 'int main(void) { return 0; }' | gcc -x c -c -o plain.o -
refused "no object calls a probe of provider toy or other" dtrace -G -s $here/toy.d plain.o
head -c 1000 app.o >short.o
refused "it is damaged" dtrace -G -s $here/toy.d short.o
# A configure script asks whether there is a -G.
echo 'BEGIN{}' >conftest.d
dtrace -G -s conftest.d -o conftest.o && gcc -o plain plain.o conftest.o && ./plain || fail "without providers"
# Without objects it has the functions that are called: builds of packages know of the objects only later.
gcc -O2 -I. -c -o untouched.o $here/app.c
dtrace -C -G -s $here/toy.d -o alone.o || fail "without objects"
for link in -pie -no-pie -static; do
	gcc $link -o app untouched.o alone.o 2>out || { cat out; fail "without objects $link"; }
	expect "without objects $link" "$(./app 3)" "enabled 0"
done
