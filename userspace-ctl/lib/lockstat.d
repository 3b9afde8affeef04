// SPDX-License-Identifier: GPL-2.0
/*
 * Locks of the kernel: mutexes (adaptive), locks that spin, locks for readers and writers. Times are in nanoseconds; of
 * readers and writers, what spins and what sleeps have the same probes, so that their addresses have no type.
 */

inline int RW_WRITER = 0;
inline int RW_READER = 1;

provider lockstat {
	probe adaptive__acquire(struct mutex *lock);
	probe adaptive__acquire__error(struct mutex *lock, int error);
	probe adaptive__block(struct mutex *lock, uint64_t time);
	probe adaptive__release(struct mutex *lock);
	probe adaptive__spin(struct mutex *lock, uint64_t time);
	probe rw__acquire(void *lock, int kind);
	probe rw__block(struct rw_semaphore *lock, uint64_t time, int kind, int writer, int readers);
	probe rw__downgrade(struct rw_semaphore *lock);
	probe rw__release(void *lock, int kind);
	probe rw__spin(rwlock_t *lock, uint64_t time, int kind);
	probe spin__acquire(raw_spinlock_t *lock);
	probe spin__release(raw_spinlock_t *lock);
	probe spin__spin(raw_spinlock_t *lock, uint64_t time);
};
