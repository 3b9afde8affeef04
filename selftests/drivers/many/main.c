// SPDX-License-Identifier: GPL-2.0
/*
 * Probes in every shape the scanner must know. Writing N to /sys/module/many/parameters/fire runs the lot N times;
 * what each run fires is in the table of ../README.md.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include "many.h"

static const char many_text[] = "many";

/* Evaluating this one is visible: its calls are counted and it clobbers what a call may. */
static int evaluations;
static noinline unsigned long next_value(void)
{
	barrier();
	return ++evaluations;
}

static noinline void many_args(unsigned int i)
{
	DTRACE_PROBE(many, main, args, none);
	DTRACE_PROBE1(many, main, args, one, i);
	DTRACE_PROBE2(many, main, args, two, i, 2);
	DTRACE_PROBE3(many, main, args, three, i, 2, 3);
	DTRACE_PROBE4(many, main, args, four, i, 2, 3, 4);
	DTRACE_PROBE5(many, main, args, five, i, 2, 3, 4, 5);
	DTRACE_PROBE6(many, main, args, six, i, 2, 3, 4, 5, 6);
	DTRACE_PROBE7(many, main, args, seven, i, 2, 3, 4, 5, 6, 7);
	DTRACE_PROBE8(many, main, args, eight, i, 2, 3, 4, 5, 6, 7, 8);
}

static noinline void many_call_args(unsigned int i)
{
	DTRACE_CALL_PROBE(many, main, call_args, none);
	DTRACE_CALL_PROBE1(many, main, call_args, one, i);
	DTRACE_CALL_PROBE2(many, main, call_args, two, i, 2);
	DTRACE_CALL_PROBE3(many, main, call_args, three, i, 2, 3);
	DTRACE_CALL_PROBE4(many, main, call_args, four, i, 2, 3, 4);
	DTRACE_CALL_PROBE5(many, main, call_args, five, i, 2, 3, 4, 5);
	DTRACE_CALL_PROBE6(many, main, call_args, six, i, 2, 3, 4, 5, 6);
	DTRACE_CALL_PROBE7(many, main, call_args, seven, i, 2, 3, 4, 5, 6, 7);
	DTRACE_CALL_PROBE8(many, main, call_args, eight, i, 2, 3, 4, 5, 6, 7, 8);
}

static noinline void many_types(unsigned int i)
{
	signed char c = -1;
	short s = -2;
	int d = -3;
	unsigned int u = 0xfffffffc;
	u64 q = 0x123456789abcdef0ull;
	bool b = true;
	char __user *up = (char __user *)0x7000;
	__le32 le = cpu_to_le32(7);

	DTRACE_PROBE8(many, main, types, mixed__types, c, s, d, u, q, b, many_text, up);
	DTRACE_CALL_PROBE2(many, main, types, bitwise, le, i);
	DTRACE_PROBE3(many, main, types, in_order, next_value(), next_value(), next_value());
}

/* The sum keeps registers busy across the points: a probe that changes one shows in the result. */
static noinline unsigned long many_loop(unsigned int n)
{
	unsigned long a = 1, b = 2, c = 3, d = 5, e = 7, f = 11, g = 13, h = 17;
	unsigned int i;

	for (i = 0; i < n; i++) {
		a += b ^ i; b += c; c ^= d + i; d += e; e += f; f ^= g; g += h; h += a;
		DTRACE_PROBE2(many, main, loop, iter, i, a);
		a ^= h; b -= g; c += f;
		DTRACE_CALL_PROBE2(many, main, loop, call__iter, i, b);
		if (a & 1)
			d += c;
		else
			DTRACE_PROBE(many, main, loop, even);
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

/* Two sites of one name in one function, one of each form. */
static noinline void many_sites(unsigned int i)
{
	DTRACE_PROBE1(many, main, sites, same, i);
	DTRACE_CALL_PROBE1(many, main, sites, same, i);
}

static unsigned long many_expect(unsigned int n)
{
	unsigned long a = 1, b = 2, c = 3, d = 5, e = 7, f = 11, g = 13, h = 17;
	unsigned int i;

	for (i = 0; i < n; i++) {
		a += b ^ i; b += c; c ^= d + i; d += e; e += f; f ^= g; g += h; h += a;
		a ^= h; b -= g; c += f;
		if (a & 1)
			d += c;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

static int many_fire(const char *val, const struct kernel_param *kp)
{
	unsigned int n, i;
	int rc = kstrtouint(val, 0, &n);

	if (rc)
		return rc;
	for (i = 0; i < n; i++) {
		many_args(i);
		many_call_args(i);
		many_types(i);
		many_sites(i);
		many_inlined(1);
		many_second(i);
		if (many_loop(10) != many_expect(10)) {
			WARN_ONCE(1, "a probe changed a register\n");
			return -EIO;
		}
	}
	return 0;
}

static const struct kernel_param_ops many_fire_ops = { .set = many_fire };
module_param_cb(fire, &many_fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "run everything that many times");

/* The kernel holds the mutex of the module's parameters meanwhile, so a second writer has to wait. */
static int many_hold(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;
	int rc = kstrtouint(val, 0, &ms);

	if (!rc)
		msleep(ms);
	return rc;
}

static const struct kernel_param_ops many_hold_ops = { .set = many_hold };
module_param_cb(hold, &many_hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "sleep that many milliseconds");

static int __init many_init(void)
{
	/* Its text is gone when the module is live. */
	DTRACE_PROBE1(many, main, init, entry, 42);
	DTRACE_CALL_PROBE1(many, main, init, called, 43);
	return 0;
}

static void __exit many_exit(void)
{
	DTRACE_PROBE(many, main, exit, entry);
}

module_init(many_init);
module_exit(many_exit);
MODULE_DESCRIPTION("DTrace probes in every shape");
MODULE_LICENSE("GPL");
