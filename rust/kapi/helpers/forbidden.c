// SPDX-License-Identifier: GPL-2.0
/* Text that we must not change: text that the kernel keeps kprobes out of, or changes itself. */
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include "kapi.h"

/* Rust: forbidden::Why */
enum { NOINSTR, ENTRY, KPROBES, NOKPROBE, BREAKPOINT };

/* Returns the end of the function that contains addr. size_of is kallsyms_lookup_size_offset. */
u64 kapi_symbol_end(unsigned long size_of, u64 addr)
{
	u64 start, end;

	return kapi_symbol_around(size_of, addr, &start, &end) ? end : addr + 1;
}

void kapi_kprobe_blacklist(struct list_head *list, struct mutex *mutex, kapi_range_fn fn, void *arg)
{
	struct kprobe_blacklist_entry *entry;

	mutex_lock(mutex);
	list_for_each_entry(entry, list, list)
		fn(arg, entry->start_addr, entry->end_addr, NOKPROBE);
	mutex_unlock(mutex);
}

/*
 * Reports the module's own lists: the kernel adds them to its lists only after it has called our
 * notifier.
 */
void kapi_module_forbidden(struct module *mod, unsigned long size_of, kapi_range_fn fn, void *arg)
{
	u64 start = (unsigned long)mod->noinstr_text_start;
	unsigned int i;

	if (start)
		fn(arg, start, start + mod->noinstr_text_size, NOINSTR);
	start = (unsigned long)mod->kprobes_text_start;
	if (start)
		fn(arg, start, start + mod->kprobes_text_size, KPROBES);
	for (i = 0; mod->kprobe_blacklist && i < mod->num_kprobe_blacklist; i++) {
		start = mod->kprobe_blacklist[i];
		fn(arg, start, kapi_symbol_end(size_of, start), NOKPROBE);
	}
}

/*
 * Reports the functions on the die chain: they run at a breakpoint before our handler, or from the
 * same loop. fn may sleep, so they are collected first. Returns false if there are more than 64; no
 * kernel has been seen with so many.
 */
bool kapi_die_chain(unsigned long chain, unsigned long size_of, kapi_range_fn fn, void *arg)
{
	struct atomic_notifier_head *head = (struct atomic_notifier_head *)chain;
	struct notifier_block *nb;
	u64 start[64];
	size_t n = 0, i;

	rcu_read_lock();
	for (nb = rcu_dereference(head->head); nb && n < ARRAY_SIZE(start); nb = rcu_dereference(nb->next))
		start[n++] = (unsigned long)nb->notifier_call;
	rcu_read_unlock();
	for (i = 0; i < n; i++)
		fn(arg, start[i], kapi_symbol_end(size_of, start[i]), BREAKPOINT);
	return !nb;
}

void kapi_static_calls(u64 start, u64 stop, kapi_range_fn fn, void *arg)
{
	struct static_call_site *site;

	for (site = (void *)(unsigned long)start; (unsigned long)site < stop; site++) {
		u64 at = (unsigned long)&site->addr + (long)site->addr;

		fn(arg, at, at + CALL_INSN_SIZE, 0);
	}
}

/* A jump label is two or five bytes wide: the kernel reads the code to find out, and so do we. */
void kapi_jump_labels(u64 start, u64 stop, kapi_range_fn fn, void *arg)
{
	struct jump_entry *entry;

	for (entry = (void *)(unsigned long)start; (unsigned long)entry < stop; entry++) {
		u64 at = jump_entry_code(entry);
		u8 first;

		/* The kernel has freed its init text by now. */
		if (jump_entry_is_init(entry) || copy_from_kernel_nofault(&first, (void *)(unsigned long)at, 1))
			continue;
		fn(arg, at, at + (first == 0x66 || first == 0xeb ? 2 : 5), 0);
	}
}

void kapi_module_sites(struct module *mod, kapi_range_fn fn, void *arg)
{
	u64 start = (unsigned long)mod->static_call_sites;

	kapi_static_calls(start, start + mod->num_static_call_sites * sizeof(*mod->static_call_sites), fn, arg);
	start = (unsigned long)mod->jump_entries;
	kapi_jump_labels(start, start + mod->num_jump_entries * sizeof(*mod->jump_entries), fn, arg);
}
