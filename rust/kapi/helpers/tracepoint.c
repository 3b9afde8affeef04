// SPDX-License-Identifier: GPL-2.0
/*
 * The one function of ours that is attached to all tracepoints. The number given on attach says
 * which one called, so a late call needs nothing that may be freed.
 *
 * A tracepoint passes its arguments behind that number: five in registers, the others on the stack,
 * where our caller has put them. Those are read only if somebody asks for them. Only C knows the
 * address of its frame.
 */
#include <linux/tracepoint.h>
#include "kapi.h"

/* A tracepoint may fire in an NMI, or with interrupts on. */
void notrace kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[5] = { a, b, c, d, e };

	/* The stack arguments lie above the saved frame pointer and the return address. */
	kapi_tracepoint_hit((unsigned long)number, args, (unsigned long)__builtin_frame_address(0) + 16);
}

/* Waits until no call from a detached tracepoint is under way. */
void kapi_tracepoints_synchronize(void)
{
	tracepoint_synchronize_unregister();
}
