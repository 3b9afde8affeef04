# SPDX-License-Identifier: GPL-2.0
# ASSERTION: of the stacks of whatever runs, short and long, though nobody has named it, at least 98 % reach where the thread began;
# those that do not, since what is mapped there was looked at too late, are told of.
# SECONDS: 900
. /src/selftests/lib/sh
gcc -x c -O2 -o /tmp/clock - <<'C' || fail gcc
#include <time.h>
int main(void) { struct timespec t; for (;;) clock_gettime(CLOCK_MONOTONIC, &t); }
C
seq 20000 >/tmp/numbers
pids=
start() { nice -n 10 "$@" >/dev/null 2>&1 & pids="$pids $!"; }
start python3 -c 'while True: sorted(range(1000), key=lambda x: -x)'
start perl -e 'while (1) { my %h; $h{"k$_"} = join(",", sort { $b <=> $a } 1..20) for 1..200; }'
start bash -c 'while :; do y=; for i in {1..500}; do x=$((x + i)); y="${y}a"; done; done'
start openssl speed -seconds 1000 -evp sha256
start gzip -9 -c /dev/zero
start xz -1 -c /dev/urandom
start mawk 'BEGIN { while (1) { n++; a[n % 1000] = a[n % 997] "x"; if (length(a[n % 1000]) > 100) a[n % 1000] = "" } }'
start bc -l /dev/fd/3 3<<<'while (1) x = e(1.5)'
start /tmp/clock
start sh -c 'while :; do sort -R /tmp/numbers; done'
start sh -c 'while :; do find /usr/include -name "*.h" -newer /tmp; done'
start sh -c 'while :; do git hash-object /tmp/numbers; done'
trap 'kill $pids' EXIT
lib=/usr/lib/x86_64-linux-gnu
files="$lib/libc.so.6 $lib/ld-linux-x86-64.so.2 /tmp/clock"
for p in python3 perl bash openssl gzip xz mawk bc sort find git sh nice; do files="$files $(readlink -f /usr/bin/$p)"; done
# A machine that is busy with other things takes longer to look at them all.
for many in 4000 16000 64000; do
	# What is there would stay.
	rm -f /tmp/stacks
	dtrace -q -x aggsize=64m -x statusrate=1s -o /tmp/stacks \
		-n 'profile-997 /arg1 && pid != $pid/ { @[execname, ustack(200)] = count(); n++; }' \
		-n "profile-997 /n >= $many/ { exit(0); }" 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
	missing=$(awk '/program stacks? ended early/ { n += $2 } END { print n + 0 }' /tmp/err)
	python3 /src/selftests/lib/judge-stacks "$missing" $files >/tmp/judged
	status=$?
	[ $status = 2 ] || break
done
cat /tmp/judged
exit $status
