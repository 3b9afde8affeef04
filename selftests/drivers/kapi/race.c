// SPDX-License-Identifier: GPL-2.0
/* Threads that run over the site without a pause, and helpers that the `kernel` crate lacks. */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/kallsyms.h>
#include <linux/vmalloc.h>

u32 kapi_site_fn(void);
void kapi_race_start(void);
u64 kapi_race_stop(u64 *calls);
void kapi_race_pause(void);
u64 kapi_user_stack(void);
bool kapi_stack_names(const char *a, const char *b);
void *kapi_page(void);
void kapi_page_free(void *page);

#define THREADS 3
static struct task_struct *threads[THREADS];
static atomic64_t calls, wrong;

static int run(void *unused)
{
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			if (kapi_site_fn() != 1)
				atomic64_inc(&wrong);
		atomic64_add(100, &calls);
		/* Not cond_resched: a thread that never sleeps would hold up RCU-tasks. */
		schedule();
	}
	return 0;
}

void kapi_race_start(void)
{
	int i;

	for (i = 0; i < THREADS; i++)
		threads[i] = kthread_run(run, NULL, "kapi-race/%d", i);
}

u64 kapi_race_stop(u64 *n)
{
	int i;

	for (i = 0; i < THREADS; i++)
		if (!IS_ERR(threads[i]))
			kthread_stop(threads[i]);
	*n = atomic64_read(&calls);
	return atomic64_read(&wrong);
}

void kapi_race_pause(void)
{
	schedule_timeout_uninterruptible(1);
}

u64 kapi_user_stack(void)
{
	return current->mm->start_stack;
}

/* Tells whether functions a and b are both on the stack, b a caller of a. */
bool kapi_stack_names(const char *a, const char *b)
{
	unsigned long stack[24];
	char name[KSYM_SYMBOL_LEN];
	unsigned int i, n = stack_trace_save(stack, ARRAY_SIZE(stack), 0);
	bool seen = false;

	for (i = 0; i < n; i++) {
		sprint_symbol_no_offset(name, stack[i]);
		if (!strncmp(name, a, strlen(a)))
			seen = true;
		if (seen && !strncmp(name, b, strlen(b)))
			return true;
	}
	return false;
}

/* Returns one page, with no page behind it. */
void *kapi_page(void)
{
	return vmalloc(PAGE_SIZE);
}

void kapi_page_free(void *page)
{
	vfree(page);
}
