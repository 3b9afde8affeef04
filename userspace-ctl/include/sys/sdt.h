/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Probes in programs, compatible with those of packages (systemtap-sdt-dev): each probe is a nop, and
 * a note that says where its arguments are. The program is built without dtrace, and needs nothing
 * to run.
 *
 *	DTRACE_PROBE2(shop, order__begin, number, customer);	traced: shop$target:::order-begin { copyinstr(arg1) }
 *
 * With _SDT_HAS_SEMAPHORES the program must have a counter for each probe, an unsigned short in section
 * .probes with a name such as shop_order__begin_semaphore. It is not 0 while the probe is traced.
 */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H

#define _SDT_STR1(x) #x
#define _SDT_STR(x) _SDT_STR1(x)

#define _SDT_COUNTER(p, n) _SDT_STR(p) "_" _SDT_STR(n) "_semaphore"
#ifdef _SDT_HAS_SEMAPHORES
#define _SDT_SEMAPHORE(p, n) _SDT_COUNTER(p, n)
#else
#define _SDT_SEMAPHORE(p, n) "0"
#endif

#ifdef __LP64__
#define _SDT_ADDRESS ".8byte "
#else
#define _SDT_ADDRESS ".4byte "
#endif

/*
 * The note is in the section group of its code. The base shows how far the linker, or prelink, has
 * moved the code.
 */
#define _SDT_NOTE(p, n, counter, args) \
	"990:\tnop\n" \
	".pushsection .note.stapsdt,\"?\",\"note\"\n" \
	".balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n" \
	"991:\t.asciz \"stapsdt\"\n" \
	"992:\t.balign 4\n" \
	"993:\t" _SDT_ADDRESS "990b\n" \
	_SDT_ADDRESS "_.stapsdt.base\n" \
	_SDT_ADDRESS counter "\n" \
	".asciz \"" _SDT_STR(p) "\"\n" \
	".asciz \"" _SDT_STR(n) "\"\n" \
	".ascii \"" args "\"\n" \
	".byte 0\n" \
	"994:\t.balign 4\n" \
	".popsection\n" \
	".ifndef _.stapsdt.base\n" \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n" \
	".hidden _.stapsdt.base\n" \
	"_.stapsdt.base:\t.space 1\n" \
	".size _.stapsdt.base, 1\n" \
	".popsection\n" \
	".endif\n"

/*
 * Each argument is SIZE@PLACE. The size is negative if the argument is signed, and 4f or 8f for a float
 * or a double, for which _SDT_SIZE is 104 or 108. The assembler makes the choice, because the
 * preprocessor does not know types.
 */
#define _SDT_ARG(i) \
	"\"\n.if %c[s" #i "] == 104\n.ascii \"4f\"\n.elseif %c[s" #i "] == 108\n.ascii \"8f\"\n" \
	".else\n.ascii \"%c[s" #i "]\"\n.endif\n.ascii \"@%[a" #i "]"
#define _SDT_OPERAND(i, x) [s##i] "n" (_SDT_SIZE(x)), [a##i] "nor" (_SDT_VALUE(x))

#ifdef __cplusplus
extern "C++" {
template <typename T> struct _sdt_type { static const int size = T(-1) < T(1) ? -(int)sizeof(T) : (int)sizeof(T); };
#define _SDT_FLOAT(type, number) \
	template <> struct _sdt_type<type> { static const int size = number; }; \
	template <> struct _sdt_type<const type> : _sdt_type<type> { }; \
	template <> struct _sdt_type<volatile type> : _sdt_type<type> { }; \
	template <> struct _sdt_type<const volatile type> : _sdt_type<type> { };
_SDT_FLOAT(float, 104)
_SDT_FLOAT(double, 108)
template <typename T> struct _sdt_type<T &> : _sdt_type<T> { };
template <typename T> struct _sdt_type<T *> { static const int size = sizeof(void *); };
template <typename T> struct _sdt_type<T[]> { static const int size = sizeof(void *); };
template <typename T, __SIZE_TYPE__ N> struct _sdt_type<T[N]> { static const int size = sizeof(void *); };
template <typename T> static inline __attribute__((always_inline)) T _sdt_value(const T &value) { return value; }
/* Without this, a constant floating-point number would be in memory without a name. */
static inline __attribute__((always_inline)) double _sdt_value(double x) { __asm__("" : "+m" (x)); return x; }
static inline __attribute__((always_inline)) float _sdt_value(float x) { __asm__("" : "+m" (x)); return x; }
template <typename T, __SIZE_TYPE__ N> static inline __attribute__((always_inline)) T *_sdt_value(T (&value)[N])
{
	return value;
}
}
#define _SDT_SIZE(x) (_sdt_type<__typeof__(x)>::size)
#define _SDT_VALUE(x) _sdt_value(x)
#else
#define _SDT_IS_INT(x) (__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 4)
#define _SDT_IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define _SDT_INT(x) __builtin_choose_expr(_SDT_IS_INT(x), (x), 0U)
#define _SDT_IS_SIGNED(x) (_SDT_IS_INT(x) && (__typeof__(_SDT_INT(x)))-1 < (__typeof__(_SDT_INT(x)))1)
/*
 * Without this, a constant floating-point number would be in memory without a name; with it, the
 * number is in a register or on the stack.
 */
#define _SDT_HIDE(x) __extension__ ({ __typeof__(0 ? (x) : (x)) _sdt_x = (x); __asm__("" : "+m" (_sdt_x)); _sdt_x; })
/* An array is passed by its address. */
#define _SDT_IS_FLOAT(x) (__builtin_classify_type(x) == 8 && sizeof(x) <= 8)
#define _SDT_SIZE(x) (_SDT_IS_POINTER(x) ? (int)sizeof(void *) : _SDT_IS_FLOAT(x) ? 100 + (int)sizeof(x) : \
	_SDT_IS_SIGNED(x) ? -(int)sizeof(x) : (int)sizeof(x))
#define _SDT_VALUE(x) \
	__builtin_choose_expr(_SDT_IS_POINTER(x), (0 ? (x) : (x)), __builtin_choose_expr(_SDT_IS_FLOAT(x), _SDT_HIDE(x), (x)))
#endif

/* A tracer follows pointers, so the data that they point to must be in memory. */
#define _SDT_NOTED(p, n, counter, args, operands) \
	do { \
		__asm__ __volatile__(_SDT_NOTE(p, n, counter, args) : : _SDT_LIST operands : "memory"); \
	} while (0)
#define _SDT_PROBE(p, n, args, operands) _SDT_NOTED(p, n, _SDT_SEMAPHORE(p, n), args, operands)
/*
 * For headers that dtrace -h writes: they bring the counter along, and variables that hold the arguments. A variable
 * stays in memory, because a 32-bit program keeps a 64-bit value in two registers, which a note cannot name.
 */
#define _SDT_COUNTED_PROBE(p, n, args, operands) _SDT_NOTED(p, n, _SDT_COUNTER(p, n), args, operands)
#define _SDT_VARIABLE(i, x) [s##i] "n" (_SDT_SIZE(x)), [a##i] "o" (x)
#define _SDT_LIST(...) __VA_ARGS__

#define STAP_PROBE(p, n) _SDT_PROBE(p, n, "", ())
#define STAP_PROBE1(p, n, a1) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1), \
		(_SDT_OPERAND(1, a1)))
#define STAP_PROBE2(p, n, a1, a2) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2)))
#define STAP_PROBE3(p, n, a1, a2, a3) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3)))
#define STAP_PROBE4(p, n, a1, a2, a3, a4) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4)))
#define STAP_PROBE5(p, n, a1, a2, a3, a4, a5) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5)))
#define STAP_PROBE6(p, n, a1, a2, a3, a4, a5, a6) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6)))
#define STAP_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6) " " _SDT_ARG(7), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6), _SDT_OPERAND(7, a7)))
#define STAP_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6) " " _SDT_ARG(7) " " _SDT_ARG(8), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6), _SDT_OPERAND(7, a7), _SDT_OPERAND(8, a8)))
#define STAP_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6) " " _SDT_ARG(7) " " _SDT_ARG(8) " " _SDT_ARG(9), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6), _SDT_OPERAND(7, a7), _SDT_OPERAND(8, a8), \
		_SDT_OPERAND(9, a9)))
#define STAP_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6) " " _SDT_ARG(7) " " _SDT_ARG(8) " " _SDT_ARG(9) " " _SDT_ARG(10), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6), _SDT_OPERAND(7, a7), _SDT_OPERAND(8, a8), \
		_SDT_OPERAND(9, a9), _SDT_OPERAND(10, a10)))
#define STAP_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6) " " _SDT_ARG(7) " " _SDT_ARG(8) " " _SDT_ARG(9) " " _SDT_ARG(10) " " \
		_SDT_ARG(11), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6), _SDT_OPERAND(7, a7), _SDT_OPERAND(8, a8), \
		_SDT_OPERAND(9, a9), _SDT_OPERAND(10, a10), _SDT_OPERAND(11, a11)))
#define STAP_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	_SDT_PROBE(p, n, \
		_SDT_ARG(1) " " _SDT_ARG(2) " " _SDT_ARG(3) " " _SDT_ARG(4) " " _SDT_ARG(5) " " \
		_SDT_ARG(6) " " _SDT_ARG(7) " " _SDT_ARG(8) " " _SDT_ARG(9) " " _SDT_ARG(10) " " \
		_SDT_ARG(11) " " _SDT_ARG(12), \
		(_SDT_OPERAND(1, a1), _SDT_OPERAND(2, a2), _SDT_OPERAND(3, a3), _SDT_OPERAND(4, a4), \
		_SDT_OPERAND(5, a5), _SDT_OPERAND(6, a6), _SDT_OPERAND(7, a7), _SDT_OPERAND(8, a8), \
		_SDT_OPERAND(9, a9), _SDT_OPERAND(10, a10), _SDT_OPERAND(11, a11), _SDT_OPERAND(12, a12)))

#define DTRACE_PROBE(p, n) STAP_PROBE(p, n)
#define DTRACE_PROBE1(p, n, a1) STAP_PROBE1(p, n, a1)
#define DTRACE_PROBE2(p, n, a1, a2) STAP_PROBE2(p, n, a1, a2)
#define DTRACE_PROBE3(p, n, a1, a2, a3) STAP_PROBE3(p, n, a1, a2, a3)
#define DTRACE_PROBE4(p, n, a1, a2, a3, a4) STAP_PROBE4(p, n, a1, a2, a3, a4)
#define DTRACE_PROBE5(p, n, a1, a2, a3, a4, a5) STAP_PROBE5(p, n, a1, a2, a3, a4, a5)
#define DTRACE_PROBE6(p, n, a1, a2, a3, a4, a5, a6) STAP_PROBE6(p, n, a1, a2, a3, a4, a5, a6)
#define DTRACE_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7) \
	STAP_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7)
#define DTRACE_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8) \
	STAP_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8)
#define DTRACE_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9) \
	STAP_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define DTRACE_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) \
	STAP_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define DTRACE_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	STAP_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define DTRACE_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) \
	STAP_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

/* Selects the macro for the number of arguments. */
#define _SDT_COUNT(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, how, ...) how
#define STAP_PROBEV(p, ...) \
	_SDT_COUNT(__VA_ARGS__, STAP_PROBE12, STAP_PROBE11, STAP_PROBE10, STAP_PROBE9, STAP_PROBE8, STAP_PROBE7, STAP_PROBE6, \
		STAP_PROBE5, STAP_PROBE4, STAP_PROBE3, STAP_PROBE2, STAP_PROBE1, STAP_PROBE, )(p, __VA_ARGS__)
#define DTRACE_PROBEV STAP_PROBEV

#endif
