# SPDX-License-Identifier: GPL-2.0
# ASSERTION: of the stacks of programs as Debian ships them, without frame pointers, at least 98 % reach where the thread
# began: of interpreters, of code in assembly, of threads, in the vDSO, of processes that begin later.
# SECONDS: 600
. /src/selftests/lib/sh
rm -f /tmp/begun
cat >/tmp/work.py <<'P'
import json, re, threading
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def work():
    while True:
        fib(12)
        json.dumps(list(range(200)))
        sorted(range(1000), key=lambda x: -x)
        re.findall(r'a+b', 'aab' * 100)
threading.Thread(target=work).start()
open('/tmp/begun', 'w')
work()
P
cat >/tmp/clock.c <<'C'
#include <time.h>
int main(void) { struct timespec t; for (;;) clock_gettime(CLOCK_MONOTONIC, &t); }
C
gcc -O2 -o /tmp/clock /tmp/clock.c || fail gcc
seq 20000 >/tmp/numbers
pids=
# dtrace, which learns of the programs meanwhile, comes before all of them.
start() {
	nice -n 19 "$@" >/dev/null 2>"/tmp/errors.${1##*/}" &
	pids="$pids $!"
}
start python3 /tmp/work.py
start perl -e 'while (1) { my %h; $h{"k$_"} = join(",", sort { $b <=> $a } 1..20) for 1..200; }'
start bash -c 'while :; do y=; for i in {1..500}; do x=$((x + i)); y="${y}a"; done; done'
start openssl speed -seconds 1000 -evp sha256
start openssl speed -seconds 1000 rsa2048
start gzip -9 -c /dev/zero
start /tmp/clock
# Its program is known by one that waits; those that sort begin later.
mkfifo /tmp/never
exec 4<>/tmp/never
nice -n 19 sort <&4 &
pids="$pids $!"
start sh -c 'while :; do sort -R /tmp/numbers; done'
trap 'kill $pids' EXIT
for pid in $pids; do targets="${targets:-} -p $pid"; done
# A program that still loads libraries waits for dtrace to hear of them, perhaps as long as this takes.
until_ok test -e /tmp/begun
rm -f /tmp/stacks
# The first are not counted: what nobody named is learned of meanwhile.
dtrace -q -x aggsize=32m $targets -o /tmp/stacks \
	-n 'profile-1999 /arg1 && pid != $pid/ { n++; }' \
	-n 'profile-1999 /arg1 && pid != $pid && n > 1000/ { @[execname, ustack(200)] = count(); }' \
	-n 'profile-1999 /n >= 4000/ { exit(0); }' || fail dtrace
for pid in $pids; do
	kill -0 "$pid" || fail "a program has ended: $(head /tmp/errors.*)"
done
kill $pids
trap - EXIT
lib=/usr/lib/x86_64-linux-gnu
python3 /src/selftests/lib/judge-stacks 0 $lib/libc.so.6 $lib/ld-linux-x86-64.so.2 /tmp/clock $(for p in python3 perl bash openssl gzip sort sh; do
	readlink -f "/usr/bin/$p"; done) || fail "too many stacks end too early"
