// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of known shape: `echo N > /proc/shapes` calls each of them N times, with 0 to N-1, and
 * fails with EIO if one of them returned a wrong value. README.md describes the functions.
 */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

u64 shape_push(u64 a);
u64 shape_displaced(u64 a);
u64 shape_relative(u64 a);
u64 shape_swallowing(u64 a);
u64 shape_jump(u64 a);
u64 shape_call(u64 a);
void shape_nothing(u64 a);
u64 shape_several(u64 a);
u64 shape_torn(u64 a);
u64 shape_behind(u64 a);
u64 shape_loop_first(u64 a);
u64 shape_cold_tail(u64 a);
u64 shape_plain(u64 a);
u64 shape_tail(u64 a);
u64 shape_tail_far(u64 a);
u64 shape_cold(u64 a);
u64 shape_loop(u64 a);
u64 shape_ten(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i, u64 j);
u64 shape_recursion(u64 a);
void shape_unlikely(u64 *a);

noinline __noclone u64 shape_plain(u64 a)
{
	barrier();
	return a + 1;
}

/*
 * The jump of an optimized kprobe on the first of these instructions ends within the second. The rest of that and the
 * first byte of the third would be a jump out of the function: 0x74 is je.
 */
noinline __noclone u64 shape_torn(u64 a)
{
	u64 b = a;

	asm volatile("imull %%edi, %%edi\n\tsubl $0x74, %%edi\n\tmovl $0x30, %%edi" : "+D"(b) : : "cc");
	return a + 1;
}

noinline __noclone u64 shape_tail(u64 a)
{
	barrier();
	return shape_plain(a);
}

noinline __noclone __cold void shape_unlikely(u64 *a)
{
	barrier();
	*a += 1;
}

/* The target is in another file, so the jump is five bytes long. */
noinline __noclone u64 shape_tail_far(u64 a)
{
	barrier();
	return shape_push(a);
}

/* Returns from its unlikely half in two of eight calls. */
noinline __noclone u64 shape_cold(u64 a)
{
	u64 b = a;

	if (unlikely((a & 7) == 3)) {
		shape_unlikely(&b);
		return b;
	}
	if (unlikely((a & 7) == 5)) {
		shape_unlikely(&b);
		shape_unlikely(&b);
		return b - 1;
	}
	barrier();
	return a + 1;
}

noinline __noclone u64 shape_loop(u64 a)
{
	u64 n = 0;

	do {
		barrier();
		n++;
	} while (n <= a);
	return n;
}

/* Returns 1 if its arguments are consecutive. */
noinline __noclone u64 shape_ten(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i, u64 j)
{
	barrier();
	return b == a + 1 && c == a + 2 && d == a + 3 && e == a + 4 && f == a + 5 && g == a + 6 && h == a + 7 &&
	       i == a + 8 && j == a + 9;
}

/* Calls itself, a & 3 levels deep. */
noinline __noclone u64 shape_recursion(u64 a)
{
	u64 deeper = 0;

	if (a & 3)
		deeper = shape_recursion(a - 1);
	OPTIMIZER_HIDE_VAR(deeper);
	return deeper + 1;
}

static u64 wrong(u64 i)
{
	u64 n = 0;

	n += shape_plain(i) != i + 1;
	n += shape_tail(i) != i + 1;
	n += shape_tail_far(i) != i + 1;
	n += shape_push(i) != i + 1;
	n += shape_displaced(i) != i + 1;
	n += shape_relative(i) != i + 1;
	n += shape_swallowing(i) != i + 1;
	n += shape_jump(i) != i + 1;
	n += shape_call(i) != i + 1;
	shape_nothing(i);
	n += shape_several(i) != i + 1;
	n += shape_torn(i) != i + 1;
	n += shape_behind(i) != i + 1;
	n += shape_cold(i) != i + 1;
	n += shape_cold_tail(i) != i + 1;
	n += shape_loop(i & 7) != (i & 7) + 1;
	n += shape_loop_first(i & 7) != 1;
	n += shape_ten(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9) != 1;
	n += shape_recursion(3) != 4;
	return n;
}

static ssize_t shapes_write(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	unsigned int n, i;
	u64 bad = 0;
	int err = kstrtouint_from_user(text, len, 0, &n);

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		bad += wrong(i);
		cond_resched();
	}
	return bad ? -EIO : len;
}

static const struct proc_ops shapes_ops = {
	.proc_write = shapes_write,
};

static int __init shapes_init(void)
{
	return proc_create("shapes", 0200, NULL, &shapes_ops) ? 0 : -ENOMEM;
}

static void __exit shapes_exit(void)
{
	remove_proc_entry("shapes", NULL);
}

module_init(shapes_init);
module_exit(shapes_exit);
MODULE_DESCRIPTION("Functions of known shape");
MODULE_LICENSE("GPL");
