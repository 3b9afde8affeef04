/* SPDX-License-Identifier: GPL-2.0 */
/*
 * u32 kapi_site_fn(void): a function with a nop5 in the middle, and a value of its own in every register there.
 * Returns 1 if all of them are as they were behind it, and the flags.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

.macro same value:req register:req
	cmpq	$\value, %\register
	jne	.Lchanged
.endm

	.text
SYM_FUNC_START(kapi_site_fn)
	ENDBR
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	$0x11, %rdi
	movq	$0x22, %rsi
	movq	$0x33, %rdx
	movq	$0x44, %rcx
	movq	$0x55, %r8
	movq	$0x66, %r9
	movq	$0x77, %r10
	movq	$0x88, %r11
	movq	$0x99, %rax
	movq	$0xa1, %rbx
	movq	$0xa2, %r12
	movq	$0xa3, %r13
	movq	$0xa4, %r14
	movq	$0xa5, %r15
	stc
SYM_INNER_LABEL(kapi_site, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	jnc	.Lchanged
	same	0x11, rdi
	same	0x22, rsi
	same	0x33, rdx
	same	0x44, rcx
	same	0x55, r8
	same	0x66, r9
	same	0x77, r10
	same	0x88, r11
	same	0x99, rax
	same	0xa1, rbx
	same	0xa2, r12
	same	0xa3, r13
	same	0xa4, r14
	same	0xa5, r15
	movl	$1, %eax
	jmp	.Lend
.Lchanged:
	xorl	%eax, %eax
.Lend:
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	RET
SYM_FUNC_END(kapi_site_fn)
