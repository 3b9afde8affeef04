// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that kapi_call4 calls by name have these prototypes, or this file does not compile:
 * all of them are declared in the headers of the kernel that a module is built for. Rust:
 * symbols.rs looks them up.
 *
 * The kernel checks by its release (vermagic) that a module was built for it, but somebody may have
 * built another kernel with the same release, or force the load. So the running kernel is asked,
 * too: the description of its types (BTF) says how many arguments these functions take, and how
 * wide they are. A kernel without BTF is trusted.
 *
 * BTF does not describe variables. Of those that are looked up, text_mutex and ftrace_enabled are
 * declared in headers. The rest (module_mutex, modules, kprobe_blacklist, kprobe_mutex, die_chain)
 * are static or private to kernel/module, kernel/kprobes.c and kernel/notifier.c. They are locks
 * and heads of lists, as they have been for twenty years; a variable that becomes something else
 * gets another name.
 */
#include <linux/btf.h>
#include <linux/build_bug.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/alternative.h>
#include <asm/text-patching.h>
#include "kapi.h"

#define HAS(symbol, ...) static_assert(__same_type(symbol, __VA_ARGS__), #symbol " has another type in this kernel")

HAS(kallsyms_lookup_name, unsigned long(const char *));
HAS(kallsyms_on_each_symbol, int(int (*)(void *, const char *, unsigned long), void *));
HAS(kallsyms_lookup_size_offset, int(unsigned long, unsigned long *, unsigned long *));
HAS(lookup_symbol_name, int(unsigned long, char *));
HAS(search_exception_tables, const struct exception_table_entry *(unsigned long));

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

HAS(ftrace_enabled, int);
HAS(update_ftrace_direct_add, int(struct ftrace_ops *, struct ftrace_hash *));
HAS(update_ftrace_direct_del, int(struct ftrace_ops *, struct ftrace_hash *));
HAS(alloc_ftrace_hash, struct ftrace_hash *(int));
HAS(free_ftrace_hash, void(struct ftrace_hash *));
HAS(add_ftrace_hash_entry_direct, struct ftrace_func_entry *(struct ftrace_hash *, unsigned long, unsigned long));
HAS(ftrace_location, unsigned long(unsigned long));
HAS(ftrace_find_rec_direct, unsigned long(unsigned long));

/* The result, and the arguments: p is a pointer, a digit a number of that many bytes, v nothing. */
static const struct kapi_prototype kapi_prototypes[] = {
	{ "kallsyms_lookup_name", "8:p" },
	{ "kallsyms_on_each_symbol", "4:pp" },
	{ "kallsyms_lookup_size_offset", "4:8pp" },
	{ "lookup_symbol_name", "4:8p" },
	{ "search_exception_tables", "p:8" },
	{ "smp_text_poke_batch_add", "v:pp8p" },
	{ "smp_text_poke_batch_finish", "v:" },
	{ "text_poke", "p:pp8" },
	{ "smp_text_poke_sync_each_cpu", "v:" },
	{ "perf_event_text_poke", "v:pp8p8" },
	{ "jump_label_text_reserved", "4:pp" },
	{ "static_call_text_reserved", "4:pp" },
	{ "ftrace_text_reserved", "4:pp" },
	{ "update_ftrace_direct_add", "4:pp" },
	{ "update_ftrace_direct_del", "4:pp" },
	{ "alloc_ftrace_hash", "p:4" },
	{ "free_ftrace_hash", "v:p" },
	{ "add_ftrace_hash_entry_direct", "p:p88" },
	{ "ftrace_location", "8:8" },
	{ "ftrace_find_rec_direct", "8:8" },
};

struct kapi_btf {
	const struct btf_header *header;
	const char *types, *strings;
	/* The offset of each type. */
	u32 *at, n;
};

/* Returns the length of the description of a type; 0: its kind is unknown. */
static size_t kapi_btf_size(const struct btf_type *t)
{
	const size_t vlen = btf_type_vlen(t);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return sizeof(*t);
	case BTF_KIND_INT:
		return sizeof(*t) + sizeof(u32);
	case BTF_KIND_VAR:
		return sizeof(*t) + sizeof(struct btf_var);
	case BTF_KIND_DECL_TAG:
		return sizeof(*t) + sizeof(struct btf_decl_tag);
	case BTF_KIND_ARRAY:
		return sizeof(*t) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*t) + vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*t) + vlen * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return sizeof(*t) + vlen * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*t) + vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return sizeof(*t) + vlen * sizeof(struct btf_var_secinfo);
	default:
		return 0;
	}
}

static const struct btf_type *kapi_btf_type(const struct kapi_btf *btf, u32 id)
{
	return id < btf->n ? (const void *)(btf->types + btf->at[id]) : NULL;
}

/* Returns the letter of a type in a prototype. */
static char kapi_btf_letter(const struct kapi_btf *btf, u32 id)
{
	const struct btf_type *t;
	int depth;

	for (depth = 0; id && depth < 32; depth++) {
		t = kapi_btf_type(btf, id);
		if (!t)
			return '?';
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_PTR:
			return 'p';
		case BTF_KIND_INT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
			return t->size < 10 ? '0' + t->size : '?';
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return '?';
		}
	}
	return id ? '?' : 'v';
}

static bool kapi_btf_is(const struct kapi_btf *btf, const struct btf_type *func, const char *shape)
{
	const struct btf_type *proto = kapi_btf_type(btf, func->type);
	const struct btf_param *param = (const void *)(proto + 1);
	u32 i;

	if (!proto || BTF_INFO_KIND(proto->info) != BTF_KIND_FUNC_PROTO)
		return false;
	if (kapi_btf_letter(btf, proto->type) != shape[0] || strlen(shape) != btf_type_vlen(proto) + 2)
		return false;
	for (i = 0; i < btf_type_vlen(proto); i++) {
		if (kapi_btf_letter(btf, param[i].type) != shape[i + 2])
			return false;
	}
	return true;
}

/*
 * Walks all types once, to learn where each is. False: the BTF is not understood, or there is no
 * memory.
 */
static bool kapi_btf_open(struct kapi_btf *btf, u64 start, u64 stop)
{
	const struct btf_header *h = btf->header = (const void *)(unsigned long)start;
	size_t size, at;

	if (stop < start + sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION)
		return false;
	if ((u64)h->hdr_len + h->type_off + h->type_len > stop - start || (u64)h->hdr_len + h->str_off + h->str_len > stop - start)
		return false;
	btf->types = (const char *)h + h->hdr_len + h->type_off;
	btf->strings = (const char *)h + h->hdr_len + h->str_off;
	btf->at = kapi_zalloc((h->type_len / sizeof(struct btf_type) + 2) * sizeof(*btf->at));
	if (!btf->at)
		return false;
	/* Number 0 is void, which has no description. */
	btf->n = 1;
	for (at = 0; at + sizeof(struct btf_type) <= h->type_len; at += size) {
		size = kapi_btf_size((const void *)(btf->types + at));
		if (!size || at + size > h->type_len)
			return false;
		btf->at[btf->n++] = at;
	}
	return true;
}

/*
 * The kernel's BTF is in [start, stop). Returns the name of one of the n functions that has another
 * prototype; NULL if none is known.
 */
static const char *kapi_prototype_other(u64 start, u64 stop, const struct kapi_prototype *all, size_t n)
{
	const char *name, *other = NULL;
	const struct btf_type *t;
	struct kapi_btf btf = {};
	size_t i;
	u32 id;

	if (!kapi_btf_open(&btf, start, stop))
		goto out;
	for (id = 1; id < btf.n && !other; id++) {
		t = kapi_btf_type(&btf, id);
		if (BTF_INFO_KIND(t->info) != BTF_KIND_FUNC || t->name_off >= btf.header->str_len)
			continue;
		name = btf.strings + t->name_off;
		for (i = 0; i < n; i++) {
			if (name[0] == all[i].name[0] && !strcmp(name, all[i].name) && !kapi_btf_is(&btf, t, all[i].shape))
				other = all[i].name;
		}
	}
out:
	kvfree(btf.at);
	return other;
}

const char *kapi_prototypes_other(u64 start, u64 stop)
{
	return kapi_prototype_other(start, stop, kapi_prototypes, ARRAY_SIZE(kapi_prototypes));
}

/* For a test: tells whether a function is known to have another prototype. */
bool kapi_prototype_differs(u64 start, u64 stop, const char *name, const char *shape)
{
	const struct kapi_prototype one = { name, shape };

	return kapi_prototype_other(start, stop, &one, 1);
}
