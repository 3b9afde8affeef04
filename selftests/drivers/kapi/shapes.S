/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of one argument that return its successor, each in its own way. What is interesting about each begins at
 * the label kapi_shape_NAME_site.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>

.macro site name:req
SYM_INNER_LABEL(kapi_shape_\name\()_site, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
.endm

	.text
SYM_FUNC_START(kapi_shape_successor)
	ENDBR
	leal	1(%rdi), %eax
	RET
SYM_FUNC_END(kapi_shape_successor)

SYM_FUNC_START(kapi_shape_push)
	ENDBR
	site	push
	pushq	%rbp
	movq	%rsp, %rbp
	leal	1(%rdi), %eax
	popq	%rbp
	RET
SYM_FUNC_END(kapi_shape_push)

SYM_FUNC_START(kapi_shape_push12)
	ENDBR
	site	push12
	pushq	%r12
	movl	%edi, %r12d
	leal	1(%r12), %eax
	popq	%r12
	RET
SYM_FUNC_END(kapi_shape_push12)

SYM_FUNC_START(kapi_shape_relative)
	ENDBR
	site	relative
	movl	kapi_shape_one(%rip), %eax
	addl	%edi, %eax
	RET
SYM_FUNC_END(kapi_shape_relative)

SYM_FUNC_START(kapi_shape_plain)
	ENDBR
	site	plain
	leal	1(%rdi), %eax
	RET
SYM_FUNC_END(kapi_shape_plain)

SYM_FUNC_START(kapi_shape_skip)
	ENDBR
	site	skip
	.byte	0x66, 0x90
	leal	1(%rdi), %eax
	RET
SYM_FUNC_END(kapi_shape_skip)

SYM_FUNC_START(kapi_shape_jump)
	ENDBR
	leal	1(%rdi), %eax
	site	jump
	jmp	.Lover
	int3
.Lover:
	RET
SYM_FUNC_END(kapi_shape_jump)

/* Both ways are taken, by odd and by even arguments. */
SYM_FUNC_START(kapi_shape_branch)
	ENDBR
	testl	$1, %edi
	site	branch
	jz	.Leven
	leal	1(%rdi), %eax
	RET
.Leven:
	movl	%edi, %eax
	incl	%eax
	RET
SYM_FUNC_END(kapi_shape_branch)

SYM_FUNC_START(kapi_shape_call)
	ENDBR
	site	call
	call	kapi_shape_successor
	RET
SYM_FUNC_END(kapi_shape_call)

SYM_FUNC_START(kapi_shape_jump_reg)
	ENDBR
	leaq	kapi_shape_successor(%rip), %r11
	site	jump_reg
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%r11
	int3
SYM_FUNC_END(kapi_shape_jump_reg)

SYM_FUNC_START(kapi_shape_call_reg)
	ENDBR
	leaq	kapi_shape_successor(%rip), %rax
	site	call_reg
	ANNOTATE_RETPOLINE_SAFE
	call	*%rax
	RET
SYM_FUNC_END(kapi_shape_call_reg)

SYM_FUNC_START(kapi_shape_return)
	ENDBR
	leal	1(%rdi), %eax
	site	return
	RET
SYM_FUNC_END(kapi_shape_return)

/* For the calls in the places of returns and jumps. */
SYM_FUNC_START(kapi_shape_return5)
	ENDBR
	leal	1(%rdi), %eax
	site	return5
	RET
SYM_FUNC_END(kapi_shape_return5)

SYM_FUNC_START(kapi_shape_tail)
	ENDBR
	site	tail
	.byte	0xe9
	.long	kapi_shape_successor - . - 4
SYM_FUNC_END(kapi_shape_tail)

/*
 * u64 kapi_shape_keeps(fn): calls fn with a value in each register and set flags; 1 if all that a caller of it could
 * rely on is as before. fn is the address of kapi_shape_nothing, or of its sibling that jumps there.
 */
SYM_FUNC_START(kapi_shape_nothing)
	ENDBR
	site	nothing
	RET
SYM_FUNC_END(kapi_shape_nothing)

SYM_FUNC_START(kapi_shape_jump_nothing)
	ENDBR
	site	jump_nothing
	.byte	0xe9
	.long	kapi_shape_nothing - . - 4
SYM_FUNC_END(kapi_shape_jump_nothing)

.macro keeps name:req callee:req
SYM_FUNC_START(\name)
	ENDBR
	pushq	%rbx
	movq	$0x11, %rdi
	movq	$0x22, %rsi
	movq	$0x33, %rdx
	movq	$0x44, %rcx
	movq	$0x55, %r8
	movq	$0x66, %r9
	movq	$0x77, %r10
	movq	$0x88, %r11
	movq	$0x99, %rax
	movq	$0xaa, %rbx
	stc
	call	\callee
	jnc	1f
	cmpq	$0x11, %rdi
	jne	1f
	cmpq	$0x22, %rsi
	jne	1f
	cmpq	$0x33, %rdx
	jne	1f
	cmpq	$0x44, %rcx
	jne	1f
	cmpq	$0x55, %r8
	jne	1f
	cmpq	$0x66, %r9
	jne	1f
	cmpq	$0x77, %r10
	jne	1f
	cmpq	$0x88, %r11
	jne	1f
	cmpq	$0x99, %rax
	jne	1f
	cmpq	$0xaa, %rbx
	jne	1f
	movl	$1, %eax
	popq	%rbx
	RET
1:
	xorl	%eax, %eax
	popq	%rbx
	RET
SYM_FUNC_END(\name)
.endm

	keeps	kapi_shape_keeps_return, kapi_shape_nothing
	keeps	kapi_shape_keeps_tail, kapi_shape_jump_nothing

	.data
	.balign	4
kapi_shape_one:
	.long	1
