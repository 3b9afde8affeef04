/* SPDX-License-Identifier: GPL-2.0 */
/* The part of kapi.h about the kernel's text: sites, what led to them, and the code that they call. */
#ifndef KAPI_TEXT_H
#define KAPI_TEXT_H
#include <linux/types.h>

struct list_head;
struct pt_regs;

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
	u8 kind, reg, len;
	u8 armed, touched;
	u8 bytes[15];
	u8 unused[4];
};
u64 kapi_tail_target(u64 addr);
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

/* livepatch.c */
size_t kapi_replaced(const struct list_head *patches, u64 *to, size_t max);

/* kprobes.c */
bool kapi_kprobe_at(unsigned long get, u64 addr);
int kapi_kprobe_hides(unsigned long get, u64 addr);
bool kapi_kprobe_near(unsigned long get, u64 addr, size_t len);

/* tracepoint.c */
void kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e);
void kapi_tracepoints_synchronize(void);
/* Rust */
void kapi_tracepoint_hit(u64 number, const u64 *args, u64 stack);

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
