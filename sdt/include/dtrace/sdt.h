/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statically defined probes for kernel drivers. The driver author names a point of interest, and DTrace finds it.
 *
 *	#include <dtrace/sdt.h>
 *	DTRACE_PROBE1(hworld, open_module, open1, entry, num_opens);
 *
 * makes the probe hworld:open_module:open1:entry with num_opens as its arg0. The four names are C identifiers; a
 * double underscore in the last one is shown as a dash (`io__start` is io-start). There can be up to eight
 * arguments. Each is an integer or a pointer, evaluated once and in the order written; signed ones are
 * sign-extended to 64 bits.
 *
 * A point has one of two forms, and DTrace treats both alike:
 *
 * - nop (default): five bytes that do nothing, plus a record in a section of its own. Nothing is called.
 * - call: a call to a stub `__dtrace_<provider>___<module>___<function>___<name>` that returns at once. DTrace
 *   rewrites the call to the nop when the module loads. Choose this form for one point with DTRACE_CALL_PROBEn, or
 *   for a whole file by defining DTRACE_SDT_CALL before you include this header.
 *
 * In both forms the arguments are in rdi, rsi, rdx, rcx, r8, r9, r10, r11. While the probe is enabled, the point is
 * a call into DTrace that changes no register. A driver needs no part of DTrace at run time, and loads with or
 * without it.
 *
 * The record has sixteen bytes at a multiple of four in section .dtrace_sdt. Its label is a local symbol that starts
 * with "__dtrace_sdt.", by which DTrace finds it in the module's symbol table (so do not strip local symbols):
 *
 *	 0  s32  site    the point, relative to this field
 *	 4  s32  names   provider, module, function and name, each NUL-terminated, relative to this field
 *	 8  u16  kind    0 nop, 1 call
 *	10  u16  nargs   arguments passed, at most 8
 *	12  u32  magic   "SDT1"; the digit is the version of this layout
 *
 * sdt/src/record.rs reads it. sdt/rust/dtrace_sdt.rs has the macro for drivers in Rust.
 */
#ifndef _DTRACE_SDT_H
#define _DTRACE_SDT_H

#ifdef CONFIG_X86_64

#include <linux/compiler.h>
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <asm/asm.h>

#ifndef ANNOTATE_NOENDBR
#define ANNOTATE_NOENDBR ""
#endif

#define __DTRACE_NOP	0
#define __DTRACE_CALL	1
#define __DTRACE_MAGIC	0x31544453

/* The record of point 771, and its names once per object. */
#define __DTRACE_RECORD(p, m, f, n, kind, nargs)					\
	".pushsection .dtrace_sdt_names, \"a\", @progbits\n\t"				\
	".ifndef .Ldtrace." p "." m "." f "." n "\n"					\
	".Ldtrace." p "." m "." f "." n ":\n\t"						\
	".asciz \"" p "\", \"" m "\", \"" f "\", \"" n "\"\n\t"				\
	".endif\n\t"									\
	".popsection\n\t"								\
	".pushsection .dtrace_sdt, \"a\", @progbits\n\t"				\
	".balign 4\n\t"									\
	".type __dtrace_sdt." p "___" m "___" f "___" n ".%=, @object\n\t"		\
	".size __dtrace_sdt." p "___" m "___" f "___" n ".%=, 16\n"			\
	"__dtrace_sdt." p "___" m "___" f "___" n ".%=:\n\t"				\
	".long 771b - .\n\t"								\
	".long .Ldtrace." p "." m "." f "." n " - .\n\t"				\
	".short " __stringify(kind) ", " __stringify(nargs) "\n\t"			\
	".long " __stringify(__DTRACE_MAGIC) "\n\t"					\
	".popsection\n\t"

#define __DTRACE_NOP_ASM(p, m, f, n, nargs)						\
	ANNOTATE_NOENDBR "\n"								\
	"771:\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"					\
	__DTRACE_RECORD(p, m, f, n, __DTRACE_NOP, nargs)

/*
 * The stub is local to its object, so that any number of files may name the same probe. The nops before it are the
 * padding that call depth tracking expects before every called function.
 */
#ifdef CONFIG_CALL_PADDING
#define __DTRACE_STUB_PADDING ".skip " __stringify(CONFIG_FUNCTION_PADDING_BYTES) ", 0x90\n"
#else
#define __DTRACE_STUB_PADDING ""
#endif

#define __DTRACE_STUB(stub)								\
	".pushsection .text.dtrace_stub, \"ax\", @progbits\n\t"				\
	".ifndef " stub "\n\t"								\
	".balign 16, 0x90\n\t"								\
	__DTRACE_STUB_PADDING								\
	".type " stub ", @function\n"							\
	stub ":\n\t"									\
	ASM_RET										\
	".size " stub ", . - " stub "\n\t"						\
	".endif\n\t"									\
	".popsection\n\t"

#define __DTRACE_CALL_ASM(p, m, f, n, nargs)						\
	__DTRACE_STUB("__dtrace_" p "___" m "___" f "___" n)				\
	ANNOTATE_NOENDBR "\n"								\
	"771:\tcall __dtrace_" p "___" m "___" f "___" n "\n\t"				\
	__DTRACE_RECORD(p, m, f, n, __DTRACE_CALL, nargs)

/* All arguments are computed before the first register is set, because computing one may call a function. */
#define __DTRACE_V(i, a)	unsigned long __dtrace_v##i = (__force unsigned long)(a)
#define __DTRACE_R(i, r)	register unsigned long __dtrace_r##i asm(r) = __dtrace_v##i
#define __DTRACE_I(i)		"r" (__dtrace_r##i)

#define __DTRACE_V1(a)		__DTRACE_V(1, a)
#define __DTRACE_V2(a, b)	__DTRACE_V1(a); __DTRACE_V(2, b)
#define __DTRACE_V3(a, b, c)	__DTRACE_V2(a, b); __DTRACE_V(3, c)
#define __DTRACE_V4(a, b, c, d)	__DTRACE_V3(a, b, c); __DTRACE_V(4, d)
#define __DTRACE_V5(a, b, c, d, e)						\
	__DTRACE_V4(a, b, c, d); __DTRACE_V(5, e)
#define __DTRACE_V6(a, b, c, d, e, f)						\
	__DTRACE_V5(a, b, c, d, e); __DTRACE_V(6, f)
#define __DTRACE_V7(a, b, c, d, e, f, g)					\
	__DTRACE_V6(a, b, c, d, e, f); __DTRACE_V(7, g)
#define __DTRACE_V8(a, b, c, d, e, f, g, h)					\
	__DTRACE_V7(a, b, c, d, e, f, g); __DTRACE_V(8, h)

#define __DTRACE_R1		__DTRACE_R(1, "rdi")
#define __DTRACE_R2		__DTRACE_R1; __DTRACE_R(2, "rsi")
#define __DTRACE_R3		__DTRACE_R2; __DTRACE_R(3, "rdx")
#define __DTRACE_R4		__DTRACE_R3; __DTRACE_R(4, "rcx")
#define __DTRACE_R5		__DTRACE_R4; __DTRACE_R(5, "r8")
#define __DTRACE_R6		__DTRACE_R5; __DTRACE_R(6, "r9")
#define __DTRACE_R7		__DTRACE_R6; __DTRACE_R(7, "r10")
#define __DTRACE_R8		__DTRACE_R7; __DTRACE_R(8, "r11")

#define __DTRACE_I1		__DTRACE_I(1)
#define __DTRACE_I2		__DTRACE_I1, __DTRACE_I(2)
#define __DTRACE_I3		__DTRACE_I2, __DTRACE_I(3)
#define __DTRACE_I4		__DTRACE_I3, __DTRACE_I(4)
#define __DTRACE_I5		__DTRACE_I4, __DTRACE_I(5)
#define __DTRACE_I6		__DTRACE_I5, __DTRACE_I(6)
#define __DTRACE_I7		__DTRACE_I6, __DTRACE_I(7)
#define __DTRACE_I8		__DTRACE_I7, __DTRACE_I(8)

/* "memory": the target of a pointer argument must be in memory when a D program reads it. */
#define __DTRACE_NOP_POINT(p, m, f, n, nargs, ...) do {				\
	__DTRACE_V##nargs(__VA_ARGS__);						\
	__DTRACE_R##nargs;							\
	asm_inline volatile(__DTRACE_NOP_ASM(p, m, f, n, nargs)			\
			    : : __DTRACE_I##nargs : "memory");			\
} while (0)

/* The stack pointer as an output makes the compiler set up its frame before the call, for frame-pointer kernels. */
#define __DTRACE_CALL_POINT(p, m, f, n, nargs, ...) do {			\
	__DTRACE_V##nargs(__VA_ARGS__);						\
	__DTRACE_R##nargs;							\
	asm_inline volatile(__DTRACE_CALL_ASM(p, m, f, n, nargs)		\
			    : ASM_CALL_CONSTRAINT				\
			    : __DTRACE_I##nargs : "memory", "cc");		\
} while (0)

#define __DTRACE_NOP_POINT0(p, m, f, n)						\
	asm_inline volatile(__DTRACE_NOP_ASM(p, m, f, n, 0) : : : "memory")
#define __DTRACE_CALL_POINT0(p, m, f, n)					\
	asm_inline volatile(__DTRACE_CALL_ASM(p, m, f, n, 0)			\
			    : ASM_CALL_CONSTRAINT : : "memory", "cc")

#else /* !CONFIG_X86_64: no probe, but the arguments are still computed */

#define __DTRACE_V1(a)			(void)(a)
#define __DTRACE_V2(a, ...)		(void)(a); __DTRACE_V1(__VA_ARGS__)
#define __DTRACE_V3(a, ...)		(void)(a); __DTRACE_V2(__VA_ARGS__)
#define __DTRACE_V4(a, ...)		(void)(a); __DTRACE_V3(__VA_ARGS__)
#define __DTRACE_V5(a, ...)		(void)(a); __DTRACE_V4(__VA_ARGS__)
#define __DTRACE_V6(a, ...)		(void)(a); __DTRACE_V5(__VA_ARGS__)
#define __DTRACE_V7(a, ...)		(void)(a); __DTRACE_V6(__VA_ARGS__)
#define __DTRACE_V8(a, ...)		(void)(a); __DTRACE_V7(__VA_ARGS__)
#define __DTRACE_NOP_POINT(p, m, f, n, nargs, ...)	do { __DTRACE_V##nargs(__VA_ARGS__); } while (0)
#define __DTRACE_CALL_POINT(p, m, f, n, nargs, ...)	do { __DTRACE_V##nargs(__VA_ARGS__); } while (0)
#define __DTRACE_NOP_POINT0(p, m, f, n)			do { } while (0)
#define __DTRACE_CALL_POINT0(p, m, f, n)		do { } while (0)

#endif /* CONFIG_X86_64 */

/* The names become strings right here, before a macro of the same name (`current`) could replace them. */
#define DTRACE_NOP_PROBE(p, m, f, n)						\
	__DTRACE_NOP_POINT0(#p, #m, #f, #n)
#define DTRACE_NOP_PROBE1(p, m, f, n, a1)					\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 1, a1)
#define DTRACE_NOP_PROBE2(p, m, f, n, a1, a2)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 2, a1, a2)
#define DTRACE_NOP_PROBE3(p, m, f, n, a1, a2, a3)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 3, a1, a2, a3)
#define DTRACE_NOP_PROBE4(p, m, f, n, a1, a2, a3, a4)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 4, a1, a2, a3, a4)
#define DTRACE_NOP_PROBE5(p, m, f, n, a1, a2, a3, a4, a5)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 5, a1, a2, a3, a4, a5)
#define DTRACE_NOP_PROBE6(p, m, f, n, a1, a2, a3, a4, a5, a6)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 6, a1, a2, a3, a4, a5, a6)
#define DTRACE_NOP_PROBE7(p, m, f, n, a1, a2, a3, a4, a5, a6, a7)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 7, a1, a2, a3, a4, a5, a6, a7)
#define DTRACE_NOP_PROBE8(p, m, f, n, a1, a2, a3, a4, a5, a6, a7, a8)\
	__DTRACE_NOP_POINT(#p, #m, #f, #n, 8, a1, a2, a3, a4, a5, a6, a7, a8)

#define DTRACE_CALL_PROBE(p, m, f, n)					\
	__DTRACE_CALL_POINT0(#p, #m, #f, #n)
#define DTRACE_CALL_PROBE1(p, m, f, n, a1)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 1, a1)
#define DTRACE_CALL_PROBE2(p, m, f, n, a1, a2)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 2, a1, a2)
#define DTRACE_CALL_PROBE3(p, m, f, n, a1, a2, a3)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 3, a1, a2, a3)
#define DTRACE_CALL_PROBE4(p, m, f, n, a1, a2, a3, a4)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 4, a1, a2, a3, a4)
#define DTRACE_CALL_PROBE5(p, m, f, n, a1, a2, a3, a4, a5)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 5, a1, a2, a3, a4, a5)
#define DTRACE_CALL_PROBE6(p, m, f, n, a1, a2, a3, a4, a5, a6)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 6, a1, a2, a3, a4, a5, a6)
#define DTRACE_CALL_PROBE7(p, m, f, n, a1, a2, a3, a4, a5, a6, a7)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 7, a1, a2, a3, a4, a5, a6, a7)
#define DTRACE_CALL_PROBE8(p, m, f, n, a1, a2, a3, a4, a5, a6, a7, a8)\
	__DTRACE_CALL_POINT(#p, #m, #f, #n, 8, a1, a2, a3, a4, a5, a6, a7, a8)

#ifdef DTRACE_SDT_CALL
#define DTRACE_PROBE	DTRACE_CALL_PROBE
#define DTRACE_PROBE1	DTRACE_CALL_PROBE1
#define DTRACE_PROBE2	DTRACE_CALL_PROBE2
#define DTRACE_PROBE3	DTRACE_CALL_PROBE3
#define DTRACE_PROBE4	DTRACE_CALL_PROBE4
#define DTRACE_PROBE5	DTRACE_CALL_PROBE5
#define DTRACE_PROBE6	DTRACE_CALL_PROBE6
#define DTRACE_PROBE7	DTRACE_CALL_PROBE7
#define DTRACE_PROBE8	DTRACE_CALL_PROBE8
#else
#define DTRACE_PROBE	DTRACE_NOP_PROBE
#define DTRACE_PROBE1	DTRACE_NOP_PROBE1
#define DTRACE_PROBE2	DTRACE_NOP_PROBE2
#define DTRACE_PROBE3	DTRACE_NOP_PROBE3
#define DTRACE_PROBE4	DTRACE_NOP_PROBE4
#define DTRACE_PROBE5	DTRACE_NOP_PROBE5
#define DTRACE_PROBE6	DTRACE_NOP_PROBE6
#define DTRACE_PROBE7	DTRACE_NOP_PROBE7
#define DTRACE_PROBE8	DTRACE_NOP_PROBE8
#endif

#endif /* _DTRACE_SDT_H */
