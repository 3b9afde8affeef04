/* SPDX-License-Identifier: GPL-2.0 */
/* The part of kapi.h about programs: their memory, their threads and their events. */
#ifndef KAPI_PROGRAMS_H
#define KAPI_PROGRAMS_H
#include <linux/types.h>

struct pt_regs;

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
	u32 owner;
};
struct mm_struct *kapi_space_of(int number, struct kapi_found *found);
int kapi_space_to_change(int number, unsigned long may_access, struct kapi_found *found,
			 struct mm_struct **mm);
struct mm_struct *kapi_space_current(void);
bool kapi_space_alive(struct mm_struct *mm);
u32 kapi_owner(const struct task_struct *task);
bool kapi_space_is_of(struct mm_struct *mm, int number);
u64 kapi_space_limit(void);
bool kapi_space_lock_killable(struct mm_struct *mm);
/* Rust: sys::Area. A mapping; `inode` and the numbers after it are 0 if it is of no file. */
struct kapi_area {
	u64 start, end, flags, offset, inode, number, shown_number;
	u32 device, generation, shown_device;
	bool answers;
};
bool kapi_space_area(struct mm_struct *mm, u64 addr, struct kapi_area *to);
bool kapi_is_ending(void);
bool kapi_page_is_copy(struct page *page);
long kapi_space_page(struct mm_struct *mm, u64 addr, u32 flags, bool patient, struct page **page);
void kapi_page_put(struct page *page, bool dirty);
bool kapi_shadow_stack(void);

/* errand.c */
long kapi_map_code(u64 at, u64 size);
long kapi_map_there(struct mm_struct *mm, u32 owner, u64 near, u64 size, u64 ns, u64 *looked);
long kapi_copy_there(struct mm_struct *mm, u32 owner, const u64 *pages, u32 n, u64 ns);
/* unmapping.c */
int kapi_unmaps_begin(void);
int kapi_unmaps_add(struct mm_struct *mm, u64 at, u64 size);
void kapi_unmaps_end(void);
/* errand.rs */
long kapi_copy_here(struct mm_struct *mm, const u64 *pages, u32 n);
/* mapping.rs */
long kapi_map_here(struct mm_struct *mm, u64 near, u64 size, u64 *looked);
int kapi_unmap_here(struct mm_struct *mm, u64 at, u64 size);

/* walk.c */
/* Rust: user::Thread */
struct kapi_thread {
	u64 ip, di, bx;
	u32 call, id;
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
void kapi_shadows_seen(void);
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
void kapi_user_shadowed(void);

#endif
