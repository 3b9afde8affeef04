// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that kapi_call4 calls by name have these prototypes, or this file does not compile:
 * all of them but one are declared in the headers of the kernel that a module is built for. symbols.rs
 * looks them up, prototypes.rs asks the running kernel.
 *
 * The one is ftrace_is_dead: kernel/trace/trace.h, which is not among those headers, declares it as
 * `int ftrace_is_dead(void)`. Only the running kernel's BTF is asked for that one.
 *
 * BTF does not describe variables. Of those that are looked up, text_mutex is declared in a header.
 * The rest (module_mutex, modules, kprobe_blacklist, kprobe_mutex, die_chain,
 * klp_mutex, klp_patches) are static or private to kernel/module, kernel/kprobes.c, kernel/notifier.c
 * and kernel/livepatch. They are locks and heads of lists, as they have been for ten to twenty years;
 * a variable that becomes something else gets another name.
 */
#include <linux/build_bug.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/static_call.h>
#include <linux/task_work.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <asm/alternative.h>
#include <asm/text-patching.h>

#define HAS(symbol, ...) static_assert(__same_type(symbol, __VA_ARGS__), #symbol " has another type in this kernel")

HAS(kallsyms_lookup_name, unsigned long(const char *));
HAS(kallsyms_on_each_symbol, int(int (*)(void *, const char *, unsigned long), void *));
HAS(kallsyms_lookup_size_offset, int(unsigned long, unsigned long *, unsigned long *));
HAS(lookup_symbol_name, int(unsigned long, char *));
HAS(search_exception_tables, const struct exception_table_entry *(unsigned long));
HAS(ptrace_may_access, bool(struct task_struct *, unsigned int));
HAS(task_work_cancel, bool(struct task_struct *, struct callback_head *));

HAS(get_kprobe, struct kprobe *(void *));
HAS(text_mutex, struct mutex);
HAS(smp_text_poke_batch_add, void(void *, const void *, size_t, const void *));
HAS(smp_text_poke_batch_finish, void(void));
HAS(text_poke, void *(void *, const void *, size_t));
HAS(smp_text_poke_sync_each_cpu, void(void));
HAS(perf_event_text_poke, void(const void *, const void *, size_t, const void *, size_t));
HAS(jump_label_text_reserved, int(void *, void *));
HAS(static_call_text_reserved, int(void *, void *));
HAS(ftrace_text_reserved, int(const void *, const void *));
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
HAS(alternatives_text_reserved, int(void *, void *));
#endif

HAS(update_ftrace_direct_add, int(struct ftrace_ops *, struct ftrace_hash *));
HAS(update_ftrace_direct_del, int(struct ftrace_ops *, struct ftrace_hash *));
HAS(alloc_ftrace_hash, struct ftrace_hash *(int));
HAS(free_ftrace_hash, void(struct ftrace_hash *));
HAS(add_ftrace_hash_entry_direct, struct ftrace_func_entry *(struct ftrace_hash *, unsigned long, unsigned long));
HAS(ftrace_location, unsigned long(unsigned long));
HAS(ftrace_find_rec_direct, unsigned long(unsigned long));
