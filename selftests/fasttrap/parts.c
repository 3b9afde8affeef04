// SPDX-License-Identifier: GPL-2.0
// Functions with a separate part that is entered and left in each possible way, for tst.parts.sh.
// Prints for each function the number of calls and the sum of the results.
#include <stdio.h>
#include <stdlib.h>

#define CALLS 1000

// Code with unwind information of its own, and a name that stripping may remove.
#define CODE(section, name, body) __asm__(".section " section "\n.type " name ", @function\n" name ": .cfi_startproc\n" \
	body ".cfi_endproc\n.size " name ", . - " name "\n.text")
#define LOCAL(name, body) CODE(".text", #name, body); long name(long n)
#define FUNCTION(name, body) __asm__(".globl " #name); LOCAL(name, body)
#define PART(name, body) CODE(".text.unlikely, \"ax\", @progbits", #name ".cold", body)
#define FRAME "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rbx, -16\nmov %rdi, %rbx\nsub $32, %rsp\n.cfi_adjust_cfa_offset 32\n"
#define KEPT ".cfi_def_cfa_offset 48\n.cfi_offset %rbx, -16\n"
#define LEFT "add $32, %rsp\n.cfi_adjust_cfa_offset -32\npop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\nret\n"
#define ODD "test $1, %dil\n"

#define CALL(name) do { \
	long sum = 0; \
	for (long n = 0; n < CALLS; n++) \
		sum += name(n); \
	printf(#name " %d %ld\n", CALLS, sum); \
} while (0)

// Two functions with the same name in two files: names do not tell which part belongs to which
// function.
LOCAL(twin, FRAME ODD "jne twin.cold\n.Ltwin: lea (%rbx), %rax\n" LEFT);
PART(twin, KEPT "nop\njmp .Ltwin\n");
#ifdef TWIN
void call_twin(void) { CALL(twin); }
#else
void call_twin(void);

// With a frame: jumps to the part and back.
FUNCTION(back, FRAME ODD "jne back.cold\n.Lback: lea (%rbx), %rax\n" LEFT);
PART(back, KEPT "inc %rbx\ndec %rbx\njmp .Lback\n");
// With a frame: returns in the part.
FUNCTION(ends, FRAME ODD "jne ends.cold\nlea (%rbx), %rax\n" LEFT);
PART(ends, KEPT "lea (%rbx), %rax\n" LEFT);
// Also enters the part in the middle; the part jumps back or returns.
FUNCTION(middle, FRAME ODD "je .Lback_of_middle\ntest $2, %dil\nje .Lmiddle\njmp middle.cold\n"
	".Lback_of_middle: lea (%rbx), %rax\n" LEFT);
PART(middle, KEPT "nop\n.Lmiddle: test $4, %dil\nje .Lback_of_middle\nlea (%rbx), %rax\n" LEFT);
// Before there is a frame: jumps to the part and back.
FUNCTION(early, ODD "jne early.cold\n.Learly: mov %rdi, %rax\nret\n");
PART(early, "push %rbx\n.cfi_adjust_cfa_offset 8\npop %rbx\n.cfi_adjust_cfa_offset -8\njmp .Learly\n");
// Before there is a frame: returns in the part.
FUNCTION(late, ODD "jne late.cold\nmov %rdi, %rax\nret\n");
PART(late, FRAME "lea (%rbx), %rax\n" LEFT);
// With a frame: jumps through a table.
FUNCTION(table, FRAME "and $3, %edi\nlea .Ltable(%rip), %rax\nmovslq (%rax, %rdi, 4), %rdi\nadd %rdi, %rax\njmp *%rax\n"
	".Lback_of_table: mov %rbx, %rax\n" LEFT);
PART(table, KEPT "nop\n.Linto_table: jmp .Lback_of_table\n");
__asm__(".section .rodata\n.Ltable: .long .Lback_of_table - .Ltable, table.cold - .Ltable, .Lback_of_table - .Ltable, "
	".Linto_table - .Ltable\n.text");
// Removes its frame and jumps to a function that only this file has a symbol for.
LOCAL(hidden, "mov %rdi, %rax\nret\n");
FUNCTION(tail, FRAME "lea (%rbx), %rdi\nadd $32, %rsp\n.cfi_adjust_cfa_offset -32\npop %rbx\n.cfi_adjust_cfa_offset -8\njmp hidden\n");
// The same, through a register.
FUNCTION(by_register, "lea hidden(%rip), %rax\njmp *%rax\n");

static volatile long seen;
__attribute__((noinline, cold)) void rarely(long *n) { seen += *n; }

// A part made by the compiler.
__attribute__((noinline)) long compiled(long n)
{
	long room[4] = { n, seen & 0, 0, 0 };

	if (__builtin_expect(n % 3 == 0, 0)) {
		rarely(room);
		room[0] += 2;
	}
	if (__builtin_expect(n % 5 == 0, 0)) {
		rarely(room);
		return room[0] + 1;
	}
	return room[0] + room[1];
}

int main(void)
{
	CALL(back);
	CALL(ends);
	CALL(middle);
	CALL(early);
	CALL(late);
	CALL(table);
	CALL(tail);
	CALL(by_register);
	CALL(compiled);
	CALL(twin);
	call_twin();
	return 0;
}
#endif
