// SPDX-License-Identifier: GPL-2.0
/*
 * A module with tracepoints of its own. Writing N to its parameter `pass` passes `points_one_tp` N
 * times, with 0 to N-1 and a string, and `points_two_tp` once, with seven numbers.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/tracepoint.h>

#define ONE TP_PROTO(unsigned int n, const char *text)
#define TWO TP_PROTO(int a, int b, int c, int d, int e, int f, int g)

DECLARE_TRACE(points_one, ONE, TP_ARGS(n, text));
DECLARE_TRACE(points_two, TWO, TP_ARGS(a, b, c, d, e, f, g));
DEFINE_TRACE(points_one_tp, ONE, TP_ARGS(n, text));
DEFINE_TRACE(points_two_tp, TWO, TP_ARGS(a, b, c, d, e, f, g));

static int points_set(const char *text, const struct kernel_param *param)
{
	unsigned int i, n;
	int err = kstrtouint(text, 0, &n);

	if (err)
		return err;
	for (i = 0; i < n; i++)
		trace_points_one_tp(i, "a text");
	trace_points_two_tp(1, 2, 3, 4, 5, 6, 7);
	return 0;
}

static const struct kernel_param_ops points_ops = { .set = points_set };
module_param_cb(pass, &points_ops, NULL, 0200);

static int __init points_init(void)
{
	return 0;
}

static void __exit points_exit(void)
{
}

module_init(points_init);
module_exit(points_exit);
MODULE_DESCRIPTION("Tracepoints of a module");
MODULE_LICENSE("GPL");
