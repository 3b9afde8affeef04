// SPDX-License-Identifier: GPL-2.0
/*
 * Probes with floating-point arguments in vector registers, in other registers and in memory, for
 * <sys/sdt.h> and dtrace -G.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include "scale.h"

static int times;

/* Each thread has its own value in the same register. */
static void *fire(void *arg)
{
	double own = *(double *)arg;
	int i;

	for (i = 0; i < times; i++) {
		register double v asm("xmm11") = own;
		asm volatile(_SDT_NOTE(shop, vector, _SDT_SEMAPHORE(shop, vector), "8f@%[v] -4@%[w]") : : [v] "x"(v), [w] "r"((int)own));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double values[] = { 1000.5, -2000.25 }, memory[] = { 0.125 * argc, 6.5 };
	volatile float narrow = 0.1f;
	pthread_t threads[2];
	int i;

	times = argc > 1 ? atoi(argv[1]) : 1;
	DTRACE_PROBE4(shop, sale, memory[0] * 3, narrow, argc, memory[1]);
	SCALE_WEIGH(1, 2.5, "apples", 0.75f, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5);
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, fire, &values[i]);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
