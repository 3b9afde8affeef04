// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's tracepoints: all of them, by name, and one function of ours for all that are attached to. Which one called
 * is told by the number that it was attached with, so nothing that a late call needs can have gone.
 *
 * What a tracepoint passes comes as a function's arguments behind that number: five in registers, the others where our
 * caller has put them on the stack. They are read from there only if somebody asks for them.
 */
#include <linux/tracepoint.h>
#include "kapi.h"

static kapi_tracepoint_fn kapi_tracepoint_called;

/* A tracepoint may be in an NMI, and with interrupts on. */
static void notrace kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[5] = { a, b, c, d, e };

	/* Above the frame are its saved pointer and where we return to. */
	kapi_tracepoint_called((unsigned long)number, args, (unsigned long)__builtin_frame_address(0) + 16);
}

/* Each is a struct tracepoint of the kernel proper, which stays. */
void kapi_tracepoints(void (*fn)(struct tracepoint *tp, void *arg), void *arg)
{
	for_each_kernel_tracepoint(fn, arg);
}

const char *kapi_tracepoint_name(const struct tracepoint *tp)
{
	return tp->name;
}

/* fn is the same each time. */
int kapi_tracepoint_attach(struct tracepoint *tp, u64 number, kapi_tracepoint_fn fn)
{
	WRITE_ONCE(kapi_tracepoint_called, fn);
	return tracepoint_probe_register(tp, kapi_tracepoint, (void *)(unsigned long)number);
}

/* The last calls may still be under way. Without memory the kernel leaves a call of an empty function in our place. */
void kapi_tracepoint_detach(struct tracepoint *tp, u64 number)
{
	tracepoint_probe_unregister(tp, kapi_tracepoint, (void *)(unsigned long)number);
}

/* Nothing is attached; waits until no call is under way. */
void kapi_tracepoints_quiesce(void)
{
	if (kapi_tracepoint_called)
		tracepoint_synchronize_unregister();
}
