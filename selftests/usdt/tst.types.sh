# SPDX-License-Identifier: GPL-2.0
# ASSERTION: args[] of a program's probes have the types and the order that its provider declares, without a declaration in
# the script; a type that nobody knows is named, and declaring it helps; -lv has the types, and what the pragmas promise.
# SECONDS: 600
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build app gcc -O2
gcc -o app app.o app.prov.o || fail gcc
begin ./app
listed() { dtrace -lv -n "toy$target:app:work:$1" | sed -n "$2"; }
types() { listed "$1" 's/.*args\[.\]: //p' | xargs; }
promises() { listed tick '/Argument Attr/,/Class/s/.*: *//p' | xargs; }
expect "types" "$(types tick)" "int char * short uint64_t char unsigned char long int"
expect "types in their order" "$(types job)" "uint32_t struct job *"
expect "what is promised" "$(promises)" "Stable Evolving Common"
trace o -n 'toy*:::tick { printf("%d %s %d ", args[0], copyinstr(args[1]), args[2]); print(args[7]); printf("\n"); }
	toy*:app:work:job { printf("size %d\n", args[0]); }'
step x
end_trace
expect "args[]" "$(xargs <o)" "ready -5 measured here -7 int 0xfffffff8 size 12"
trace o -n 'struct job { int x; }; toy*:::job { printf("%d\n", ((struct job *)copyin((uintptr_t)args[1], 4))->x); }'
step x
end_trace
expect "declared in the script" "$(xargs <o)" "ready 0"
dtrace -n "toy$target:::job { trace(args[1]); }" >out 2>&1 && fail "a type that nobody knows"
for said in "args[1] is of type struct job *, which is not known" "declare struct job in the script; or use arg0, a number"; do
	grep -qF "$said" out || { cat out; fail "not said: $said"; }
done
dtrace -n 'toy*:::job, toy*:::tick { trace(args[1]); }' -c true >out 2>&1 || fail "those that have it"
grep -q "^dtrace: note: toy$target:app:work:job is left out" out || { cat out; fail "it is not said who is left out"; }
end_well

# A program of several runs of -G.
echo 'provider more { probe one(char *text, short n); };' >more.d
echo 'void more_of_it(void) { MORE_ONE("text", 1); }' >more.c
dtrace -h -s more.d && gcc -O2 -include more.h -c more.c && dtrace -G -s more.d -o more.prov.o more.o || fail "-G once more"
gcc -o both app.o app.prov.o more.o more.prov.o || fail "gcc both"
begin ./both
expect "of the other run" "$(dtrace -lv -n "more$target:::one" | sed -n 's/.*args\[.\]: //p' | xargs)" "char * short"
expect "of the first" "$(dtrace -lv -n "toy$target:::job" | sed -n 's/.*args\[.\]: //p' | xargs)" "uint32_t struct job *"
end_well
