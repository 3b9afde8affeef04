// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of the kernel and of modules: all of them, by name, and one function of ours for all that are attached to. Which one called
 * is told by the number that it was attached with, so nothing that a late call needs can have gone.
 *
 * What a tracepoint passes comes as a function's arguments behind that number: five in registers, the others where our
 * caller has put them on the stack. They are read from there only if somebody asks for them.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "kapi.h"

static kapi_tracepoint_fn kapi_tracepoint_called;

/* A tracepoint may be in an NMI, and with interrupts on. */
static void notrace kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[5] = { a, b, c, d, e };

	/* Above the frame are its saved pointer and where we return to. */
	kapi_tracepoint_called((unsigned long)number, args, (unsigned long)__builtin_frame_address(0) + 16);
}

/* Each is a struct tracepoint of the kernel proper, which stays. */
void kapi_tracepoints(void (*fn)(struct tracepoint *tp, void *arg), void *arg)
{
	for_each_kernel_tracepoint(fn, arg);
}

const char *kapi_tracepoint_name(const struct tracepoint *tp)
{
	return tp->name;
}

/* fn is the same each time. */
int kapi_tracepoint_attach(struct tracepoint *tp, u64 number, kapi_tracepoint_fn fn)
{
	WRITE_ONCE(kapi_tracepoint_called, fn);
	return tracepoint_probe_register(tp, kapi_tracepoint, (void *)(unsigned long)number);
}

/* The last calls may still be under way. Without memory the kernel leaves a call of an empty function in our place. */
void kapi_tracepoint_detach(struct tracepoint *tp, u64 number)
{
	tracepoint_probe_unregister(tp, kapi_tracepoint, (void *)(unsigned long)number);
}

/*
 * A tracepoint of a module, for whoever has it; the module may go before that. As it goes it is detached from, before the
 * kernel looks whether somebody is left. All of them are looked at under the mutex alone.
 */
struct kapi_module_tracepoint {
	struct list_head list;
	struct module *mod;
	struct tracepoint *tp;		/* NULL: it has gone. */
	bool attached;
	u64 number;
};

static LIST_HEAD(kapi_module_tracepoints);
static DEFINE_MUTEX(kapi_module_tracepoints_mutex);

unsigned int kapi_module_tracepoint_count(const struct module *mod)
{
	return mod->num_tracepoints;
}

const char *kapi_module_tracepoint_name(const struct module *mod, unsigned int n)
{
	return tracepoint_ptr_deref(&mod->tracepoints_ptrs[n])->name;
}

/* The n-th of a module that is held; NULL: there is no memory, or nobody watches modules go. */
struct kapi_module_tracepoint *kapi_module_tracepoint_get(struct module *mod, unsigned int n)
{
	struct kapi_module_tracepoint *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->mod = mod;
	t->tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[n]);
	mutex_lock(&kapi_module_tracepoints_mutex);
	if (kapi_modules_watched()) {
		list_add(&t->list, &kapi_module_tracepoints);
	} else {
		kfree(t);
		t = NULL;
	}
	mutex_unlock(&kapi_module_tracepoints_mutex);
	return t;
}

static void kapi_module_tracepoint_leave(struct kapi_module_tracepoint *t)
{
	if (t->tp && t->attached)
		kapi_tracepoint_detach(t->tp, t->number);
	t->attached = false;
}

int kapi_module_tracepoint_attach(struct kapi_module_tracepoint *t, u64 number, kapi_tracepoint_fn fn)
{
	int err = -ENODEV;

	mutex_lock(&kapi_module_tracepoints_mutex);
	if (t->tp)
		err = kapi_tracepoint_attach(t->tp, number, fn);
	if (!err) {
		t->number = number;
		t->attached = true;
	}
	mutex_unlock(&kapi_module_tracepoints_mutex);
	return err;
}

void kapi_module_tracepoint_detach(struct kapi_module_tracepoint *t)
{
	mutex_lock(&kapi_module_tracepoints_mutex);
	kapi_module_tracepoint_leave(t);
	mutex_unlock(&kapi_module_tracepoints_mutex);
}

void kapi_module_tracepoint_put(struct kapi_module_tracepoint *t)
{
	mutex_lock(&kapi_module_tracepoints_mutex);
	kapi_module_tracepoint_leave(t);
	list_del(&t->list);
	mutex_unlock(&kapi_module_tracepoints_mutex);
	kfree(t);
}

/* A module goes, or with NULL nobody will be told of that any more. */
void kapi_module_tracepoints_gone(const struct module *mod)
{
	struct kapi_module_tracepoint *t;

	mutex_lock(&kapi_module_tracepoints_mutex);
	list_for_each_entry(t, &kapi_module_tracepoints, list) {
		if (!mod || t->mod == mod) {
			kapi_module_tracepoint_leave(t);
			t->tp = NULL;
		}
	}
	mutex_unlock(&kapi_module_tracepoints_mutex);
}

/* Waits until no call of what has been detached is under way. */
void kapi_tracepoints_quiesce(void)
{
	if (kapi_tracepoint_called)
		tracepoint_synchronize_unregister();
}
