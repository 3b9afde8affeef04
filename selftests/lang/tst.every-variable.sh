# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every variable of the table is read and is what the process itself, /proc or a listing says, or is refused
# by the compiler with a reason. One that nobody here knows is an error, and so is a number from 0x100 to 0x120 without one.
. /src/selftests/lib/sh
cat >/tmp/tester.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long long ns(clockid_t of)
{
	struct timespec t;
	clock_gettime(of, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void *caller;
__attribute__((noinline)) static long seek(void)
{
	register long r10 asm("r10") = 44, r8 asm("r8") = 55, r9 asm("r9") = 66;
	long ret;
	caller = __builtin_return_address(0);
	asm volatile("syscall" : "=a"(ret) : "a"(SYS_lseek), "D"(1000), "S"(12345), "d"(1), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return ret;
}
int main(void)
{
	char cwd[4096];
	long long mono, wall, used = ns(CLOCK_THREAD_CPUTIME_ID);
	mono = ns(CLOCK_MONOTONIC), wall = ns(CLOCK_REALTIME);
	int error = -seek();
	printf("timestamp %lld %lld\nwalltimestamp %lld %lld\n", mono, ns(CLOCK_MONOTONIC), wall, ns(CLOCK_REALTIME));
	printf("vtimestamp 1 %lld\n", ns(CLOCK_THREAD_CPUTIME_ID));
	printf("errno %d\nucaller %lu\n", error, (unsigned long)caller);
	printf("pid %d\ntid %ld\nppid %d\nuid %d\ngid %d\neuid %d\negid %d\n", getpid(), syscall(SYS_gettid), getppid(), getuid(),
		getgid(), geteuid(), getegid());
	printf("curthread %d\nargs 12345\nuregs 1000\ncwd %s\ncpu %d\n", getpid(), getcwd(cwd, sizeof(cwd)), sched_getcpu());
	printf("arg0 1000\narg1 12345\narg2 1\narg3 44\narg4 55\narg5 66\narg6 0\narg7 0\narg8 0\narg9 0\nipl 0\nzonename global\n");
	return used < 0;
}
C
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -o /tmp/tester /tmp/tester.c || fail compile
table=/src/rust/abi/src/dif.rs
sed -n 's/^ *(0x\([0-9a-f]*\), [A-Za-z0-9]*, "\([a-z0-9]*\)", \(Array\|Scalar\|String\),.*/\1 \2 \3/p' $table >/tmp/table
[ "$(wc -l </tmp/table)" -ge 47 ] || fail "the table is not what it was: $(wc -l </tmp/table) variables"
for id in $(seq 256 288); do grep -q "^$(printf %04x "$id") " /tmp/table || fail "no variable has the number $(printf %#x "$id")"; done

# What can be read is read in one firing, each by its name.
{
	echo 'syscall:vmlinux:lseek:entry /pid == $target && execname == "tester"/ {'
	while read -r id name kind; do
		case $name in
		vmregs | errno) continue ;;
		args) value='args[1]' ;;
		uregs) value='uregs[R_RDI]' ;;
		regs) value='*(uint64_t *)regs[R_RSP] == caller' ;;
		curthread) value='curthread->tgid' ;;
		*) value=$name ;;
		esac
		if [ "$kind" = String ]; then format=%s; else format=%d; fi
		printf '\tprintf("%s %s\\n", %s);\n' "$name" "$format" "$value"
	done </tmp/table
	echo '	printf("function %a\n", caller); printf("frames\n"); stack(); printf("user\n"); ustack(); printf("end\n"); }'
	echo 'syscall:vmlinux:lseek:entry /pid == $target && execname == "tester"/ { printf("other %d\n", epid); }'
	echo 'syscall:vmlinux:lseek:return /pid == $target && execname == "tester"/ { printf("errno %d\n", errno); }'
} >/tmp/all.d
mkdir -p /tmp/some/where
dtrace -qs /tmp/all.d -o /tmp/out -c 'sh -c "sleep 1; cd /tmp/some/where; exec taskset -c 1 setpriv --ruid 5 --euid 6 --rgid 7 --egid 8 --clear-groups /tmp/tester one two"' \
	>/tmp/said 2>/tmp/err || fail "$(cat /tmp/err)"
{
	cat /tmp/said
	dtrace -l -n syscall:vmlinux:lseek:entry | awk 'END { print "id " $1 "\nprobeprov " $2 "\nprobemod " $3 "\nprobefunc " $4 "\nprobename " $5 }'
	printf 'regs 1\nexecname tester\nthreadname tester\nexecargs /tmp/tester one two\nroot /\n'
	awk '$1 == "pid" { print "nspid " $2 } $1 == "tid" { print "nstid " $2 }' /tmp/said
	echo "stackdepth $(sed -n '/^frames$/,/^user$/p' /tmp/out | grep -c '^ ')"
	echo "ustackdepth $(sed -n '/^user$/,/^end$/p' /tmp/out | grep -c '^ ')"
	awk '$1 == "other" { print "epid 1 " $2 - 1 }' /tmp/out
	awk '$1 == "function" && $2 ~ /`?(x64_sys_call|do_syscall_64)\+/ { print "caller 1 -1" }' /tmp/out
	mkdir -p /tmp/cgroups && mount -t cgroup2 none /tmp/cgroups &&
		echo "curcgroup $(stat -c %i "/tmp/cgroups$(sed -n 's/^0:://p' /proc/self/cgroup)")"
	umount /tmp/cgroups
} >/tmp/want
cat /tmp/out /tmp/want

known=0
while read -r id name kind; do
	case $name in
	vmregs)
		dtrace -n "BEGIN { trace(${name}[0]); }" >/tmp/refused 2>&1 && fail "$name[] is taken"
		grep -q "$name\[\] is not supported: ." /tmp/refused || fail "$name[] is refused without a reason: $(cat /tmp/refused)"
		known=$((known + 1))
		continue ;;
	esac
	is=$(sed -n "s/^$name //p" /tmp/out)
	grep -q "^$name " /tmp/want || fail "nobody says what $name should be (it is '$is')"
	python3 - "$name" "$is" "$(sed -n "s/^$name //p" /tmp/want)" "$kind" <<'P' || fail "$name"
import sys
name, found, wanted, kind = sys.argv[1:]
bounds = wanted.split()
if kind != "String" and len(bounds) == 2:
    low, high = map(int, bounds)
    good = low <= int(found) & (2**64 - 1) <= high & (2**64 - 1)
else:
    good = found == wanted
if not good:
    print(f"{name} is {found}, expected {wanted}")
sys.exit(not good)
P
	known=$((known + 1))
done </tmp/table
expect "all of them" "$known" "$(wc -l </tmp/table)"
