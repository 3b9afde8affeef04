// SPDX-License-Identifier: GPL-2.0
/* The file's own choice is the call form; the names repeat those of main.c. */
#define DTRACE_SDT_CALL
#include <linux/kernel.h>
#include "many.h"

void many_second(unsigned int i)
{
	DTRACE_PROBE1(many, main, sites, same, i);
	DTRACE_NOP_PROBE1(many, second, file, nop, i);
	DTRACE_PROBE8(many, second, file, call, i, 2, 3, 4, 5, 6, 7, 8);
	many_inlined(2);
	many_inlined(3);
}
