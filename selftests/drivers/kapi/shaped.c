// SPDX-License-Identifier: GPL-2.0
/* Runs the functions of known shape on two CPUs at once, and counts wrong results. */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#define SHAPES(s) \
	s(push) s(push12) s(relative) s(plain) s(skip) s(jump) s(branch) s(call) s(jump_reg) s(call_reg) s(return) \
	s(return5) s(tail)

#define DECLARE(name) u32 kapi_shape_##name(u32 n); extern u8 kapi_shape_##name##_site[];
SHAPES(DECLARE)

u64 kapi_shape_site(u32 n);
u64 kapi_shape_run(u64 rounds);
void kapi_shape_start(void);
u64 kapi_shape_stop(u64 *calls);
u64 kapi_shape_eight(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h);
u64 kapi_shape_fentry(void);

#define FN(name) kapi_shape_##name,
#define SITE(name) kapi_shape_##name##_site,
static u32 (*const shapes[])(u32) = { SHAPES(FN) };
static u8 *const labels[] = { SHAPES(SITE) };

/* Returns the site of shape n; 0 if there are fewer shapes. */
u64 kapi_shape_site(u32 n)
{
	return n < ARRAY_SIZE(labels) ? (unsigned long)labels[n] : 0;
}

/* A function with an ftrace site at its entry, and two arguments on the stack. */
noinline u64 kapi_shape_eight(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

u64 kapi_shape_fentry(void)
{
	return (unsigned long)kapi_shape_eight;
}

static u64 rounds_left, wrong_all, calls_all;
static struct task_struct *threads[2];
static struct completion done[2];
static bool stop;

static int run(void *arg)
{
	u64 rounds = rounds_left, wrong = 0, calls = 0, i, n;

	for (i = 0; i < rounds && !READ_ONCE(stop); i++) {
		for (n = 0; n < ARRAY_SIZE(shapes); n++)
			wrong += shapes[n](i) != (u32)i + 1;
		wrong += kapi_shape_eight(i, 1, 2, 3, 4, 5, 6, 7) != i + 2 + 6 + 12 + 20 + 30 + 42 + 56;
		calls++;
		if (!(i & 127))
			schedule();
	}
	__atomic_fetch_add(&wrong_all, wrong, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&calls_all, calls, __ATOMIC_SEQ_CST);
	complete(arg);
	return 0;
}

static void start(u64 rounds)
{
	int i;

	rounds_left = rounds;
	wrong_all = calls_all = 0;
	WRITE_ONCE(stop, false);
	for (i = 0; i < 2; i++) {
		int cpu = cpumask_nth(i % num_online_cpus(), cpu_online_mask);

		init_completion(&done[i]);
		threads[i] = kthread_create(run, &done[i], "kapi-shape/%d", i);
		if (IS_ERR(threads[i])) {
			complete(&done[i]);
			wrong_all++;
			continue;
		}
		kthread_bind(threads[i], cpu);
		wake_up_process(threads[i]);
	}
}

/* Runs each shape `rounds` times on each of two threads; returns the number of wrong results. */
u64 kapi_shape_run(u64 rounds)
{
	start(rounds);
	wait_for_completion(&done[0]);
	wait_for_completion(&done[1]);
	return wrong_all;
}

void kapi_shape_start(void)
{
	start(U64_MAX);
}

u64 kapi_shape_stop(u64 *calls)
{
	WRITE_ONCE(stop, true);
	wait_for_completion(&done[0]);
	wait_for_completion(&done[1]);
	*calls = calls_all;
	return wrong_all;
}
