# SPDX-License-Identifier: GPL-2.0
# ASSERTION: in a stack, what a signal has interrupted is named by where it goes on, though that be the first instruction of a
# function; with the C library, and without.
. /src/selftests/lib/sh
cat >/tmp/hit.c <<'C'
#include <signal.h>
#include <unistd.h>

/* Interrupted at its first instruction, which is one byte behind another function. */
void first(void);
__asm__(".type before, @function\nbefore: .cfi_startproc\nnop; nop; ret\n.cfi_endproc\n.size before, .-before\n"
	".globl first\n.type first, @function\nfirst: .cfi_startproc\nud2; ret\n.cfi_endproc\n.size first, .-first\n");

static void handler(int n, siginfo_t *info, void *context)
{
	(void)n, (void)info;
	getppid();
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

__attribute__((noinline)) static void caller(void)
{
	first();
	__asm__ volatile("");
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGILL, &action, NULL);
	caller();
	return 0;
}
C
gcc -D_GNU_SOURCE -O1 -o /tmp/hit /tmp/hit.c && gcc -D_GNU_SOURCE -O1 -static -o /tmp/hit.static /tmp/hit.c || fail gcc
frames() { dtrace -q -n 'syscall::getppid:entry /pid == $target/ { ustack(); }' -c "$1" | sed -n "s/^ *$2\`//; s/^handler+.*/handler/; /^handler/,/^main/p"; }
got=$(frames /tmp/hit hit)
expect "before" "$(echo "$got" | sed 's/+.*//' | xargs)" "handler libc.so.6\`$(echo "$got" | sed -n 's/^ *libc.so.6`//p' | sed 's/+.*//') first caller main"
echo "$got" | grep -qx first || fail "the interrupted function has an offset: $got"
got=$(frames /tmp/hit.static hit.static)
expect "static" "$(echo "$got" | sed 's/+.*//' | xargs)" "handler __restore_rt first caller main"
echo "$got" | grep -qx first || fail "static: the interrupted function has an offset: $got"
echo "$got" | grep -qx __restore_rt || fail "static: the handler's return has an offset: $got"
exit 0
