// SPDX-License-Identifier: GPL-2.0
/*
 * `forms FILE`: waits for a line of input, then runs one instruction after another, each with the
 * same registers and memory, and writes the state afterwards to FILE. A breakpoint follows each
 * instruction, and is at each place where it can continue. So each instruction ends in a signal.
 * The handler sees the state that the instruction has left, and starts the next one by returning to
 * it.
 *
 * forms.S, which is generated, has the instructions and their table; lib.rs knows the layouts.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define DATA 0x40000000ul
#define DATA_SIZE 0x2000ul
#define STACK 0x41000000ul
#define STACK_SIZE 0x1000ul
#define LANDING 0x48000000ul

struct entry {
	uint64_t start;
	uint64_t rcx;
	uint32_t eflags;
	/* 1: a branch loads LANDING; 2: the registers afterwards differ from run to run; 4: 32-bit code */
	uint32_t how;
};

struct result {
	uint32_t signal, code;
	uint64_t address;
	/* r8 ... r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags */
	uint64_t regs[18];
	uint64_t fs, gs;
	/* Digests of memory, of the stack above and below where the stack pointer was, of vectors. */
	uint64_t data, above, below, x87, vectors;
};

extern const struct entry entries[], entries_end[];

static struct result *results;
static long at = -1;
static uint64_t fs_base;
static const char *file;
static unsigned offset_of[16], size_of[16];

static long syscall2(long n, long a, long b)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return r;
}

static uint64_t digest(uint64_t h, const void *from, size_t bytes)
{
	const uint64_t *p = from;

	for (size_t i = 0; i < bytes / 8; i++)
		h = (h ^ p[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
	return h;
}

static void fill(void *to, size_t bytes, uint64_t seed)
{
	uint64_t *p = to;

	for (size_t i = 0; i < bytes / 8; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		p[i] = seed;
	}
}

/* Fills vectors with ordinary numbers: 1.0, 1.5, ... */
static void floats(void *to, size_t bytes)
{
	for (size_t i = 0; i < bytes / 4; i++)
		((float *)to)[i] = 1.0f + 0.5f * i;
}

static void save(struct result *r, int signal, const siginfo_t *info, const ucontext_t *uc, uint32_t how)
{
	const char *fp = (const char *)uc->uc_mcontext.fpregs;
	uint64_t have, fx[64];

	r->signal = signal;
	r->code = info->si_code;
	memcpy(r->regs, uc->uc_mcontext.gregs, sizeof(r->regs));
	/* RF is left over from an emulated instruction; the next instruction clears it. */
	if (signal == SIGTRAP)
		r->regs[REG_EFL] &= ~(1ull << 16);
	else
		r->address = (uint64_t)info->si_addr;
	if (how & 2) {
		uint64_t rsp = r->regs[REG_RSP], rip = r->regs[REG_RIP];

		memset(r->regs, 0, sizeof(r->regs));
		r->regs[REG_RSP] = rsp;
		r->regs[REG_RIP] = rip;
	}
	r->data = digest(0, (void *)DATA, DATA_SIZE);
	r->below = digest(0, (void *)STACK, STACK_SIZE / 2);
	r->above = digest(0, (void *)(STACK + STACK_SIZE / 2), STACK_SIZE / 2);
	/* Without the addresses of the last x87 instruction and operand, and its opcode. */
	memcpy(fx, fp, sizeof(fx));
	memset((char *)fx + 6, 0, 18);
	r->x87 = digest(0, fx, 160);
	r->vectors = digest(0, fx + 20, 256);
	memcpy(&have, fp + 512, 8);
	for (int i = 2; i < 9; i++) {
		static const char none[2048];

		if (size_of[i] && i != 3 && i != 4)
			r->vectors = digest(r->vectors, have >> i & 1 ? fp + offset_of[i] : none, size_of[i]);
	}
}

static void prepare(ucontext_t *uc, const struct entry *e)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	char *fp = (char *)uc->uc_mcontext.fpregs;
	uint64_t *stack = (uint64_t *)(STACK + STACK_SIZE / 2), have, all = 0;

	fill((void *)DATA, DATA_SIZE, 0x1234567);
	floats((void *)(DATA + 0x940), 0x200);
	if (e->how & 1)
		((uint64_t *)(DATA + 0x900))[0] = LANDING, ((uint64_t *)(DATA + 0x900))[1] = 0x33;
	fill((void *)STACK, STACK_SIZE, 0x7654321);
	/* For returns: address, code segment, flags, stack pointer, stack segment. */
	stack[-1] = stack[0] = stack[3 + 8] = LANDING;
	stack[1] = 0x33;
	stack[2] = 0x202;
	stack[3] = (uint64_t)(stack + 16);
	stack[4] = 0x2b;

	fill(regs, 16 * 8, 0x89abcdef);
	regs[REG_RBX] = regs[REG_RSI] = regs[REG_RDI] = regs[REG_R12] = DATA + 0x800;
	regs[REG_RBP] = 0x40;
	/* sched_yield, and getuid by int 0x80 */
	regs[REG_RAX] = e->how & 1 ? LANDING : 24;
	regs[REG_R11] = LANDING;
	regs[REG_RDX] = 1;
	regs[REG_RCX] = e->rcx;
	regs[REG_RSP] = (uint64_t)stack;
	regs[REG_RIP] = e->start;
	regs[REG_EFL] = e->eflags | 0x202;
	regs[REG_CSGSFS] = (e->how & 4 ? 0x23 : 0x33) | 0x2bull << 48;

	/* An empty x87, tags, MXCSR with all exceptions masked. */
	memset(fp, 0, 24);
	fp[0] = 0x7f, fp[1] = 3;
	fp[24] = 0x80, fp[25] = 0x1f, fp[26] = fp[27] = 0;
	for (int i = 0; i < 8; i++) {
		fill(fp + 32 + 16 * i, 16, 77 + i);
		memset(fp + 42 + 16 * i, 0, 6);
	}
	floats(fp + 160, 256);
	/* Indices of gathers and scatters. */
	for (int i = 0; i < 4; i++)
		((uint32_t *)(fp + 160 + 5 * 16))[i] = 8 * i;
	for (int i = 2; i < 9; i++)
		if (size_of[i] && i != 3 && i != 4) {
			all |= 1ull << i;
			if (i == 5)
				fill(fp + offset_of[i], size_of[i], 0x5555);
			else
				floats(fp + offset_of[i], size_of[i]);
		}
	if (all & 4)
		for (int i = 0; i < 4; i++)
			((uint32_t *)(fp + offset_of[2] + 5 * 16))[i] = 8 * i + 32;
	if (all & 64)
		for (int i = 0; i < 8; i++)
			((uint32_t *)(fp + offset_of[6] + 5 * 32))[i] = 8 * i + 64;
	memcpy(&have, fp + 512, 8);
	have |= all | 3;
	memcpy(fp + 512, &have, 8);
}

static void handler(int signal, siginfo_t *info, void *context)
{
	uint64_t fs = 0, gs = 0;

	syscall2(SYS_arch_prctl, ARCH_GET_FS, (long)&fs);
	syscall2(SYS_arch_prctl, ARCH_GET_GS, (long)&gs);
	__asm__ volatile("mov %0, %%ds; mov %0, %%es; mov %1, %%fs; mov %1, %%gs" : : "r"(0x2b), "r"(0));
	syscall2(SYS_arch_prctl, ARCH_SET_FS, fs_base);
	syscall2(SYS_arch_prctl, ARCH_SET_GS, 0);
	if (at >= 0) {
		save(&results[at], signal, info, context, entries[at].how);
		results[at].fs = fs;
		results[at].gs = gs;
	}
	if (entries + ++at == entries_end) {
		int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		long bytes = at * sizeof(*results);
		const char *p = (const char *)results;

		while (bytes > 0) {
			long n = write(fd, p, bytes);

			if (n <= 0)
				_exit(2);
			bytes -= n, p += n;
		}
		_exit(0);
	}
	prepare(context, &entries[at]);
	/* Not the address of this thread's own data, which differs from run to run. */
	syscall2(SYS_arch_prctl, ARCH_SET_FS, DATA);
}

static void map(unsigned long where, unsigned long size, int prot)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

	if (mmap((void *)where, size, prot | PROT_WRITE, flags, -1, 0) != (void *)where) {
		perror("forms: mmap");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	stack_t alt = { .ss_sp = malloc(1 << 18), .ss_size = 1 << 18 };
	cpu_set_t one;
	unsigned a, b, c, d;
	int cpu = sched_getcpu();

	if (argc != 2) {
		fprintf(stderr, "usage: forms FILE\n");
		return 2;
	}
	file = argv[1];
	/* Some instructions return the number of the processor. */
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (unsigned i = 2; i < 16; i++) {
		__cpuid_count(13, 0, a, b, c, d);
		if (!(a >> i & 1) || i >= 9)
			continue;
		__cpuid_count(13, i, a, b, c, d);
		size_of[i] = a;
		offset_of[i] = b;
	}
	map(DATA, DATA_SIZE, PROT_READ);
	map(STACK, STACK_SIZE, PROT_READ);
	map(LANDING, 0x1000, PROT_READ);
	memset((void *)LANDING, 0xcc, 0x1000);
	mprotect((void *)LANDING, 0x1000, PROT_READ | PROT_EXEC);
	results = calloc(entries_end - entries, sizeof(*results));
	syscall2(SYS_arch_prctl, ARCH_GET_FS, (long)&fs_base);
	sigaltstack(&alt, NULL);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &act, NULL);
	puts("ready");
	fflush(stdout);
	getchar();
	/* The first signal only starts the first instruction. */
	raise(SIGTRAP);
	return 2;
}
