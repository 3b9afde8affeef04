/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two places where the module leaves the calling convention: calls to functions whose ENDBR is sealed, and the
 * trampoline that a probe site calls.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

	.text
/*
 * long kapi_call4(fn, a, b, c, d): fn(a, b, c, d). An indirect call must land on an ENDBR where IBT is on, and the
 * kernel has overwritten those of functions whose address it never takes. RET is not checked, so fn is entered as if
 * returned to. The call before it keeps the return stack of the CPU in balance.
 */
SYM_FUNC_START(kapi_call4)
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %rcx
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Lenter
	int3
.Lenter:
	movq	%rax, (%rsp)
	UNWIND_HINT_FUNC
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_FUNC_END(kapi_call4)

/*
 * Called by `call rel32` where a nop5 stood. The site may have any value in any register and says that it changes
 * none, so all those which a C call may change are saved, and the flags, before the first instruction that touches
 * them. Neither is the stack known to be aligned there.
 *
 *	   rbp + 8   return address: site + 5
 *	   rbp       the site's rbp
 *	   rbp - 8   its flags
 *	   ...
 *	   rsp       rdi rsi rdx rcx r8 r9 r10 r11 rax: the arguments, in this order
 */
SYM_FUNC_START(kapi_sdt_trampoline)
	ANNOTATE_NOENDBR
	pushq	%rbp
	movq	%rsp, %rbp
	pushfq
	andq	$-16, %rsp
	subq	$8, %rsp
	pushq	%rax
	pushq	%r11
	pushq	%r10
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	movq	8(%rbp), %rdi
	subq	$5, %rdi
	movq	%rsp, %rsi
	call	kapi_sdt_fired
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%r8
	popq	%r9
	popq	%r10
	popq	%r11
	popq	%rax
	leaq	-8(%rbp), %rsp
	popfq
	popq	%rbp
	RET
SYM_FUNC_END(kapi_sdt_trampoline)
