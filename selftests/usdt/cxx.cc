// SPDX-License-Identifier: GPL-2.0
/* A function that two objects have in common: one of the copies stays. */
#include "toy.h"

template <typename T> __attribute__((noinline)) T twice(T x)
{
	if (TOY_MADE_ENABLED())
		OTHER_DONE((int)x);
	TOY_JOB(0, (uint32_t)sizeof(x));
	return x * 2;
}

#ifdef SECOND
int second(int x) { return twice(x) + (int)twice((long)x); }
#else
int second(int x);
int main() { return twice(3) + second(4) == 6 + 16 ? 0 : 1; }
#endif
