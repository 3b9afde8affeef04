# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the probes of a program are there from its main on, with their arguments, for every way it is linked; a
# question is answered by whether somebody traces; they come and go with libraries, children, execs, ends.
# SECONDS: 600
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
build app gcc -O2
gcc -o app app.o app.prov.o && gcc -static -o static app.o app.prov.o 2>/dev/null && gcc -no-pie -o fixed app.o app.prov.o || fail "gcc"
build lib gcc -O0 -fPIC -DLIBRARY
gcc -shared -o lib.so lib.o lib.prov.o || fail "gcc -shared"

# A command: without a wait, and by its first call.
dtrace -qn 'toy$target:::tick { @ = count(); } END { printa("%@d\n", @); }' -c './app 7' >o 2>&1
expect "a command" "$(sort o | xargs)" "7 enabled 7000"
expect "nobody traces" "$(./app 7)" "enabled 0"
# The same made without the objects: the probes are in the functions that are called.
dtrace -G -s $here/toy.d -o alone.o && gcc -O2 -I. -c -o untouched.o $here/app.c && gcc -o apart untouched.o alone.o || fail "apart"
dtrace -qn 'toy$target:::tick /!x++/ { printf("%d %s %d %d %d %s\n", arg0, copyinstr(arg1), arg5, arg6, arg7, probefunc); }
	toy$target:::tick { @ = count(); } END { printa("%@d\n", @); }' -c './apart 7' >o 2>&1
expect "apart" "$(sort o | xargs)" "-5 measured here 200 -1000 -8 __dtrace_toy___tick 7 enabled 7000"
# So they are with link-time optimisation.
gcc -O2 -flto -I. -c -o later.o $here/app.c && dtrace -G -s $here/toy.d -o later.prov.o later.o &&
	gcc -O2 -flto -o later later.o later.prov.o || fail "-flto"
dtrace -qn 'toy$target:::tick /!x++/ { printf("%d %s %d %d %d %s\n", arg0, copyinstr(arg1), arg5, arg6, arg7, probefunc); }
	toy$target:::tick { @ = count(); } END { printa("%@d\n", @); }' -c './later 7' >o 2>&1
expect "-flto" "$(sort o | xargs)" "-5 measured here 200 -1000 -8 __dtrace_toy___tick 7 enabled 7000"
DTRACE_DOF_INIT_DEBUG=1 ./app 1 2>&1 | grep -q "DOF app: registered: /dev/dtrace/helper" || fail "it says nothing of what it does"

# What packages include <sys/sdt.h> for.
cat >shop.d <<'D'
shop$target:::order
{
	printf("%d %d %d %s %d %s %s %d\n", arg0, arg1, arg2, copyinstr(arg3), arg4, copyinstr(arg5), copyinstr(arg6), arg7);
}
shop$target:::none { printf("none\n"); }
shop$target:::many { printf("%d %d %d %d\n", arg0, arg7, arg8, arg9); }
D
for how in "gcc -O0" "gcc -O2" "clang -O2" "gcc -O2 -DCOUNTED" "g++ -O2 -x c++" "clang -O1 -x c++ -DCOUNTED"; do
	command -v ${how%% *} >/dev/null || continue
	$how -I /src/userspace-ctl/include -o shop $here/sdt.c || fail "sdt.h: $how"
	counted=0
	case $how in *COUNTED*) counted=1 ;; esac
	dtrace -qs shop.d -c ./shop >o 2>&1
	expect "sdt.h: $how" "$(LC_ALL=C sort o | xargs)" "-1 255 -2 text -1099511627776 array constant 7 $counted 1 8 -1 255 none"
done

begin ./app "$PWD/lib.so"
expect "listed" "$(dtrace -l -P toy$target | awk 'NR > 1 { print $3, $4, $5 }' | sort | xargs)" \
	"app asked tick app more tick-more app work job app work tick app work tick-more"
expect "listed by the process" "$(dtrace -l -p $target 2>&1 | grep -c " app ")" 6
cat >all.d <<'D'
toy*:::tick {
	printf("%s:%s:%s:%s %d %s %d %d %d %d %d %d\n", probeprov, probemod, probefunc, probename,
	    arg0, copyinstr(arg1), arg2, arg3, arg4, arg5, arg6, arg7);
}
toy*:::tick-more, other*::: { printf("%s:%s:%s:%s %d\n", probeprov, probemod, probefunc, probename, arg0); }
toy*:::job { printf("%s:%s:%s:%s %d\n", probeprov, probemod, probefunc, probename, arg1); }
D
trace o -s all.d
step x
step f
step o
step c
echo e >&3
wait_for "it executes itself" eval '[ "$(grep -c "^ready" said)" = 2 ]'
wait_for "its probes are there" eval '[ "$(told '$target')" = 6 ]'
step y
for other in static fixed; do
	./$other 1 >said.$other || fail "$other"
	expect "$other is asked" "$(cat said.$other)" "enabled 1001"
done
end_trace
args="-5 measured here -7 1099511627776 120 200 -1000 -8"
# wanted PROCESS MODULE
wanted() {
	printf '%s\n' "toy$1:$2:work:tick $args" "toy$1:$2:more:tick-more 0" "toy$1:$2:work:job 12" "other$1:$2:work:done 0"
}
child=$(awk '$1 == "f" { print $2 }' said)
got() { grep "^[a-z]*$1:$2:" o; }
expect "itself, after the library, as another program" "$(got $target app | sort | uniq -c | awk '{ print $1 }' | xargs)" "3 3 3 3"
expect "arguments" "$(got $target app | awk '!seen[$0]++' | sort)" "$(wanted $target app | sort)"
expect "the child" "$(got $child app)" "$(wanted $child app)"
expect "the library" "$(got $target lib.so)" "$(wanted $target lib.so)"
for other in static fixed; do
	got '[0-9]*' $other | sed 's/^\([a-z]*\)[0-9]*/\1/' >one
	expect "$other" "$(cat one)" "$(wanted "" $other)"
done
expect "faults" "$(grep -c "error on enabled" o.err)" 0
expect "each step was traced" "$(awk '/enabled/ { print $4 }' said | sort -u)" 1001
step x
expect "nobody traces any more" "$(tail -1 said)" "x $target enabled 0"
end_well
wait_for "they go with it" eval '[ "$(told '$target')" = 0 ]'

# One who is traced by two, killed, and one who traces, killed.
begin ./app
trace o -n 'toy*:::tick { }'
kill -9 $tracer
wait $tracer
wait_for "it is not traced any more" eval 'step x; tail -1 said | grep -q "enabled 0"'
trace o -n 'toy*:::tick { printf("%d\n", arg0); }'
step x
kill -9 $target
wait_for "they go with it" eval '[ "$(told '$target')" = 0 ]'
exec 3>&-
end_trace
expect "until then" "$(grep -c '^-5$' o)" 1

# The module may go and come.
begin ./app
rmmod dtrace || fail "a program with probes keeps the module"
step x
insmod "$module" || fail insmod
expect "it is not known" "$(told $target)" 0
end_well
