// SPDX-License-Identifier: GPL-2.0
/*
 * Other modules. What a module's symbol table is, and how much text it has, changes once in its life, when its init
 * is over: under module_mutex, so whoever holds that reads one or the other.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include "kapi.h"

static kapi_module_fn kapi_watcher;

static int kapi_module_event(struct notifier_block *nb, unsigned long event, void *module)
{
	if (module == THIS_MODULE)
		return NOTIFY_DONE;
	kapi_watcher(event, module);
	if (event == MODULE_STATE_GOING)
		kapi_module_tracepoints_gone(module);
	return NOTIFY_OK;
}

/* First of all watchers: as a module comes, before anything may run in it. */
static struct notifier_block kapi_module_nb = {
	.notifier_call = kapi_module_event,
	.priority = INT_MAX,
};

static DEFINE_MUTEX(kapi_watch_mutex);
static unsigned int kapi_watches;

/* One notifier for all; fn is the same each time. */
int kapi_modules_watch(kapi_module_fn fn)
{
	int err = 0;

	mutex_lock(&kapi_watch_mutex);
	kapi_watcher = fn;
	if (!kapi_watches++)
		err = register_module_notifier(&kapi_module_nb);
	mutex_unlock(&kapi_watch_mutex);
	return err;
}

/* The last one waits for an event under way; the others' watchers must bear to be told of it afterwards. */
void kapi_modules_unwatch(void)
{
	mutex_lock(&kapi_watch_mutex);
	if (!--kapi_watches) {
		unregister_module_notifier(&kapi_module_nb);
		kapi_module_tracepoints_gone(NULL);
	}
	mutex_unlock(&kapi_watch_mutex);
}

/* Whether whoever asks is told by kapi_module_tracepoints_gone(). */
bool kapi_modules_watched(void)
{
	return READ_ONCE(kapi_watches);
}

/*
 * The next live module after prev, or the first, with a reference; prev's is given back. A module that comes now is
 * put in front of the list, behind us: the watcher hears of it.
 */
struct module *kapi_module_next(struct module *prev, struct list_head *list, struct mutex *mutex)
{
	struct module *next = NULL, *m;

	mutex_lock(mutex);
	m = list_prepare_entry(prev, list, list);
	list_for_each_entry_continue(m, list, list) {
		if (m != THIS_MODULE && m->state == MODULE_STATE_LIVE && try_module_get(m)) {
			next = m;
			break;
		}
	}
	mutex_unlock(mutex);
	if (prev)
		module_put(prev);
	return next;
}

struct module *kapi_module_own(void)
{
	return THIS_MODULE;
}

const char *kapi_module_name(struct module *mod)
{
	return mod->name;
}

void kapi_module_text(struct module *mod, bool init, u64 *base, u64 *size)
{
	const struct module_memory *mem = &mod->mem[init ? MOD_INIT_TEXT : MOD_TEXT];

	*base = (unsigned long)mem->base;
	*size = mem->size;
}

bool kapi_module_contains(struct module *mod, u64 addr, size_t len)
{
	for_each_mod_mem_type(type) {
		if (kapi_within((unsigned long)mod->mem[type].base, mod->mem[type].size, addr, len))
			return true;
	}
	return false;
}

void kapi_module_symbols(struct module *mod, struct mutex *mutex, kapi_symbol_fn fn, void *arg)
{
	struct mod_kallsyms *k;
	unsigned int i;

	mutex_lock(mutex);
	k = rcu_dereference_protected(mod->kallsyms, lockdep_is_held(mutex));
	for (i = 0; k && i < k->num_symtab; i++)
		fn(arg, k->strtab + k->symtab[i].st_name, k->symtab[i].st_value, k->typetab[i]);
	mutex_unlock(mutex);
}
