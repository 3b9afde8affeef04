/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The C side of crate kapi: kernel features that exist only as inline functions, macros or struct
 * layouts, and calls by address. Rust declares the same in rust/kapi/src/sys.rs; a test of
 * selftests/tidy compares it with this header and those that it includes. No other crate sees them.
 */
#ifndef KAPI_H
#define KAPI_H
#include <linux/percpu-defs.h>
#include <linux/types.h>
#include "programs.h"
#include "text.h"

struct miscdevice;
struct pt_regs;

/* keep.c */
bool kapi_keep(u64 now, u64 ns);

/* stuck.c */
void kapi_stuck_later(void);
void kapi_stuck_end(void);
/* Rust */
void kapi_stuck_retry(void);

/* alive.c */
void kapi_alive_init(void);
void kapi_alive_ask(void);
u64 kapi_alive_answered(void);
void kapi_alive_end(void);

/* context.c */
void kapi_probe_count_dropped(void);
void kapi_probe_init(void);
void kapi_probe_end(void);
bool kapi_is_xen_pv(void);
u64 kapi_probe_nested(unsigned int cpu);
unsigned long kapi_probe_deaths(void);

/* xcall.c */
typedef void (*kapi_aside_fn)(void *arg);
void kapi_aside(kapi_aside_fn f, void *arg);
bool kapi_irqs_are_off(void);
bool kapi_sync(void);
bool kapi_cpu_possible(unsigned int cpu);
bool kapi_cpu_online(unsigned int cpu);
void kapi_quiesce(void);
void kapi_breathe(void);

/* task.c, locks.c, destructive.c */
u64 kapi_task_file(unsigned int fd);
extern const u32 kapi_mutex_owner, kapi_rwsem_count, kapi_rwsem_owner;
u32 kapi_task_context(void);
extern const u32 kapi_over_task;
u64 kapi_register_of(const struct pt_regs *regs, u32 n);
const struct pt_regs *kapi_task_registers(void);
bool kapi_task_is_dying(void);
bool kapi_task_destructive(void);
int kapi_locked_down(unsigned int what);

/* nofault.c */
void kapi_nofault_init(void);
int kapi_read_kernel(void *to, u64 addr, size_t len);
int kapi_read_user(void *to, u64 addr, size_t len);
int kapi_write_user(u64 addr, const void *from, size_t len);

/* signal.c */
bool kapi_irq_work_runs(void);
int kapi_signal(int sig);
void kapi_signals_quiesce(void);

/* stack.c */
u32 kapi_stack_kernel(u8 *to, u32 max, u32 skip, bool interrupt);
bool kapi_stack_register(u32 n, bool interrupt, u64 *value);
DECLARE_PER_CPU(struct pt_regs *, kapi_trap_regs);

/* lock.c */
void kapi_lock(unsigned int which);
void kapi_unlock(unsigned int which);

/* mem.c */
size_t kapi_memory_available(void);
size_t kapi_memory_total(void);
void *kapi_zalloc(size_t bytes);
void *kapi_alloc_exact(size_t bytes);
void *kapi_alloc_charged(size_t bytes);
unsigned long kapi_most_threads(void);

/* symbols.c */
unsigned long kapi_find_lookup(void);

/* device.c */
int kapi_device_own(struct miscdevice *misc);
int kapi_node_on(void);
void kapi_node_off(void);
long kapi_node_ioctl(unsigned int cmd, unsigned long arg);

/* syscall.c */
const char *kapi_syscall_symbol(bool ia32, u32 nr);
bool kapi_syscall_is_ia32(void);
u32 kapi_syscall_count(bool ia32);

/* field.c */
bool kapi_field(u32 n, u32 *offset, u32 *size);
u64 kapi_cpu_info(u32 cpu);
extern const u32 kapi_bdev_submits_bios, kapi_dentry_alias, kapi_fs_root, kapi_fs_pwd;
extern const u64 kapi_folio_is_large;

/* timer.c */
struct kapi_ticker;
typedef void (*kapi_tick_fn)(void *arg, u64 kernel_pc, u64 user_pc, u64 late);
int kapi_tickers_begin(void);
void kapi_tickers_end(int state);
struct kapi_ticker *kapi_ticker_new(u64 interval, bool everywhere, kapi_tick_fn fn, void *arg);
int kapi_ticker_start(int state, struct kapi_ticker *t);
void kapi_ticker_stop(int state, struct kapi_ticker *t);
void kapi_ticker_free(struct kapi_ticker *t);

/* counter.c */
struct perf_event;
/* Rust: sys::Event */
struct kapi_event {
	u64 config, period;
	u32 kind;
	bool user, kernel;
};
/* Rust: counter::COUNTED, PAUSED */
#define KAPI_COUNTED 1 /* The CPU has counted the number of events. */
#define KAPI_PAUSED 2 /* perf does not count for a while. */
typedef void (*kapi_count_fn)(void *arg, u64 kernel_pc, u64 user_pc, u32 what);
/* Rust: sys::Counting */
struct kapi_counting {
	kapi_count_fn fn_;
	void *arg;
};
struct perf_event *kapi_counter_create(const struct kapi_event *what, unsigned int cpu, struct kapi_counting *counting);
void kapi_counter_release(struct perf_event *event);
bool kapi_counter_revive(struct perf_event *event);
int kapi_counters_watch(void);
void kapi_counters_unwatch(int state);
void kapi_counters_look(void);
void kapi_counters_stop(void);
bool kapi_counters_take(unsigned int cpu);
/* Rust */
bool kapi_counters_follow(void);
DECLARE_PER_CPU(struct pt_regs *, kapi_over_regs);

#endif
