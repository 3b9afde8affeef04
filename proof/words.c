// SPDX-License-Identifier: GPL-2.0
/* A 32-bit program that has its C library do much: sorting with callbacks, formats, signals, jumps out of calls. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf out;
static volatile sig_atomic_t signals;

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void handler(int signal) { signals += signal; }
static void deep(int n) { if (n) deep(n - 1); else longjmp(out, 7); }

int main(void)
{
	enum { N = 2000 };
	char *words[N], line[100];
	double sum = 0;
	long long product = 1;
	int i, jumps = 0;

	for (i = 0; i < N; i++) {
		snprintf(line, sizeof(line), "%08x %+.3e %lld", i * 2654435761u, sqrt(i) / 3, i * 10000000019LL);
		words[i] = strdup(line);
	}
	qsort(words, N, sizeof(*words), compare);
	signal(SIGUSR1, handler);
	for (i = 0; i < 50; i++) {
		raise(SIGUSR1);
		if (setjmp(out))
			jumps++;
		else
			deep(i);
		sum += strtod(strchr(words[i * 40], ' '), NULL);
		product = product * 31 + strtoll(strrchr(words[i], ' '), NULL, 10);
	}
	for (i = 0; i < N; i += 100)
		puts(words[i]);
	printf("%d signals, %d jumps, %.6f, %lld\n", (int)signals, jumps, sum, product);
	for (i = 0; i < N; i++)
		free(words[i]);
	return 5;
}
