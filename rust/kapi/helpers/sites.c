// SPDX-License-Identifier: GPL-2.0
/*
 * The sites for which we must know how a CPU that comes from there goes on: those that ever had a
 * breakpoint, and jumps that were made calls. The table is open addressing; a reader sees an entry
 * whole or not at all, and has interrupts off, so a replaced table is free when each CPU has taken
 * an interrupt. Entries stay when a site is disarmed: a CPU may be on its way to us with code that
 * it has seen before.
 *
 * An int3 that nobody claims stops the machine. So a known address is always emulated, armed or
 * not, and no code that runs before the lookup may be probed.
 */
#include <linux/cpu.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>
#include "kapi.h"

#define NEVER 0
#define FORGOTTEN 1

struct kapi_sites {
	unsigned int bits;
	/* Entries that are not NEVER: they lengthen a search. */
	size_t used;
	struct kapi_site at[];
};
static struct kapi_sites *kapi_sites;

static __always_inline struct kapi_site *kapi_site_at(u64 addr)
{
	struct kapi_sites *all = READ_ONCE(kapi_sites);
	size_t mask, i;
	u64 seen;

	if (unlikely(!all))
		return NULL;
	mask = (1UL << all->bits) - 1;
	for (i = addr * GOLDEN_RATIO_64 >> (64 - all->bits);; i = (i + 1) & mask) {
		seen = smp_load_acquire(&all->at[i].addr);
		if (seen == addr)
			return &all->at[i];
		if (seen == NEVER)
			return NULL;
	}
}

static void kapi_site_insert(struct kapi_sites *all, const struct kapi_site *site)
{
	size_t mask = (1UL << all->bits) - 1;
	size_t i = site->addr * GOLDEN_RATIO_64 >> (64 - all->bits);
	struct kapi_site *to;
	u64 addr = site->addr;

	while (all->at[i].addr > FORGOTTEN)
		i = (i + 1) & mask;
	to = &all->at[i];
	all->used += to->addr == NEVER;
	to->target = site->target;
	to->kind = site->kind;
	to->reg = site->reg;
	to->len = site->len;
	to->first = site->first;
	to->armed = site->armed;
	to->touched = site->touched;
	smp_store_release(&to->addr, addr);
}

/* Tells whether the site is a jump with a target that we know, so that we can emulate it. */
bool kapi_is_tail(u64 addr)
{
	const struct kapi_site *site = kapi_site_at(addr);

	return site && site->kind == KAPI_TAIL;
}

/* Makes room for `more` entries. The caller holds a lock around all changes of the table. */
int kapi_sites_reserve(size_t more)
{
	struct kapi_sites *old = kapi_sites, *all;
	size_t live = 0, i, size;

	if (old && (old->used + more) * 2 <= 1UL << old->bits)
		return 0;
	for (i = 0; old && i < 1UL << old->bits; i++)
		live += old->at[i].addr > FORGOTTEN;
	size = roundup_pow_of_two(max((live + more) * 2, 64UL));
	all = kapi_zalloc(struct_size(all, at, size));
	if (!all)
		return -ENOMEM;
	all->bits = ilog2(size);
	for (i = 0; old && i < 1UL << old->bits; i++) {
		if (old->at[i].addr > FORGOTTEN)
			kapi_site_insert(all, &old->at[i]);
	}
	smp_store_release(&kapi_sites, all);
	/* If it cannot wait, the old table stays. */
	if (old && kapi_sync())
		kvfree(old);
	return 0;
}

/*
 * 0: the site is known as such; -ENOENT: it is not known; -EEXIST: it is known as something else.
 */
int kapi_sites_check(const struct kapi_site *site)
{
	const struct kapi_site *is = kapi_site_at(site->addr);

	if (!is)
		return -ENOENT;
	if (is->kind != site->kind || is->reg != site->reg || is->len != site->len || is->first != site->first)
		return -EEXIST;
	/* We choose the slot, so its address may differ. */
	return is->target == site->target || is->kind == KAPI_SLOT ? 0 : -EEXIST;
}

int kapi_sites_add(const struct kapi_site *site)
{
	if (site->addr <= FORGOTTEN)
		return -EINVAL;
	if (!kapi_sites || (kapi_sites->used + 1) * 2 > 1UL << kapi_sites->bits)
		return -ENOSPC;
	kapi_site_insert(kapi_sites, site);
	return 0;
}

/*
 * Slots of the pool with instructions that were forgotten, for others of the same length: modules
 * may load and unload for ever. A slot that finds no room here is lost until the end.
 */
static struct {
	u32 at;
	u8 len;
} kapi_spare[4096];
static size_t kapi_spares;

static void kapi_slot_spare(const struct kapi_site *site)
{
	if (site->kind != KAPI_SLOT || kapi_spares == ARRAY_SIZE(kapi_spare))
		return;
	kapi_spare[kapi_spares].at = site->target - (unsigned long)kapi_pool;
	kapi_spare[kapi_spares++].len = site->len;
}

/* Returns an offset in the pool for an instruction of this length, or -1. */
long kapi_slot_again(u8 len)
{
	size_t i;
	u32 at;

	for (i = 0; i < kapi_spares; i++) {
		if (kapi_spare[i].len != len)
			continue;
		at = kapi_spare[i].at;
		kapi_spare[i] = kapi_spare[--kapi_spares];
		return at;
	}
	return -1;
}

/*
 * The text in [start, end) is going away. An entry is reused only when nobody can be reading its
 * old contents.
 */
void kapi_sites_forget(u64 start, u64 end)
{
	bool any = false;
	size_t i;

	for (i = 0; kapi_sites && i < 1UL << kapi_sites->bits; i++) {
		struct kapi_site *site = &kapi_sites->at[i];

		if (site->addr > FORGOTTEN && site->addr >= start && site->addr < end) {
			WRITE_ONCE(site->addr, FORGOTTEN);
			kapi_slot_spare(site);
			any = true;
		}
	}
	if (any)
		kapi_sync();
}

/*
 * Called when no CPU can come from any site any more. If a jump is still a call, somebody has not
 * cleaned up, and the table stays. Returns true if it is gone.
 */
bool kapi_sites_free(const struct kapi_text_fns *fns)
{
	size_t calls = 0, i;

	mutex_lock(fns->module_mutex);
	for (i = 0; kapi_sites && i < 1UL << kapi_sites->bits; i++) {
		const struct kapi_site *site = &kapi_sites->at[i];
		u8 now;

		if (site->addr > FORGOTTEN && site->kind == KAPI_TAIL && kapi_is_text(fns, site->addr, 1) &&
		    !copy_from_kernel_nofault(&now, (void *)(unsigned long)site->addr, 1))
			calls += now == CALL_INSN_OPCODE;
	}
	mutex_unlock(fns->module_mutex);
	if (WARN_ON_ONCE(calls))
		return false;
	kvfree(kapi_sites);
	kapi_sites = NULL;
	kapi_spares = 0;
	return true;
}

static const u8 kapi_reg_offset[16] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, bx), offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
	offsetof(struct pt_regs, si), offsetof(struct pt_regs, di), offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9), offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13), offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
};

static __always_inline unsigned long kapi_reg(const struct pt_regs *regs, u8 reg)
{
	return *(const unsigned long *)((const u8 *)regs + kapi_reg_offset[reg & 15]);
}

static __always_inline void kapi_emulate(const struct kapi_site *site, u64 addr, struct pt_regs *regs, bool taken)
{
	unsigned long next = addr + site->len;

	switch (site->kind) {
	case KAPI_SKIP:
		int3_emulate_jmp(regs, next);
		break;
	case KAPI_PUSH:
		int3_emulate_push(regs, kapi_reg(regs, site->reg));
		int3_emulate_jmp(regs, next);
		break;
	case KAPI_BRANCH:
		int3_emulate_jmp(regs, taken ? site->target : next);
		break;
	case KAPI_CALL:
		int3_emulate_call(regs, next, site->target);
		break;
	case KAPI_RETURN:
		int3_emulate_ret(regs);
		break;
	case KAPI_JUMP_REG:
		int3_emulate_jmp(regs, kapi_reg(regs, site->reg));
		break;
	case KAPI_CALL_REG:
		/* The register is read first: it may be the stack pointer. */
		int3_emulate_call(regs, next, kapi_reg(regs, site->reg));
		break;
	default:
		int3_emulate_jmp(regs, site->target);
	}
}

/* Returns where a jump leads now; 0 if the site is no jump. */
static __always_inline u64 kapi_goes(const struct kapi_site *site, const struct pt_regs *regs, bool taken)
{
	switch (site->kind) {
	case KAPI_BRANCH:
		return taken ? site->target : regs->ip - INT3_INSN_SIZE + site->len;
	case KAPI_JUMP:
		return site->target;
	case KAPI_JUMP_REG:
		return kapi_reg(regs, site->reg);
	default:
		return 0;
	}
}

static int notrace kapi_breakpoint(struct notifier_block *nb, unsigned long what, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	const struct kapi_site *site;
	bool taken = true;
	u64 addr;

	if (what != DIE_INT3 || user_mode(regs))
		return NOTIFY_DONE;
	addr = regs->ip - INT3_INSN_SIZE;
	site = kapi_site_at(addr);
	if (!site) {
		if (!kapi_is_returning(addr))
			return NOTIFY_DONE;
		int3_emulate_ret(regs);
		return NOTIFY_STOP;
	}
	if (site->kind == KAPI_BRANCH)
		taken = __emulate_cc(regs->flags, site->reg);
	if (READ_ONCE(site->armed)) {
		struct pt_regs *before = this_cpu_read(kapi_trap_regs);

		this_cpu_write(kapi_trap_regs, regs);
		kapi_trap_fired(addr, regs, kapi_goes(site, regs, taken));
		this_cpu_write(kapi_trap_regs, before);
	}
	kapi_emulate(site, addr, regs, taken);
	return NOTIFY_STOP;
}
NOKPROBE_SYMBOL(kapi_breakpoint);

static struct notifier_block kapi_die_nb = {
	.notifier_call = kapi_breakpoint,
	.priority = INT_MAX,
};

int kapi_breakpoints_on(void)
{
	return register_die_notifier(&kapi_die_nb);
}

void kapi_breakpoints_off(void)
{
	unregister_die_notifier(&kapi_die_nb);
}

/*
 * Called by kapi_tail_trampoline: returns the target of the jump that stood at the site. The site
 * is in the table before its call is written.
 */
u64 notrace kapi_tail_fired(u64 addr)
{
	const struct kapi_site *site;
	unsigned long flags;
	u64 target;

	raw_local_irq_save(flags);
	site = kapi_site_at(addr);
	BUG_ON(!site);
	target = site->target;
	raw_local_irq_restore(flags);
	kapi_tail_probe(addr);
	return target;
}
NOKPROBE_SYMBOL(kapi_tail_fired);

static int kapi_site_poke(const struct kapi_text_fns *fns, struct kapi_span *span, u64 addr, bool arm)
{
	struct kapi_site *site = kapi_site_at(addr);
	void *at = (void *)(unsigned long)addr;
	const u8 int3 = INT3_INSN_OPCODE;
	u8 now;

	if (!site || site->kind == KAPI_TAIL)
		return -ENOENT;
	if (!!site->armed == arm)
		return 0;
	if (!arm)
		WRITE_ONCE(site->armed, 0);
	if (!kapi_is_text(fns, addr, 1))
		return -ENXIO;
	if (copy_from_kernel_nofault(&now, at, 1))
		return -EFAULT;
	if (now != (arm ? site->first : int3))
		return -EEXIST;
	site->touched = 1;
	if (arm)
		WRITE_ONCE(site->armed, 1);
	kapi_poke_event(fns, addr, &now, 1, arm ? &int3 : &site->first, 1);
	kapi_span_add(fns, span, addr, arm ? &int3 : &site->first, 1);
	return 0;
}

/*
 * Makes every CPU see what was written, and finish each breakpoint that it has hit before. CPUs
 * that come or go need no more: while we hold the lock, such a CPU is off, and runs nothing that
 * has a breakpoint, or it is on.
 */
void kapi_sites_sync(const struct kapi_text_fns *fns)
{
	cpus_read_lock();
	kapi_call4(fns->sync, 0, 0, 0, 0);
	cpus_read_unlock();
}

/*
 * Changes each site on its own, as kapi_text_patch_each(), a page at a time if they ascend. The
 * caller then calls kapi_sites_sync(), once for all.
 */
void kapi_sites_poke(const struct kapi_text_fns *fns, const u64 *addrs, size_t n, bool arm, u8 *why)
{
	struct kapi_span span = {};
	size_t i;

	mutex_lock(fns->module_mutex);
	mutex_lock(fns->text_mutex);
	for (i = 0; i < n; i++)
		why[i] = -kapi_site_poke(fns, &span, addrs[i], arm);
	kapi_span_end(fns, &span);
	mutex_unlock(fns->text_mutex);
	mutex_unlock(fns->module_mutex);
}

/*
 * Writes the original byte a second time at every site that ever had a breakpoint. TCG may have
 * translated the breakpoint while it was being removed, and throws the translation away when the
 * page is written.
 */
void kapi_sites_restore(const struct kapi_text_fns *fns)
{
	size_t i, n = 0;

	mutex_lock(fns->module_mutex);
	mutex_lock(fns->text_mutex);
	for (i = 0; kapi_sites && i < 1UL << kapi_sites->bits; i++) {
		struct kapi_site *site = &kapi_sites->at[i];
		u8 now;

		if (site->addr <= FORGOTTEN || !site->touched || !kapi_is_text(fns, site->addr, 1))
			continue;
		if (copy_from_kernel_nofault(&now, (void *)(unsigned long)site->addr, 1))
			continue;
		if (now == site->first || (now == INT3_INSN_OPCODE && site->armed)) {
			if (now != site->first)
				kapi_poke_event(fns, site->addr, &now, 1, &site->first, 1);
			kapi_call4(fns->poke, site->addr, (unsigned long)&site->first, 1, 0);
		}
		WRITE_ONCE(site->armed, 0);
		if (++n % KAPI_CHUNK)
			continue;
		mutex_unlock(fns->text_mutex);
		mutex_unlock(fns->module_mutex);
		cond_resched();
		mutex_lock(fns->module_mutex);
		mutex_lock(fns->text_mutex);
	}
	mutex_unlock(fns->text_mutex);
	mutex_unlock(fns->module_mutex);
	kapi_sites_sync(fns);
}

/* Writes at most a page. No CPU runs there yet: a site that leads there is armed later. */
int kapi_pool_write(const struct kapi_text_fns *fns, size_t at, const u8 *bytes, size_t len)
{
	if (len > PAGE_SIZE)
		return -EINVAL;
	mutex_lock(fns->text_mutex);
	kapi_poke_event(fns, (unsigned long)kapi_pool + at, NULL, 0, bytes, len);
	kapi_call4(fns->poke, (unsigned long)kapi_pool + at, (unsigned long)bytes, len, 0);
	mutex_unlock(fns->text_mutex);
	return 0;
}
