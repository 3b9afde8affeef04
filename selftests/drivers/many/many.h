/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MANY_H
#define MANY_H
#include <dtrace/sdt.h>

/* Inlined into both files: one probe, a site in each caller. */
static __always_inline void many_inlined(int who)
{
	DTRACE_PROBE1(many, both, inlined, here, who);
	DTRACE_CALL_PROBE1(many, both, inlined, called, who);
}

void many_second(unsigned int i);
#endif
