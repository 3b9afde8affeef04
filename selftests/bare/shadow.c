// SPDX-License-Identifier: GPL-2.0
/* A program that turns its shadow stack on late, and then calls functions. For shadow-stack. */
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) void inner(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) int traced(int n)
{
	inner();
	__asm__ volatile("call *%0" : : "r"(inner)
			 : "memory", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
	return n + 1;
}
static void died(int sig) { _exit(3); }
int main(void)
{
	int sum = 0;
	long r;

	signal(SIGSEGV, died);
	printf("ready %p\n", traced);
	fflush(stdout);
	getchar();
	for (int n = 0; n < 10; n++)
		sum += traced(n);
	/* ARCH_SHSTK_ENABLE, ARCH_SHSTK_SHSTK; this function does not return any more. */
	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_arch_prctl), "D"(0x5001), "S"(1)
			 : "rcx", "r11", "memory");
	printf("enabled %ld\n", r);
	fflush(stdout);
	for (int n = 0; n < 10; n++)
		sum += traced(n);
	printf("sum %d\n", sum);
	fflush(stdout);
	_exit(r != 0);
}
