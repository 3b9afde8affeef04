// SPDX-License-Identifier: GPL-2.0
/* The layouts of the kernel's locks, which depend on its configuration. */
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include "kapi.h"

/*
 * The bits of a rw_semaphore's count that are not all 0 while readers have it, and while a writer
 * has.
 */
#ifdef CONFIG_PREEMPT_RT
const u32 kapi_mutex_owner = offsetof(struct mutex, rtmutex.owner);
const u32 kapi_rwsem_count = offsetof(struct rw_semaphore, rwbase.readers);
const u32 kapi_rwsem_owner = offsetof(struct rw_semaphore, rwbase.rtmutex.owner);
const u64 kapi_rwsem_readers = WRITER_BIAS - 1;
const u64 kapi_rwsem_writer = WRITER_BIAS;
#else
const u32 kapi_mutex_owner = offsetof(struct mutex, owner);
const u32 kapi_rwsem_count = offsetof(struct rw_semaphore, count);
const u32 kapi_rwsem_owner = offsetof(struct rw_semaphore, owner);
/* kernel/locking/rwsem.c: bit 0 a writer, from bit 8 on readers, bit 63 neither. */
const u64 kapi_rwsem_readers = ~(1UL << 63 | 0xff);
const u64 kapi_rwsem_writer = 1;
#endif
