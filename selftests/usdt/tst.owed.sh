# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a semaphore that cannot be lowered when the tracing ends, because the program keeps its memory map locked, is
# lowered soon after that map is free again.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
gcc -O1 -pthread -I /src/userspace-ctl/include -o owed $here/owed.c || fail gcc
mkdir away
# The last line of a letter.
last() { grep "^$1 " said | tail -n 1; }
locked() { [ "$(cat /proc/$target/task/*/syscall | grep -c '^9 ')" = 1 ]; }
lock() {
	step l
	wait_for "a thread is in mmap" locked
	sleep 1
	locked || fail "its memory map is not locked"
}
serve() {
	python3 $here/wedge.py serve away >served 2>&1 &
	daemon=$!
	wait_for "the file system is there" ls away/file
}
# Then the file system gives up, and so does the thread that waits for it.
give_up() {
	kill -9 $daemon
	unlocked() { ! locked; }
	wait_for "the memory map is unlocked" unlocked
	umount -l away
}
lowered() { step v; [ "$(last v)" = "v 0" ]; }

serve
begin ./owed away/file
trace o -n "shop$target:::served { @ = count(); }" -x statusrate=1h
step p
expect "raised" "$(last p)" "p 1"
lock
end_trace
step v
expect "it could not be lowered" "$(last v)" "v 1"
give_up
wait_for "it is lowered" lowered
end_well
