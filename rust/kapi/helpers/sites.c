// SPDX-License-Identifier: GPL-2.0
/*
 * The sites for which we must know how a CPU that comes from there goes on: those that ever had a
 * breakpoint, and jumps that were made calls. The table is open addressing; a reader sees an entry
 * whole or not at all, and has interrupts off, so a replaced table is free when each CPU has taken
 * an interrupt. Entries stay when a site is disarmed: a CPU may be on its way to us with code that
 * it has seen before.
 *
 * An int3 that nobody claims stops the machine. So a known address is always emulated, armed or
 * not, and no code that runs before the lookup may be probed. So this is C: its functions are
 * marked for kprobes, and the kernel's emulation of instructions is inline.
 */
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/text-patching.h>
#include "sites.h"

/*
 * The returns that hold a breakpoint just now, ascending. They are listed before the first
 * breakpoint is written, and until each CPU has taken an interrupt after the last one was removed:
 * a CPU that hits one has interrupts off until kapi_breakpoint() has looked here.
 */
static u64 kapi_returning[KAPI_CHUNK];
static size_t kapi_nreturning;

static bool notrace kapi_is_returning(u64 addr)
{
	size_t low = 0, high = smp_load_acquire(&kapi_nreturning), middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (kapi_returning[middle] == addr)
			return true;
		if (kapi_returning[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
NOKPROBE_SYMBOL(kapi_is_returning);

/* Lists them, ascending: at most KAPI_CHUNK; none if n is 0. Under text_mutex; the list was empty. */
void kapi_returning_are(const u64 *sites, size_t n)
{
	memcpy(kapi_returning, sites, n * sizeof(*sites));
	smp_store_release(&kapi_nreturning, n);
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

/*
 * Returns where a jump leads now; 0 if the site is no jump. One whose condition does not hold leads to
 * itself, because the address behind it does not tell that the function goes on: in the unlikely half
 * of a function, that address lies outside of the other half.
 */
static __always_inline u64 kapi_goes(const struct kapi_site *site, const struct pt_regs *regs, bool taken)
{
	switch (site->kind) {
	case KAPI_BRANCH:
		return taken ? site->target : regs->ip - INT3_INSN_SIZE;
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
