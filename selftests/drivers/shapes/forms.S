/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the compiler would not write as they are needed: of one argument, and ftrace knows none of them. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

	.text
/* The first instruction is a push. */
SYM_FUNC_START(shape_push)
	ENDBR
	pushq	%rbp
	movq	%rsp, %rbp
	leaq	1(%rdi), %rax
	popq	%rbp
	RET
SYM_FUNC_END(shape_push)

/* It is one that runs elsewhere. */
SYM_FUNC_START(shape_displaced)
	ENDBR
	leaq	1(%rdi), %rax
	RET
SYM_FUNC_END(shape_displaced)

/* It depends on where it stands. */
SYM_FUNC_START(shape_relative)
	ENDBR
	movq	shape_one(%rip), %rax
	addq	%rdi, %rax
	RET
SYM_FUNC_END(shape_relative)

/*
 * Behind its first byte alone, the constant would take the jump for a part of itself. From the
 * second nop on, five bytes are two instructions, and the jump leads into them.
 */
SYM_FUNC_START(shape_swallowing)
	ENDBR
	.byte	0x3d, 0x90, 0x90, 0x90, 0xc8	/* cmpl $0xc8909090, %eax; 0xc8 is enter */
	.byte	0x75, 0x02			/* jne 1f */
	nop
	nop
1:	leaq	1(%rdi), %rax
	RET
SYM_FUNC_END(shape_swallowing)

/* It is a jump out of the function: entry and return in one place. */
SYM_FUNC_START(shape_jump)
	ENDBR
	.byte	0xe9
	.long	shape_plain - . - 4
SYM_FUNC_END(shape_jump)

/* It is a call. */
SYM_FUNC_START(shape_call)
	ENDBR
	call	shape_plain
	RET
SYM_FUNC_END(shape_call)

/* It is the return. */
SYM_FUNC_START(shape_nothing)
	ENDBR
	RET
SYM_FUNC_END(shape_nothing)

/* Three places to return from. */
SYM_FUNC_START(shape_several)
	ENDBR
	leaq	1(%rdi), %rax
	movq	%rdi, %rdx
	andl	$3, %edx
	jz	1f
	cmpl	$1, %edx
	je	2f
	RET
1:
	movq	%rdi, %rax
	incq	%rax
	RET
2:
	addq	$1, %rdi
	movq	%rdi, %rax
	RET
SYM_FUNC_END(shape_several)

/* The return stands where there could be padding: behind a jump out of the function. */
SYM_FUNC_START(shape_behind)
	ENDBR
	leaq	1(%rdi), %rax
	testl	$1, %edi
	jz	1f
	.byte	0xe9
	.long	shape_other - . - 4
1:	RET
SYM_FUNC_END(shape_behind)

SYM_FUNC_START(shape_other)
	ENDBR
	leaq	1(%rdi), %rax
	RET
SYM_FUNC_END(shape_other)

/* The head of a loop comes first: no entry can be told from a round. */
SYM_FUNC_START(shape_loop_first)
	ENDBR
1:
	decq	%rdi
	jns	1b
	movl	$1, %eax
	RET
SYM_FUNC_END(shape_loop_first)

/* Its unlikely half ends in another function, but only if a condition holds. */
SYM_FUNC_START(shape_cold_tail)
	ENDBR
	testb	$1, %dil
	jnz	shape_cold_tail.cold
	leaq	1(%rdi), %rax
	RET
SYM_FUNC_END(shape_cold_tail)

SYM_FUNC_START_LOCAL(behind_cold_tail)
	ENDBR
	leaq	1(%rdi), %rax
	RET
SYM_FUNC_END(behind_cold_tail)

	.section .text.unlikely, "ax"
SYM_FUNC_START_LOCAL(shape_cold_tail.cold)
	testb	$2, %dil
	jnz	behind_cold_tail
	leaq	1(%rdi), %rax
	RET
SYM_FUNC_END(shape_cold_tail.cold)

	.section .rodata, "a"
	.balign	8
shape_one:
	.quad	1
