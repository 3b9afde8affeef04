# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a user stack begins right: at the entry of a function, which has no frame yet, with it and its caller; within
# it and behind its frame with the same; where it has returned, with the caller. So it does without frame pointers, and
# then goes on: out of a signal's handler, and to where the program began.
# SECONDS: 240
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
cat >/tmp/stack.c <<'C'
#include <stdio.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int inner(int x) { asm volatile("" : "+r"(x)); return x + 1; }
NOINLINE int middle(int x) { x = inner(x); asm volatile("" : "+r"(x)); return x + 1; }
NOINLINE int outer(int x) { x = middle(x); asm volatile("" : "+r"(x)); return x + 1; }
int main(void) { puts("ready"); fflush(stdout); getchar(); outer(1); for (;;) pause(); }
C
stack() {
	begin /tmp/stack
	trace /tmp/o -n "pid$target:stack:$1:$2 { $3; exit(0); }"
	go_on
	wait "$tracer"
	kill "$target"
	sed -n 's/^ *\(stack`[a-z_]*\).*/\1/p' /tmp/o | xargs
}
callers='stack`middle stack`outer stack`main stack`_start'
for how in -fno-omit-frame-pointer -fomit-frame-pointer; do
	gcc -O1 "$how" -fno-optimize-sibling-calls -o /tmp/stack /tmp/stack.c || fail gcc
	expect "entry, $how" "$(stack inner entry 'ustack()')" "stack\`inner $callers"
	expect "0, $how" "$(stack inner 0 'ustack()')" "stack\`inner $callers"
	expect "return, $how" "$(stack inner return 'ustack()')" "$callers"
	case $how in -fno*) expect "after the frame is made" "$(stack middle 4 'ustack()')" "$callers" ;; esac
	expect "ucaller, $how" "$(stack inner entry 'ufunc(ucaller)')" 'stack`middle'
	expect "two frames, $how" "$(stack inner entry 'ustack(2)')" 'stack`inner stack`middle'
done

cat >/tmp/signal.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int inner(int x) { asm volatile("" : "+r"(x)); return x + 1; }
static void handler(int n) { int x = inner(n); asm volatile("" : "+r"(x)); }
NOINLINE int hit(int x) { asm volatile("nop; ud2" : "+r"(x)); return x + 1; }
NOINLINE int outer(int x) { x = hit(x); asm volatile("" : "+r"(x)); return x + 1; }
static void skip(int n, siginfo_t *i, void *c) { handler(n); ((unsigned long *)c)[5 + 16] += 2; }
int main(void)
{
	struct sigaction a = { .sa_sigaction = skip, .sa_flags = SA_SIGINFO };
	sigaction(SIGILL, &a, 0);
	puts("ready"); fflush(stdout); getchar(); outer(1); for (;;) pause();
}
C
gcc -O1 -fno-optimize-sibling-calls -fno-inline -o /tmp/signal /tmp/signal.c || fail gcc
begin /tmp/signal
trace /tmp/o -n "pid$target:signal:inner:entry { ustack(); printf(\"depth %d\\n\", ustackdepth); exit(0); }"
go_on
wait "$tracer"
kill "$target"
expect "out of a handler" "$(sed -n 's/^ *signal`\([a-z_]*\).*/\1/p' /tmp/o | xargs)" "inner handler skip hit outer main _start"
expect ustackdepth "$(sed -n 's/^depth //p' /tmp/o)" "$(grep -c '`' /tmp/o)"
