/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places where the module leaves the calling convention: calls to functions whose ENDBR is
 * sealed, the trampolines that probe sites call, and room for instructions that breakpoints have
 * displaced.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

	.text
/*
 * long kapi_call4(fn, a, b, c, d): fn(a, b, c, d). An indirect call must land on an ENDBR where IBT
 * is on, and the kernel has overwritten those of functions whose address it never takes. RET is not
 * checked, so fn is entered as if returned to. It is the kernel's RET: on processors that must not
 * return by a plain `ret`, a jump to the return thunk. The call before it keeps the return stack of
 * the CPU in balance. kapi_call5 passes one argument more; in kapi_call4 that register has any
 * value, which fn ignores.
 */
SYM_FUNC_START(kapi_call4)
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %rcx
	movq	%r9, %r8
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Lenter
	int3
.Lenter:
	movq	%rax, (%rsp)
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(kapi_call4)
SYM_FUNC_ALIAS(kapi_call5, kapi_call4)

/*
 * Called by `call rel32` where a nop5 stood. The site may have any value in any register and says
 * that it changes none, so this saves all those that a C call may change, and the flags, before the
 * first instruction that touches them. The stack may not be aligned there, either.
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

/* The trampolines below call this until they are patched to call a handler: nothing is faster. */
SYM_FUNC_START(kapi_unset_handler)
	ANNOTATE_NOENDBR
	RET
SYM_FUNC_END(kapi_unset_handler)

/*
 * Called by ftrace in place of the nop that a C function begins with. So only what a caller gives
 * to a C function is live, and only that is saved.
 *
 *	rsp + 64	the seventh argument (Saved::stack)
 *	rsp + 56	return address into the caller
 *	rsp + 48	return address: site + 5
 *	rsp		rdi rsi rdx rcx r8 r9: the arguments, in this order (Saved)
 */
SYM_FUNC_START(kapi_entry_trampoline)
	ANNOTATE_NOENDBR
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	movq	48(%rsp), %rdi
	movq	%rsp, %rsi
	subq	$5, %rdi
SYM_INNER_LABEL(kapi_entry_call, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	call	kapi_unset_handler
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%r8
	popq	%r9
	RET
SYM_FUNC_END(kapi_entry_trampoline)

/* The registers that a C call may change, except rax, which has its result. */
.macro save_scratch
	pushq	%rdx
	pushq	%rcx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
.endm

.macro restore_scratch
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rcx
	popq	%rdx
.endm

/*
 * Saves rax and the flags, too. At a return that is more than C needs, but functions in assembly
 * promise more to their callers: they may return in any register, and in flags. At a jump out of a
 * function these are the arguments of the next function.
 */
.macro save_all
	pushq	%rax
	save_scratch
	pushfq
.endm

.macro restore_all
	popfq
	restore_scratch
	popq	%rax
.endm

/*
 * Called in place of a return: site + 5 is on the stack, and behind it the function's return
 * address. The handler is passed the address of all saved registers (Left).
 */
SYM_FUNC_START(kapi_return_trampoline)
	ANNOTATE_NOENDBR
	save_all
	movq	80(%rsp), %rdi
	movq	%rsp, %rsi
	subq	$5, %rdi
SYM_INNER_LABEL(kapi_return_call, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	call	kapi_unset_handler
	restore_all
	leaq	8(%rsp), %rsp
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(kapi_return_trampoline)

/* Called in place of a jump to another function, to which this returns. */
SYM_FUNC_START(kapi_tail_trampoline)
	ANNOTATE_NOENDBR
	save_all
	movq	80(%rsp), %rdi
	subq	$5, %rdi
	call	kapi_tail_fired
	movq	%rax, 80(%rsp)
	restore_all
	RET
SYM_FUNC_END(kapi_tail_trampoline)

/*
 * Copies of instructions, each with a jump behind it to the instruction's successor. Free space is
 * filled with breakpoints. Rust: sites::POOL is its size.
 *
 * Only the function that an instruction came from knows the stack's layout there. An unwinder must
 * take this for code that it cannot unwind, not for the end of the stack: livepatch trusts a stack
 * that it has seen to its end.
 */
	.balign 64
SYM_CODE_START(kapi_pool)
	ANNOTATE_NOENDBR
	UNWIND_HINT_UNDEFINED
	.fill	256 << 10, 1, 0xcc
	ud2
SYM_CODE_END(kapi_pool)

#ifdef CONFIG_CFI
/* The entries of the types of tracepoints; see src/typed.rs. */
	.balign 32
SYM_CODE_START(kapi_typed)
	ANNOTATE_NOENDBR
	UNWIND_HINT_UNDEFINED
	.fill	2048 * 32, 1, 0xcc
	ud2
SYM_CODE_END(kapi_typed)
#endif
