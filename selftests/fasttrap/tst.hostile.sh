# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that steps itself through probed instructions ends; thousands of probes at one place fire for a bounded time
# and the others are counted; a call of a null pointer is reported where it is; a jump through a table whose page is not
# there is no return.
# SECONDS: 120
. /src/selftests/lib/sh

cat >/tmp/steps.c <<'C'
#include <signal.h>
#include <stdio.h>
static volatile long n;
static void step(int signal) { n++; }
__attribute__((noinline)) void leaf(void) { asm volatile(""); }
__attribute__((noinline)) void stepped(void) { leaf(); asm volatile(""); }
int main(void)
{
	signal(SIGTRAP, step);
	asm volatile("sub $128, %rsp; pushf; orl $0x100, (%rsp); popf; add $128, %rsp");
	stepped();
	asm volatile("sub $128, %rsp; pushf; andl $~0x100, (%rsp); popf; add $128, %rsp");
	printf("stepped %d\n", n > 5);
}
C
gcc -O1 -fno-optimize-sibling-calls -o /tmp/steps /tmp/steps.c || fail "steps.c"
timeout $((30 * SLOW)) dtrace -qn 'pid$target:steps:stepped: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -c /tmp/steps >/tmp/o 2>/tmp/err ||
	fail "the program that steps itself does not end: $(cat /tmp/o /tmp/err)"
grep -qx 'stepped 1' /tmp/o || { cat /tmp/o; fail "it took no steps"; }
expect "its probes, and those that fired more than once" "$(awk 'NF == 2 && $1 != "stepped" { n++; m += $2 > 1 } END { print (n >= 4), m + 0 }' /tmp/o)" "1 0"

# 8,192 probes at one place.
names=8192
{
	printf '.text\n.globl main\nmain: mov $3,%%ecx\nplace: nop\ndec %%ecx\njnz place\nxor %%eax,%%eax\nret\n'
	echo '.section .note.stapsdt,"","note"'
	for n in $(seq $names); do
		printf '.4byte 8,2f-1f,3\n.asciz "stapsdt"\n1: .8byte place,0,0\n.asciz "evil","p%d",""\n2: .balign 4\n' "$n"
	done
	echo '.section .note.GNU-stack'
} >/tmp/names.s
gcc -o /tmp/names /tmp/names.s || fail "names.s"
dtrace -q -x aggsize=64m -n 'evil$target::: { @[ustack(), probename] = count(); @n = count(); } END { trunc(@, 0); printa("fired %@d\n", @n); }' -c /tmp/names >/tmp/o 2>/tmp/err ||
	fail "$(cat /tmp/err)"
fired=$(awk '$1 == "fired" { print $2 }' /tmp/o)
paused=$(sed -n 's/^dtrace: \([0-9]*\) .*paus.*/\1/p' /tmp/err | awk '{ n += $1 } END { print n + 0 }')
echo "fired $fired, paused $paused" >&2
{ [ "$fired" -ge 3 ] && [ $((fired + paused)) = $((3 * names)) ] && [ "$paused" -gt 0 ]; } || { head -5 /tmp/o /tmp/err; fail "fired $fired, paused $paused of $((3 * names))"; }

cat >/tmp/null.c <<'C'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
static sigjmp_buf out;
static long wrong;
static void fault(int signal, siginfo_t *info, void *at)
{
	wrong += ((ucontext_t *)at)->uc_mcontext.gregs[REG_RIP] != 0 || info->si_addr != 0;
	siglongjmp(out, 1);
}
#define F(n) __attribute__((noinline)) long null##n(long a) { asm volatile(""); return a + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
int main(void)
{
	void (*volatile nowhere)(void) = 0;
	volatile long sum = 0;
	struct sigaction act = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
	char line[9];

	sigaction(SIGSEGV, &act, 0);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < 2000; i++) {
			sum += null0(i) + null1(i) + null2(i) + null3(i) + null4(i) + null5(i) + null6(i) + null7(i) + null8(i) + null9(i);
			if (!sigsetjmp(out, 1))
				nowhere();
		}
		printf("wrong %ld\n", wrong);
		fflush(stdout);
	}
}
C
gcc -O1 -o /tmp/null /tmp/null.c || fail "null.c"
. /src/selftests/fasttrap/lib
begin /tmp/null
# The table has places without slots just after tracing has ended.
for n in 1 2 3 4 5 6; do
	trace /tmp/o -p "$target" -n 'pid$target:null:null?:entry { @ = count(); }'
	end_trace
	say go
done
go_on
end_well
expect "calls of a null pointer that were reported elsewhere" "$(grep -c '^wrong [1-9]' /tmp/said)" 0

cat >/tmp/table.c <<'C'
#include <sys/mman.h>
asm(".section .rodata\n.p2align 12\ntable: .quad c0, c1, c2, c3\n.p2align 12\n.text\n"
    ".globl leaf\n.type leaf,@function\nleaf: jmp *table(,%rdi,8)\nc0: mov $10, %eax\nret\nc1: mov $11, %eax\nret\n"
    "c2: mov $12, %eax\nret\nc3: mov $13, %eax\nret\n.size leaf, . - leaf\n.globl at\n.section .rodata\nat: .quad table\n.text\n");
extern void *at;
int leaf(long n);
int main(void)
{
	for (long n = 0; n < 40; n++) {
		madvise(at, 4096, MADV_DONTNEED);
		if (leaf(n % 4) != 10 + n % 4)
			return 1;
	}
}
C
gcc -O1 -fno-pie -no-pie -o /tmp/table /tmp/table.c || fail "table.c"
dtrace -qn 'pid$target:table:leaf:return { @ = count(); } END { printa("%@d\n", @); }' -c /tmp/table >/tmp/o 2>/tmp/err || fail "$(cat /tmp/err)"
expect "returns" "$(xargs </tmp/o)" 40
cat /tmp/err
