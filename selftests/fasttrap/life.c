// SPDX-License-Identifier: GPL-2.0
/*
 * A program for tests of process events, while every instruction of its function `form` is traced:
 *
 *	life fork TIMES		children by fork, vfork, clone with shared memory, and grandchildren: each
 *				calls it and ends; forked children must see the original text
 *	life exec PROGRAM	executes PROGRAM
 *	life signals TIMES	a timer interrupts the calls; handlers return, or leave by siglongjmp
 *	life faults TIMES	the instruction `load` faults: the handler must see its address and no other;
 *				it skips the instruction, or fixes its operand
 *	life threads TIMES	threads start and end
 *	life loop		runs until it is killed
 *	life rewrite TIMES	rewrites its text
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

asm(".text\n.globl form, form_end, load, load_end\n.type form, @function\n"
    "form: push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	mov given(%rip), %eax\n"
    "	add %edi, %eax\n"
    "	pop %rbp\n"
    "	ret\n"
    "form_end:\n.size form, . - form\n"
    ".type load, @function\n"
    "load: mov (%rdi), %rax\n"
    "	ret\n"
    "load_end:\n.size load, . - load\n"
    ".data\ngiven: .long 3\n.text\n");
extern int form(int);
extern long load(const long *);
extern char form_end[], load_end[];

static void fail(const char *what)
{
	printf("bad %s\n", what);
	fflush(stdout);
	_exit(1);
}

static void calls(int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (form(i) != i + 3)
			fail("result");
}

static char original[64];

static int same_text(void)
{
	return !memcmp(original, (void *)form, form_end - (char *)form);
}

static int cloned(void *arg)
{
	calls(10);
	_exit(0);
}

static void await(pid_t pid, const char *what)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, __WALL) != pid || status)
		fail(what);
}

static void forks(int n)
{
	static char stack[1 << 16];
	pid_t pid;
	int i;

	for (i = 0; i < n; i++) {
		pid = fork();
		if (!pid) {
			if (!same_text())
				_exit(2);
			calls(10);
			/* A grandchild. */
			pid = fork();
			if (!pid) {
				if (!same_text())
					_exit(2);
				calls(10);
				_exit(0);
			}
			await(pid, "grandchild");
			_exit(0);
		}
		await(pid, "fork");
		pid = vfork();
		if (!pid)
			_exit(form(1) != 4);
		await(pid, "vfork");
		await(clone(cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL), "clone");
		calls(10);
	}
}

static sigjmp_buf out;
static volatile int jump, ticks;
static volatile uintptr_t bad_ip;

static void tick(int sig, siginfo_t *info, void *context)
{
	ticks++;
	if (form(ticks) != ticks + 3)
		bad_ip = 1;
	if (jump && ticks % 2)
		siglongjmp(out, 1);
}

static void signals(int n)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } }, never = {};
	struct sigaction act = { .sa_sigaction = tick, .sa_flags = SA_SIGINFO };
	int round;

	sigaction(SIGALRM, &act, NULL);
	for (round = 0; round < 2; round++) {
		jump = round;
		setitimer(ITIMER_REAL, &often, NULL);
		while (ticks < n * (round + 1)) {
			sigsetjmp(out, 1);
			calls(100);
		}
		setitimer(ITIMER_REAL, &never, NULL);
	}
	if (bad_ip)
		fail("signal");
	printf("ticks %d\n", ticks >= 2 * n);
}

static long there = 5;
static volatile int mend, faults;

static void fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	faults++;
	if (u->uc_mcontext.gregs[REG_RIP] != (long)load)
		bad_ip = u->uc_mcontext.gregs[REG_RIP];
	if (mend)
		u->uc_mcontext.gregs[REG_RDI] = (long)&there;
	else
		u->uc_mcontext.gregs[REG_RIP] += 3;
}

static void faulting(int n)
{
	struct sigaction act = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
	int i;

	sigaction(SIGSEGV, &act, NULL);
	for (i = 0; i < n; i++) {
		mend = i & 1;
		if (mend && load((long *)8) != 5)
			fail("mended load");
		if (!mend)
			load((long *)8);
		if (load(&there) != 5)
			fail("load");
	}
	if (bad_ip) {
		printf("ip %lx, not %lx\n", (long)bad_ip, (long)load);
		fail("address of the fault");
	}
	printf("faults %d\n", faults);
}

static void *thread(void *arg)
{
	calls(10);
	return NULL;
}

static void threads(int n)
{
	pthread_t t[8];
	int i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < 8; k++)
			pthread_create(&t[k], NULL, thread, NULL);
		for (k = 0; k < 8; k++)
			pthread_join(t[k], NULL);
	}
}

static void rewrite(int n)
{
	uintptr_t page = (uintptr_t)form & ~4095ul;
	int i;

	for (i = 0; i < n; i++) {
		calls(10);
		if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
			fail("mprotect");
		memcpy((void *)form, original, form_end - (char *)form);
		if (mprotect((void *)page, 8192, PROT_READ | PROT_EXEC))
			fail("mprotect back");
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "loop";
	int n = argc > 2 ? atoi(argv[2]) : 1;

	memcpy(original, (void *)form, form_end - (char *)form);
	printf("form %lx %lx\nload %lx %lx\nready\n", (long)form, form_end - (char *)form, (long)load,
	       load_end - (char *)load);
	fflush(stdout);
	getchar();
	calls(10);
	if (!strcmp(mode, "fork"))
		forks(n);
	else if (!strcmp(mode, "exec"))
		execlp(argv[2], argv[2], "exec'd", NULL);
	else if (!strcmp(mode, "signals"))
		signals(n);
	else if (!strcmp(mode, "faults"))
		faulting(n);
	else if (!strcmp(mode, "threads"))
		threads(n);
	else if (!strcmp(mode, "rewrite"))
		rewrite(n);
	else
		for (;;)
			calls(1000);
	printf("good\n");
	return 0;
}
