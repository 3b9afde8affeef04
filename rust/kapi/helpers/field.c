// SPDX-License-Identifier: GPL-2.0
/* Where the kernel's structures have what events are told by. */
#include <linux/array_size.h>
#include <linux/blk-mq.h>
#include <linux/blk_types.h>
#include <linux/bvec.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal_types.h>
#include <linux/skbuff.h>
#include <linux/stddef.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <uapi/linux/sched/types.h>
#include <asm/processor.h>
#include "kapi.h"

#define AT(type, member) { offsetof(type, member), sizeof_field(type, member) }

/* Their numbers are stable/src/event.rs: Field. */
static const struct { u16 offset, size; } kapi_fields[] = {
	AT(struct task_struct, pid),
	AT(struct task_struct, tgid),
	AT(struct task_struct, nvcsw),
	AT(struct task_struct, nivcsw),
	AT(struct task_struct, exit_code),
	AT(struct task_struct, static_prio),
	AT(struct task_struct, prio),
	AT(struct task_struct, thread_info.cpu),
	AT(struct kernel_siginfo, si_signo),
	AT(struct kernel_siginfo, si_code),
	AT(struct k_sigaction, sa.sa_handler),
	AT(struct filename, name),
	AT(struct sched_attr, sched_policy),
	AT(struct sched_attr, sched_nice),
	AT(struct sched_attr, sched_priority),
	AT(struct request, bio),
	AT(struct request, cmd_flags),
	AT(struct bio, bi_next),
	AT(struct bio, bi_bdev),
	AT(struct bio, bi_io_vec),
	AT(struct bio, bi_iter.bi_size),
	AT(struct bio, bi_opf),
	AT(struct block_device, __bd_flags),
	AT(struct bio_vec, bv_page),
	AT(struct page, mapping),
	AT(struct address_space, host),
	AT(struct inode, i_dentry.first),
	AT(struct sock_common, skc_state),
	AT(struct sock, sk_protocol),
	AT(struct sk_buff, sk),
	AT(struct sk_buff, dev),
	AT(struct sk_buff, head),
	AT(struct sk_buff, network_header),
	AT(struct sk_buff, transport_header),
	/* The first byte of either version's header; the next to those that are flags in TCP's has no name either. */
	{ 0, 1 },
	AT(struct iphdr, protocol),
	AT(struct ipv6hdr, nexthdr),
	{ offsetof(union tcp_word_hdr, words[3]) + 1, 1 },
	AT(struct tcphdr, seq),
};
/* Where a dentry has the link that its inode's names are found by. */
#ifdef for_each_alias
const u32 kapi_dentry_alias = offsetof(struct dentry, d_alias);
#else
const u32 kapi_dentry_alias = offsetof(struct dentry, d_u.d_alias);
#endif
const u32 kapi_bdev_submits_bios = BD_HAS_SUBMIT_BIO;

bool kapi_field(u32 n, u32 *offset, u32 *size)
{
	if (n >= ARRAY_SIZE(kapi_fields))
		return false;
	*offset = kapi_fields[n].offset;
	*size = kapi_fields[n].size;
	return true;
}

/* The struct cpuinfo_x86 of a CPU; 0: there is no such CPU. */
notrace u64 kapi_cpu_info(u32 cpu)
{
	return cpu < nr_cpu_ids ? (unsigned long)&cpu_data(cpu) : 0;
}
