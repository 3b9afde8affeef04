// SPDX-License-Identifier: GPL-2.0
// Performs a known series of mutex and rwlock operations. A lock is released only after the thread
// that waits for it sleeps.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t inherits;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int other;

static void must(int got, int wanted)
{
	if (got != wanted) {
		printf("%d instead of %d\n", got, wanted);
		exit(1);
	}
}

static void *locks(void *mutex)
{
	other = syscall(SYS_gettid);
	must(pthread_mutex_lock(mutex), 0);
	must(pthread_mutex_unlock(mutex), 0);
	return 0;
}

static void *reads(void *lock)
{
	other = syscall(SYS_gettid);
	must(pthread_rwlock_rdlock(lock), 0);
	must(pthread_rwlock_unlock(lock), 0);
	return 0;
}

static void *writes(void *lock)
{
	other = syscall(SYS_gettid);
	must(pthread_rwlock_wrlock(lock), 0);
	must(pthread_rwlock_unlock(lock), 0);
	return 0;
}

static void *signals(void *unused)
{
	other = syscall(SYS_gettid);
	must(pthread_mutex_lock(&plain), 0);
	must(pthread_cond_signal(&cond), 0);
	must(pthread_mutex_unlock(&plain), 0);
	return 0;
}

/* Starts a thread, and waits until it sleeps in futex(). */
static pthread_t waiting(void *(*body)(void *), void *lock)
{
	char path[64];
	long number = 0;
	pthread_t thread;
	struct timespec moment = { 0, 1000000 };

	other = 0;
	must(pthread_create(&thread, 0, body, lock), 0);
	while (!other)
		nanosleep(&moment, 0);
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", other);
	while (number != SYS_futex) {
		FILE *f = fopen(path, "r");

		nanosleep(&moment, 0);
		if (!f || fscanf(f, "%ld", &number) != 1)
			number = 0;
		if (f)
			fclose(f);
	}
	return thread;
}

static void contend(pthread_mutex_t *mutex, int rounds)
{
	while (rounds--) {
		must(pthread_mutex_lock(mutex), 0);
		pthread_t thread = waiting(locks, mutex);
		must(pthread_mutex_unlock(mutex), 0);
		must(pthread_join(thread, 0), 0);
	}
}

int main(void)
{
	struct timespec past = { 0, 0 };
	pthread_mutexattr_t attr;
	pthread_t thread;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	must(pthread_mutex_init(&inherits, &attr), 0);
	printf("ready\nplain %p\nadaptive %p\nrecursive %p\nchecking %p\ninherits %p\nrw %p\n", &plain, &adaptive, &recursive,
	       &checking, &inherits, &rw);
	fflush(stdout);
	getchar();

	for (int i = 0; i < 10; i++) {
		must(pthread_mutex_lock(&plain), 0);
		must(pthread_mutex_trylock(&plain), EBUSY);
		must(pthread_mutex_unlock(&plain), 0);
	}
	contend(&plain, 4);
	contend(&adaptive, 3);
	contend(&inherits, 2);

	for (int i = 0; i < 3; i++)
		must(pthread_mutex_lock(&recursive), 0);
	must(pthread_mutex_trylock(&recursive), 0);
	for (int i = 0; i < 4; i++)
		must(pthread_mutex_unlock(&recursive), 0);

	must(pthread_mutex_lock(&checking), 0);
	must(pthread_mutex_lock(&checking), EDEADLK);
	must(pthread_mutex_unlock(&checking), 0);
	must(pthread_mutex_unlock(&checking), EPERM);

	/* The other thread gets the mutex while this one waits, and this one gets it afterwards. */
	must(pthread_mutex_lock(&plain), 0);
	must(pthread_create(&thread, 0, signals, 0), 0);
	must(pthread_cond_wait(&cond, &plain), 0);
	must(pthread_mutex_unlock(&plain), 0);
	must(pthread_join(thread, 0), 0);

	for (int i = 0; i < 5; i++) {
		must(pthread_rwlock_rdlock(&rw), 0);
		must(pthread_rwlock_tryrdlock(&rw), 0);
		must(pthread_rwlock_trywrlock(&rw), EBUSY);
		must(pthread_rwlock_unlock(&rw), 0);
		must(pthread_rwlock_unlock(&rw), 0);
	}
	for (int i = 0; i < 3; i++) {
		must(pthread_rwlock_wrlock(&rw), 0);
		must(pthread_rwlock_rdlock(&rw), EDEADLK);
		must(pthread_rwlock_unlock(&rw), 0);
	}
	must(pthread_rwlock_wrlock(&rw), 0);
	thread = waiting(reads, &rw);
	must(pthread_rwlock_unlock(&rw), 0);
	must(pthread_join(thread, 0), 0);
	must(pthread_rwlock_rdlock(&rw), 0);
	thread = waiting(writes, &rw);
	must(pthread_rwlock_timedrdlock(&rw, &past), 0);
	must(pthread_rwlock_unlock(&rw), 0);
	must(pthread_rwlock_unlock(&rw), 0);
	must(pthread_join(thread, 0), 0);
	must(pthread_rwlock_wrlock(&rw), 0);
	must(pthread_rwlock_timedwrlock(&rw, &past), EDEADLK);
	must(pthread_rwlock_unlock(&rw), 0);
	return 0;
}
