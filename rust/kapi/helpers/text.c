// SPDX-License-Identifier: GPL-2.0
/*
 * Changes instructions while they run, by the kernel's own method: a breakpoint first, the tail,
 * then the head, with every CPU synchronized in between. That method BUG()s on anything that it
 * does not expect, so this file refuses all of that. The kernel's functions are not exported, and
 * their ENDBR is gone: they are reached by kapi_call4 only.
 */
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>
#include "kapi.h"

static const u8 nop5[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

/* A return, with the breakpoints that keep a processor from running on behind it. */
static const u8 ret5[5] = { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc };

/* Tells whether the kernel's method takes this instruction, five bytes wide. */
static bool kapi_pokable(const u8 *insn)
{
	return !memcmp(insn, nop5, 5) || insn[0] == 0xe8 || insn[0] == 0xe9 || !memcmp(insn, ret5, 5);
}

/* Under module_mutex, so that no module frees the text that was found to be its own. */
bool kapi_is_text(const struct kapi_text_fns *fns, u64 addr, size_t len)
{
	struct module *m;

	if (kapi_within(fns->stext, fns->etext - fns->stext, addr, len))
		return true;
	list_for_each_entry(m, fns->modules, list) {
		static const enum mod_mem_type types[] = { MOD_TEXT, MOD_INIT_TEXT };
		int i;

		if (m->state == MODULE_STATE_UNFORMED)
			continue;
		for (i = 0; i < ARRAY_SIZE(types); i++) {
			const struct module_memory *mem = &m->mem[types[i]];

			if (kapi_within((unsigned long)mem->base, mem->size, addr, len))
				return true;
		}
	}
	return false;
}

static int kapi_check(const struct kapi_text_fns *fns, const struct kapi_patch *p)
{
	u8 now[5];

	if (!kapi_pokable(p->new))
		return -EINVAL;
	if (!kapi_is_text(fns, p->addr, sizeof(now)))
		return -ENXIO;
	if (copy_from_kernel_nofault(now, (void *)(unsigned long)p->addr, sizeof(now)))
		return -EFAULT;
	return memcmp(now, p->old, sizeof(now)) ? -EEXIST : 0;
}

/*
 * No CPU comes online while text changes: it runs code before it is online, and only CPUs that are
 * online are synchronized. The order is that of the kernel's jump labels.
 */
static void kapi_text_lock(const struct kapi_text_fns *fns)
{
	cpus_read_lock();
	mutex_lock(fns->module_mutex);
	mutex_lock(fns->text_mutex);
}

static void kapi_text_unlock(const struct kapi_text_fns *fns)
{
	mutex_unlock(fns->text_mutex);
	mutex_unlock(fns->module_mutex);
	cpus_read_unlock();
}

/* Applies all patches or none; on an error *at is the patch that failed. */
int kapi_text_patch(const struct kapi_text_fns *fns, const struct kapi_patch *batch, size_t n, size_t *at)
{
	int err = 0;
	size_t i;

	kapi_text_lock(fns);
	for (i = 0; i < n; i++) {
		err = kapi_check(fns, &batch[i]);
		if (err)
			goto out;
	}
	for (i = 0; i < n; i++)
		kapi_call4(fns->batch_add, batch[i].addr, (unsigned long)batch[i].new, 5, 0);
	kapi_call4(fns->batch_finish, 0, 0, 0, 0);
	for (i = 0; i < n; i++) {
		if (memcmp((void *)(unsigned long)batch[i].addr, batch[i].new, 5)) {
			err = -EIO;
			goto out;
		}
	}
out:
	*at = i;
	kapi_text_unlock(fns);
	return err;
}

static int kapi_by_addr(const void *a, const void *b, const void *batch)
{
	const struct kapi_patch *patch = batch;
	u64 x = patch[*(const u8 *)a].addr, y = patch[*(const u8 *)b].addr;

	return x < y ? -1 : x > y;
}

/*
 * How a site changes. It holds a breakpoint meanwhile if kapi_breakpoint() can emulate it: a
 * return, or a jump with a target that we know. That is the kernel's method, but for many sites at
 * a time, and it emulates the old instruction, not the new one. Everything else is left to the
 * kernel's own.
 */
static bool kapi_is_return(const struct kapi_patch *p)
{
	return !memcmp(p->old, ret5, 5) || !memcmp(p->new, ret5, 5);
}

/*
 * The returns that hold a breakpoint just now, ascending. They are listed before the first
 * breakpoint is written, and until each CPU has taken an interrupt after the last one was removed:
 * a CPU that hits one has interrupts off until kapi_breakpoint() has looked here.
 */
static u64 kapi_returning[KAPI_CHUNK];
static size_t kapi_nreturning;

bool notrace kapi_is_returning(u64 addr)
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

/* A piece of text as it will be. Under text_mutex. */
static u8 kapi_page[PAGE_SIZE];

/*
 * Tells perf what text becomes: a decoder of what a processor has recorded (Intel PT) needs to
 * know. The kernel does so for its own changes. A change to another instruction is reported while a
 * breakpoint stands there, so that neither the old nor the new one runs; a breakpoint alone is
 * reported before it is written.
 */
void kapi_poke_event(const struct kapi_text_fns *fns, u64 at, const u8 *old, size_t old_len, const u8 *new, size_t len)
{
	if (fns->poke_event)
		kapi_call5(fns->poke_event, at, (unsigned long)old, old_len, (unsigned long)new, len);
}

/*
 * Pieces ascend, and are kept until a page is complete: the text between two pieces is written
 * unchanged. Writing a piece costs thousands of instructions, writing a page hardly more. The
 * caller holds text_mutex from the first piece to the end, so nobody else writes text.
 */
void kapi_span_end(const struct kapi_text_fns *fns, struct kapi_span *span)
{
	if (span->to)
		kapi_call4(fns->poke, span->from, (unsigned long)kapi_page, span->to - span->from, 0);
	span->to = 0;
}

void kapi_span_add(const struct kapi_text_fns *fns, struct kapi_span *span, u64 at, const u8 *bytes, size_t len)
{
	const u64 end = at + len;

	if (span->to && (at < span->to || (end - 1) >> PAGE_SHIFT != span->from >> PAGE_SHIFT))
		kapi_span_end(fns, span);
	if (!span->to)
		span->from = span->to = at;
	memcpy(kapi_page + (span->to - span->from), (void *)(unsigned long)span->to, at - span->to);
	memcpy(kapi_page + (at - span->from), bytes, len);
	span->to = end;
}

/*
 * A step: in each patch the bytes from first to last become the new ones, or a breakpoint. Then
 * every CPU is synchronized.
 */
struct kapi_step {
	u8 first, last;
	bool breakpoint, tells;
};

static const struct kapi_step kapi_steps[] = {
	{ 0, 0, .breakpoint = true },
	{ 1, 4, .tells = true },
	{ 0, 0 },
};

/* Takes one step with all patches. */
static void kapi_take_step(const struct kapi_text_fns *fns, const struct kapi_step *step, const struct kapi_patch *batch,
			   const u8 *order, size_t n)
{
	static const u8 breakpoint = INT3_INSN_OPCODE;
	struct kapi_span span = {};
	size_t i;

	for (i = 0; i < n; i++) {
		const struct kapi_patch *p = &batch[order[i]];
		const u8 *bytes = step->breakpoint ? &breakpoint : p->new + step->first;

		if (step->tells)
			kapi_poke_event(fns, p->addr, p->old, 5, p->new, 5);
		kapi_span_add(fns, &span, p->addr + step->first, bytes, step->last - step->first + 1);
	}
	kapi_span_end(fns, &span);
	kapi_call4(fns->sync, 0, 0, 0, 0);
}

/*
 * Applies each patch on its own, except those with a why[i] that is set: sets why[i] to 0 or to the
 * errno. At most KAPI_CHUNK, fastest if they ascend.
 */
void kapi_text_patch_each(const struct kapi_text_fns *fns, const struct kapi_patch *batch, size_t n, u8 *why)
{
	bool ascends = true, is_return;
	u8 order[KAPI_CHUNK];
	size_t i, good = 0, returning = 0;
	u64 free = 0;

	for (i = 0; i < n; i++) {
		order[i] = i;
		ascends &= !i || batch[i - 1].addr < batch[i].addr;
	}
	if (!ascends)
		sort_r(order, n, 1, kapi_by_addr, NULL, batch);
	kapi_text_lock(fns);
	for (i = 0; i < n; i++) {
		const struct kapi_patch *p = &batch[order[i]];
		int err;

		if (why[order[i]])
			continue;
		err = kapi_check(fns, p);
		/*
		 * A patch that is accepted now is written later: the one before does not show in the text
		 * yet.
		 */
		if (!err && p->addr < free)
			err = -EEXIST;
		why[order[i]] = -err;
		if (err)
			continue;
		free = p->addr + 5;
		is_return = kapi_is_return(p);
		if (!fns->poke || !fns->sync || !(is_return || kapi_is_tail(p->addr))) {
			kapi_call4(fns->batch_add, p->addr, (unsigned long)p->new, 5, 0);
			continue;
		}
		if (is_return)
			kapi_returning[returning++] = p->addr;
		order[good++] = order[i];
	}
	kapi_call4(fns->batch_finish, 0, 0, 0, 0);
	smp_store_release(&kapi_nreturning, returning);
	for (i = 0; good && i < ARRAY_SIZE(kapi_steps); i++)
		kapi_take_step(fns, &kapi_steps[i], batch, order, good);
	WRITE_ONCE(kapi_nreturning, 0);
	kapi_text_unlock(fns);
}

/* In all four functions the last argument is the last byte. */
bool kapi_text_reserved(const struct kapi_text_fns *fns, u64 addr, size_t len)
{
	const unsigned long first = addr, last = addr + len - 1;
	const unsigned long ask[] = {
		fns->jump_label_reserved, fns->static_call_reserved, fns->ftrace_reserved, fns->alternatives_reserved,
	};
	bool reserved = false;
	int i;

	/*
	 * They walk lists of modules and of ftrace's pages; text_mutex guards that of the alternatives.
	 */
	mutex_lock(fns->text_mutex);
	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(ask) && !reserved; i++)
		reserved = ask[i] && (int)kapi_call4(ask[i], first, last, 0, 0);
	rcu_read_unlock();
	mutex_unlock(fns->text_mutex);
	return reserved;
}
