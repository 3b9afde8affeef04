// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of the kernel and of modules, by name, and the one function of ours that is attached
 * to all of them. The number given on attach says which one called, so a late call needs nothing
 * that may be freed.
 *
 * A tracepoint passes its arguments behind that number: five in registers, the others on the stack,
 * where our caller has put them. Those are read only if somebody asks for them.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/text-patching.h>
#include "kapi.h"

static kapi_tracepoint_fn kapi_tracepoint_called;

/* A tracepoint may fire in an NMI, or with interrupts on. */
static void notrace kapi_tracepoint(void *number, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[5] = { a, b, c, d, e };

	/* The stack arguments lie above the saved frame pointer and the return address. */
	kapi_tracepoint_called((unsigned long)number, args, (unsigned long)__builtin_frame_address(0) + 16);
}

struct kapi_tracepoints_visit {
	void (*fn)(void *tp, void *arg);
	void *arg;
};

static void kapi_tracepoints_next(struct tracepoint *tp, void *arg)
{
	struct kapi_tracepoints_visit *visit = arg;

	visit->fn(tp, visit->arg);
}

/* Calls fn for each tracepoint of the kernel proper; these are never freed. */
void kapi_tracepoints(void (*fn)(void *tp, void *arg), void *arg)
{
	struct kapi_tracepoints_visit visit = { fn, arg };

	for_each_kernel_tracepoint(kapi_tracepoints_next, &visit);
}

const char *kapi_tracepoint_name(const struct tracepoint *tp)
{
	return tp->name;
}

#ifdef CONFIG_CFI
/*
 * A tracepoint with several users calls each of them through a pointer. With CFI, such a call checks
 * the function's type, which is encoded in the bytes before it. So each type of tracepoint has an
 * entry here: a copy of these bytes and of the first instruction of the kernel's own function of that
 * type (probestub), then a jump to kapi_tracepoint. A copy serves kCFI and FineIBT. An entry stays for
 * other tracepoints of its type.
 */
#define KAPI_BEFORE 16
#define KAPI_COPIED (KAPI_BEFORE + 4)

static DEFINE_MUTEX(kapi_typed_mutex);
static size_t kapi_ntyped;

/* No address in the middle may be known to the compiler: objtool would want an ENDBR there. */
static u8 *kapi_typed_at(size_t n)
{
	u8 *first = kapi_typed[0];

	OPTIMIZER_HIDE_VAR(first);
	return first + n * KAPI_TYPED_SIZE;
}

static size_t kapi_typed_find(const u8 *type)
{
	size_t n;

	lockdep_assert_held(&kapi_typed_mutex);
	for (n = 0; n < kapi_ntyped; n++) {
		if (!memcmp(kapi_typed_at(n), type, KAPI_COPIED))
			break;
	}
	return n;
}

/* The bytes that say the type of a tracepoint's functions. */
static void kapi_type_of(const struct tracepoint *tp, u8 *type)
{
	static const u8 nop[] = { BYTES_NOP4 };

	memcpy(type, tp->probestub - KAPI_BEFORE, KAPI_COPIED);
	/* Without IBT, functions do not begin with an instruction of their own kind. */
	if (!IS_ENABLED(CONFIG_X86_KERNEL_IBT))
		memcpy(type + KAPI_BEFORE, nop, sizeof(nop));
}

/* Returns the function to attach; NULL: no room, no way to write text, or a check that depends on where it lies. */
static void *kapi_tracepoint_entry(const struct kapi_text_fns *fns, const struct tracepoint *tp)
{
	u8 bytes[KAPI_COPIED + 5], *entry = NULL;
	s32 distance;
	size_t n;

	if (!fns)
		return NULL;
	kapi_type_of(tp, bytes);
	/* FineIBT's own jump leads into the copied instruction; cfi=bhi has a call to elsewhere instead. */
	if (bytes[KAPI_BEFORE - 7] == 0x2e && bytes[KAPI_BEFORE - 6] != 0x0f)
		return NULL;
	mutex_lock(&kapi_typed_mutex);
	n = kapi_typed_find(bytes);
	if (n < KAPI_TYPED_ENTRIES)
		entry = kapi_typed_at(n);
	if (n == kapi_ntyped && entry) {
		distance = (u8 *)kapi_tracepoint - (entry + sizeof(bytes));
		bytes[KAPI_COPIED] = JMP32_INSN_OPCODE;
		memcpy(bytes + KAPI_COPIED + 1, &distance, sizeof(distance));
		mutex_lock(fns->text_mutex);
		if (fns->poke_event)
			kapi_call5(fns->poke_event, (unsigned long)entry, 0, 0, (unsigned long)bytes, sizeof(bytes));
		kapi_call4(fns->poke, (unsigned long)entry, (unsigned long)bytes, sizeof(bytes), 0);
		mutex_unlock(fns->text_mutex);
		kapi_call4(fns->sync, 0, 0, 0, 0);
		kapi_ntyped++;
	}
	mutex_unlock(&kapi_typed_mutex);
	return entry ? entry + KAPI_BEFORE : NULL;
}

/* Returns the function that was attached. */
static void *kapi_tracepoint_attached(const struct tracepoint *tp)
{
	u8 type[KAPI_COPIED];
	size_t n;

	kapi_type_of(tp, type);
	mutex_lock(&kapi_typed_mutex);
	n = kapi_typed_find(type);
	mutex_unlock(&kapi_typed_mutex);
	return kapi_typed_at(n) + KAPI_BEFORE;
}
#else
static void *kapi_tracepoint_entry(const struct kapi_text_fns *fns, const struct tracepoint *tp)
{
	return kapi_tracepoint;
}

static void *kapi_tracepoint_attached(const struct tracepoint *tp)
{
	return kapi_tracepoint;
}
#endif

/* fns: NULL if text cannot be written. fn is the same each time. */
int kapi_tracepoint_attach(const struct kapi_text_fns *fns, struct tracepoint *tp, u64 number, kapi_tracepoint_fn fn)
{
	void *entry = kapi_tracepoint_entry(fns, tp);

	if (!entry)
		return -EOPNOTSUPP;
	WRITE_ONCE(kapi_tracepoint_called, fn);
	return tracepoint_probe_register(tp, entry, (void *)(unsigned long)number);
}

/*
 * The last calls may still be under way. If the kernel has no memory, it leaves a call of an empty
 * function in our place.
 */
void kapi_tracepoint_detach(struct tracepoint *tp, u64 number)
{
	tracepoint_probe_unregister(tp, kapi_tracepoint_attached(tp), (void *)(unsigned long)number);
}

unsigned int kapi_module_tracepoint_count(const struct module *mod)
{
	return mod->num_tracepoints;
}

/* Returns the n-th of a module that is held. */
struct tracepoint *kapi_module_tracepoint(struct module *mod, unsigned int n)
{
	return tracepoint_ptr_deref(&mod->tracepoints_ptrs[n]);
}

/* Waits until no call from a detached tracepoint is under way. */
void kapi_tracepoints_quiesce(void)
{
	if (kapi_tracepoint_called)
		tracepoint_synchronize_unregister();
}
