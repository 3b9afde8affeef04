/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The C side of crate kapi: kernel features that exist only as inline functions, macros or struct
 * layouts, and calls by address. Rust declares the same in rust/kapi/src/sys.rs; a test of
 * selftests/tidy compares the two. No other crate sees them.
 */
#ifndef KAPI_H
#define KAPI_H
#include <linux/percpu-defs.h>
#include <linux/types.h>

struct list_head;
struct miscdevice;
struct pt_regs;

/* Tells whether all of [addr, addr + len) is in [base, base + size). No sum can overflow. */
static inline bool kapi_within(u64 base, u64 size, u64 addr, size_t len)
{
	return addr >= base && addr - base < size && len <= size - (addr - base);
}

/* keep.c */
bool kapi_keep(u64 now, u64 ns);

/* stuck.c */
bool kapi_stuck_keep(unsigned int who, bool (*again)(void));
void kapi_stuck_end(void);

/* alive.c */
void kapi_alive_init(void);
void kapi_alive_ask(void);
u64 kapi_alive_answered(void);
u64 kapi_alive_awake(void);
void kapi_alive_end(void);

/* context.c */
void kapi_probe_count_dropped(void);
void kapi_probe_init(void);
void kapi_probe_end(void);
bool kapi_is_xen_pv(void);
u64 kapi_probe_nested(unsigned int cpu);
unsigned long kapi_probe_deaths(void);

/* wake.c */
bool kapi_irq_work_runs(void);
void *kapi_waker_new(int fd);
void kapi_waker_wake(void *waker);
void kapi_waker_free(void *waker);

/* xcall.c */
int kapi_call_on(unsigned int cpu, void (*fn)(void *arg), void (*offline)(void *arg), void *arg);
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
bool kapi_task_register(u32 n, u64 *value);
bool kapi_task_is_dying(void);
bool kapi_task_destructive(void);
int kapi_locked_down(unsigned int what);

/* path.c */
u32 kapi_task_path(bool root, u8 *to, u32 size);
u32 kapi_path(u64 at, bool of_mount, u8 *to, u32 size);

/* nofault.c */
void kapi_nofault_init(void);
int kapi_read_kernel(void *to, u64 addr, size_t len);
int kapi_read_user(void *to, u64 addr, size_t len);
int kapi_write_user(u64 addr, const void *from, size_t len);

/* signal.c */
int kapi_signal(int sig);
void kapi_signals_quiesce(void);

/* stack.c */
u32 kapi_stack_kernel(u8 *to, u32 max, u32 skip, bool interrupt);
bool kapi_stack_register(u32 n, bool interrupt, u64 *value);
DECLARE_PER_CPU(struct pt_regs *, kapi_trap_regs);

/* maps.c */
/* Rust: sys::Mapping */
struct kapi_code_mapping {
	u64 start, end, offset, inode;
	s64 modified_s, modified_ns;
	u32 device;
	bool is_object;
};
bool kapi_stack_mapping(u64 addr, struct kapi_code_mapping *to);

/* follow.c */
/* Rust: sys::Mapped. A piece of a file that a process has mapped; the file only if it can be run. */
struct kapi_mapped {
	u64 inode, modified;
	u32 device;
	bool shared, runs, own;
};
typedef bool (*kapi_done_fn)(void *arg);
struct pid;
struct wait_queue_head;
int kapi_mapped_on(void);
void kapi_mapped_off(void);
void kapi_queue_init(struct wait_queue_head *queue);
long kapi_wait_killable(struct wait_queue_head *queue, kapi_done_fn done, void *arg, long left);
void kapi_told_wait(const u32 *telling);
void kapi_told_wake(void);
struct pid *kapi_process(void);
struct pid *kapi_process_get(void);
void kapi_free_rcu(void *block);
/* Rust */
void kapi_follow_mapped(const struct kapi_mapped *mapped);
unsigned long kapi_follow_copy(u64 original);
void kapi_follow_copied(unsigned long everyone);

/* space.c */
struct mm_struct;
struct page;
/* Rust: sys::Found */
struct kapi_found {
	bool wide, shadow_stack;
};
struct mm_struct *kapi_space_of(int number, struct kapi_found *found);
struct mm_struct *kapi_space_current(void);
bool kapi_space_alive(struct mm_struct *mm);
u64 kapi_space_limit(void);
bool kapi_space_lock_killable(struct mm_struct *mm);
/* Rust: space::Area. A mapping; `inode` and what follows it are 0 if it is of no file. */
struct kapi_area {
	u64 start, end, flags, offset, inode, number;
	u32 device, generation;
	bool answers;
};
bool kapi_space_area(struct mm_struct *mm, u64 addr, struct kapi_area *to);
void kapi_page_put(struct page *page, bool dirty);
void kapi_page_read(struct page *page, u32 at, u8 *to, u32 len);
void kapi_page_write(struct page *page, u32 at, const u8 *from, u32 len);
u8 kapi_page_byte(struct page *page, u32 at);
void kapi_page_set_byte(struct page *page, u32 at, u8 byte);
bool kapi_shadow_stack(void);

/* mapping.c */
long kapi_map_code(u64 at, u64 size);
long kapi_map_there(struct mm_struct *mm, u64 near, u64 size, u64 ns, bool *late);
int kapi_unmaps_begin(void);
int kapi_unmaps_add(struct mm_struct *mm, u64 at, u64 size);
void kapi_unmaps_end(void);
/* mapping.rs */
long kapi_map_here(struct mm_struct *mm, u64 near, u64 size);
int kapi_unmap_here(struct mm_struct *mm, u64 at, u64 size);

/* walk.c */
/* Rust: user::Thread */
struct kapi_thread {
	u64 ip;
	u32 call;
	bool debugged;
};
bool kapi_thread_alone(struct mm_struct *mm, struct kapi_thread *thread);
/* thread: a struct kapi_thread, or NULL */
typedef bool (*kapi_thread_fn)(void *data, u64 mm, const void *thread);
void kapi_each_thread(kapi_thread_fn tell, void *data);

/* children.c */
struct task_struct;
int kapi_children_reserve(void);
void kapi_children_free(void);
void kapi_children_await(void);
void kapi_forked(void *data, struct task_struct *parent, struct task_struct *task);
bool kapi_user_awaits_children(u64 parent);

/* vector.c */
u64 kapi_user_vector(u32 n);

/* watch.c */
void kapi_spaces_changed(void);
void kapi_user_later(u32 ms);
int kapi_user_breakpoints_on(void);
void kapi_user_breakpoints_off(void);
void kapi_user_works_end(void);
struct kernel_siginfo;
struct k_sigaction;
void kapi_signal_delivered(void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *ka);
/* Rust */
bool kapi_user_trapped(struct pt_regs *regs);
bool kapi_user_signalled(struct pt_regs *regs, int sig, int code);
bool kapi_user_is_traced(u64 mm);
void kapi_user_forked(u64 parent);
void kapi_user_ended(void);
void kapi_user_again(void);

/* lock.c */
void kapi_lock(unsigned int which);
void kapi_unlock(unsigned int which);

/* mem.c */
void *kapi_zalloc(size_t bytes);
void *kapi_alloc_exact(size_t bytes);
void *kapi_alloc_charged(size_t bytes);

/* symbols.c */
unsigned long kapi_find_lookup(void);
int kapi_each_kernel_symbol(unsigned long on_each, void *fn, void *arg);
bool kapi_symbol_around(unsigned long size_of, u64 addr, u64 *start, u64 *end);
bool kapi_symbol_name(unsigned long name_of, u64 addr, char *to);

/* device.c */
int kapi_device_own(struct miscdevice *misc);
int kapi_node_on(void);
void kapi_node_off(void);
long kapi_node_ioctl(unsigned int cmd, unsigned long arg);

/* Rust: sites::CHUNK. The number of sites changed at once; others wait that long for the locks. */
#define KAPI_CHUNK 256

/* sites.c, table.c */
/* Rust: sites::Kind */
enum kapi_kind {
	KAPI_SKIP, KAPI_PUSH, KAPI_JUMP, KAPI_BRANCH, KAPI_CALL, KAPI_RETURN, KAPI_JUMP_REG, KAPI_CALL_REG, KAPI_SLOT,
	KAPI_TAIL,
};
/* Rust: sites::Site */
struct kapi_site {
	u64 addr;
	u64 target;
	u8 kind, reg, len, first;
	u8 armed, touched;
	u8 unused[2];
};
bool kapi_is_tail(u64 addr);
void kapi_returning_are(const u64 *sites, size_t n);
int kapi_breakpoints_on(void);
void kapi_breakpoints_off(void);
u64 kapi_tail_fired(u64 site);
int kapi_sites_reserve(size_t more);
int kapi_sites_add(const struct kapi_site *site);
struct kapi_site *kapi_site_find(u64 addr);
struct kapi_site *kapi_site_next(size_t *place);
void kapi_site_forget(size_t place);
bool kapi_sites_free(size_t calls);

/* ftrace.c */
int kapi_ftrace_first(unsigned long *sites, size_t n);
int kapi_ftrace_change(unsigned long update, unsigned long hash);
void kapi_ftrace_share_none(void);
size_t kapi_ftrace_shared(u64 *sites, size_t max);
bool kapi_ftrace_attached(void);
int kapi_ftrace_detach_all(void);

/* forbidden.c */
struct kprobe_blacklist_entry;
const struct kprobe_blacklist_entry *kapi_blacklist_next(const struct list_head *list, const struct kprobe_blacklist_entry *prev, u64 *start, u64 *end);

/* syscall.c */
const char *kapi_syscall_symbol(bool ia32, u32 nr);
u32 kapi_syscall_count(bool ia32);
void kapi_syscall_args(u64 regs, bool ia32, u64 *to);
u32 kapi_syscall_number(void);

/* tracepoint.c */
void kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e);
void kapi_tracepoints_synchronize(void);
/* Rust */
void kapi_tracepoint_hit(u64 number, const u64 *args, u64 stack);

/* field.c */
bool kapi_field(u32 n, u32 *offset, u32 *size);
u64 kapi_cpu_info(u32 cpu);
extern const u32 kapi_bdev_submits_bios, kapi_dentry_alias;
extern const u64 kapi_folio_is_large;

/* timer.c */
struct kapi_ticker;
typedef void (*kapi_tick_fn)(void *arg, u64 kernel_pc, u64 user_pc, u64 late);
struct kapi_ticker *kapi_ticker_start(u64 interval, bool everywhere, kapi_tick_fn fn, void *arg);
void kapi_ticker_stop(struct kapi_ticker *t);

/* counter.c */
struct kapi_counter;
typedef void (*kapi_count_fn)(void *arg, u64 kernel_pc, u64 user_pc);
int kapi_counter_exists(u32 type, u64 config, u64 period, bool user, bool kernel);
struct kapi_counter *kapi_counter_start(u32 type, u64 config, u64 period, bool user, bool kernel, kapi_count_fn fn, void *arg);
void kapi_counter_stop(struct kapi_counter *c);
DECLARE_PER_CPU(struct pt_regs *, kapi_over_regs);

/* trampoline.S */
long kapi_call4(unsigned long fn, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
long kapi_call5(unsigned long fn, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e);
void kapi_sdt_trampoline(void);
void kapi_entry_trampoline(void);
void kapi_return_trampoline(void);
void kapi_tail_trampoline(void);
extern u8 kapi_pool[];

/* trampoline.rs */
void kapi_trap_fired(u64 addr, const struct pt_regs *regs, u64 goes);
void kapi_tail_probe(u64 site);

#endif
