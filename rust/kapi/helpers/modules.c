// SPDX-License-Identifier: GPL-2.0
/*
 * Other modules. A module's symbol table and the size of its text change once in its life, when its
 * init is over. The kernel changes them under module_mutex, so a holder of it reads the old or the
 * new ones.
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

/*
 * The first of all watchers: it runs when a module loads, before any of the module's code may run.
 */
static struct notifier_block kapi_module_nb = {
	.notifier_call = kapi_module_event,
	.priority = INT_MAX,
};

static DEFINE_MUTEX(kapi_watch_mutex);
static unsigned int kapi_watches;

/* One notifier serves all callers; fn is the same each time. */
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

/*
 * The last call waits for an event under way. After the others, fn may still run for such an event.
 */
void kapi_modules_unwatch(void)
{
	mutex_lock(&kapi_watch_mutex);
	if (!--kapi_watches) {
		unregister_module_notifier(&kapi_module_nb);
		kapi_module_tracepoints_gone(NULL);
	}
	mutex_unlock(&kapi_watch_mutex);
}

/* Tells whether kapi_module_tracepoints_gone() is called when a module unloads. */
bool kapi_modules_watched(void)
{
	return READ_ONCE(kapi_watches);
}

/*
 * Returns the next live module after prev, or the first, with a reference, and drops prev's. A
 * module that loads now is put at the front of the list, which this walk has passed; the watcher
 * sees it.
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
