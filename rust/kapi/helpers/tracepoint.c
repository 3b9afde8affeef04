// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of the kernel and of modules, by name, and the one function of ours that is attached
 * to all of them. The number given on attach says which one called, so a late call needs nothing
 * that may be freed.
 *
 * A tracepoint passes its arguments behind that number: five in registers, the others on the stack,
 * where our caller has put them. Those are read only if somebody asks for them.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "kapi.h"

static kapi_tracepoint_fn kapi_tracepoint_called;

/* A tracepoint may fire in an NMI, or with interrupts on. */
static void notrace kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[5] = { a, b, c, d, e };

	/* The stack arguments lie above the saved frame pointer and the return address. */
	kapi_tracepoint_called((unsigned long)number, args, (unsigned long)__builtin_frame_address(0) + 16);
}

/* Calls fn for each tracepoint of the kernel proper; these are never freed. */
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

/*
 * The last calls may still be under way. If the kernel has no memory, it leaves a call of an empty
 * function in our place.
 */
void kapi_tracepoint_detach(struct tracepoint *tp, u64 number)
{
	tracepoint_probe_unregister(tp, kapi_tracepoint, (void *)(unsigned long)number);
}

/*
 * A tracepoint of a module. Its user may keep it longer than the module is loaded: when the module
 * unloads, we detach from it before the kernel checks whether anybody is attached. All are accessed
 * only under the mutex.
 */
struct kapi_module_tracepoint {
	struct list_head list;
	struct module *mod;
	struct tracepoint *tp;		/* NULL: the module has unloaded. */
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

/* Returns the n-th of a module that is held; NULL: no memory, or nobody watches modules unload. */
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

/* A module unloads; NULL: nobody watches modules unload any more. */
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

/* Waits until no call from a detached tracepoint is under way. */
void kapi_tracepoints_quiesce(void)
{
	if (kapi_tracepoint_called)
		tracepoint_synchronize_unregister();
}
