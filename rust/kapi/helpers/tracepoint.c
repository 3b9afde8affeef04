// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of the kernel and of modules, by name, and the one function of ours that is attached
 * to all of them. The number given on attach says which one called, so a late call needs nothing
 * that may be freed.
 *
 * A tracepoint passes its arguments behind that number: five in registers, the others on the stack,
 * where our caller has put them. Those are read only if somebody asks for them.
 */
#include <linux/module.h>
#include <linux/tracepoint.h>
#include "kapi.h"

static kapi_tracepoint_fn kapi_tracepoint_called;

/* A tracepoint may fire in an NMI, or with interrupts on. */
static void notrace kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[5] = { a, b, c, d, e };

	/* The stack arguments lie above the saved frame pointer and the return address. */
	kapi_tracepoint_called((unsigned long)number, args, (unsigned long)__builtin_frame_address(0) + 16);
}

/* Calls fn for each tracepoint of the kernel proper; these are never freed. */
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

/*
 * The last calls may still be under way. If the kernel has no memory, it leaves a call of an empty
 * function in our place.
 */
void kapi_tracepoint_detach(struct tracepoint *tp, u64 number)
{
	tracepoint_probe_unregister(tp, kapi_tracepoint, (void *)(unsigned long)number);
}

unsigned int kapi_module_tracepoint_count(const struct module *mod)
{
	return mod->num_tracepoints;
}

/* Returns the n-th of a module that is held. */
struct tracepoint *kapi_module_tracepoint(struct module *mod, unsigned int n)
{
	return tracepoint_ptr_deref(&mod->tracepoints_ptrs[n]);
}

/* Waits until no call from a detached tracepoint is under way. */
void kapi_tracepoints_quiesce(void)
{
	if (kapi_tracepoint_called)
		tracepoint_synchronize_unregister();
}
