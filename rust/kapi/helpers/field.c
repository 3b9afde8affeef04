// SPDX-License-Identifier: GPL-2.0
/* The members of the kernel's structures that hold the data of events. */
#include <linux/array_size.h>
#include <linux/blk-mq.h>
#include <linux/blk_types.h>
#include <linux/bvec.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/page-flags.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal_types.h>
#include <linux/skbuff.h>
#include <linux/spinlock_types.h>
#include <linux/stddef.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <uapi/linux/sched/types.h>
#include <asm/processor.h>
#include "kapi.h"

/* A member, and a byte. The names, and their order, are those of stable/src/event.rs: Field. */
#define AT(name, type, member) { offsetof(type, member), sizeof_field(type, member) }
#define BYTE(name, offset) { offset, 1 }
/* A member of the data that TCP keeps with a packet. */
#define SKB_CB(name, member) \
	{ offsetof(struct sk_buff, cb) + offsetof(struct tcp_skb_cb, member), sizeof_field(struct tcp_skb_cb, member) }

static const struct { u16 offset, size; } kapi_fields[] = {
	AT(TaskPid, struct task_struct, pid),
	AT(TaskTgid, struct task_struct, tgid),
	AT(TaskNvcsw, struct task_struct, nvcsw),
	AT(TaskNivcsw, struct task_struct, nivcsw),
	AT(TaskExitCode, struct task_struct, exit_code),
	AT(TaskStaticPrio, struct task_struct, static_prio),
	AT(TaskPrio, struct task_struct, prio),
	AT(TaskCpu, struct task_struct, thread_info.cpu),
	AT(SiginfoSigno, struct kernel_siginfo, si_signo),
	AT(SiginfoCode, struct kernel_siginfo, si_code),
	AT(SigactionHandler, struct k_sigaction, sa.sa_handler),
	AT(FilenameName, struct filename, name),
	AT(SchedAttrPolicy, struct sched_attr, sched_policy),
	AT(SchedAttrNice, struct sched_attr, sched_nice),
	AT(SchedAttrPriority, struct sched_attr, sched_priority),
	AT(RequestBio, struct request, bio),
	AT(RequestCmdFlags, struct request, cmd_flags),
	AT(BioNext, struct bio, bi_next),
	AT(BioBdev, struct bio, bi_bdev),
	AT(BioIoVec, struct bio, bi_io_vec),
	AT(BioSize, struct bio, bi_iter.bi_size),
	AT(BioOpf, struct bio, bi_opf),
	AT(BioStatus, struct bio, bi_status),
	AT(BdevFlags, struct block_device, __bd_flags),
	AT(BioVecPage, struct bio_vec, bv_page),
	AT(PageMapping, struct page, mapping),
	AT(FolioFlags, struct folio, flags),
	AT(FolioPages, struct folio, _nr_pages),
	AT(MappingHost, struct address_space, host),
	AT(InodeAlias, struct inode, i_dentry.first),
	AT(SockState, struct sock_common, skc_state),
	AT(SockProtocol, struct sock, sk_protocol),
	AT(SkbSk, struct sk_buff, sk),
	AT(SkbDev, struct sk_buff, dev),
	AT(SkbHead, struct sk_buff, head),
	AT(SkbNetworkHeader, struct sk_buff, network_header),
	AT(SkbTransportHeader, struct sk_buff, transport_header),
	/* These bytes have no name: the first one of either IP header, and that of TCP's flags. */
	BYTE(IpVersion, 0),
	AT(IpProtocol, struct iphdr, protocol),
	AT(Ip6NextHeader, struct ipv6hdr, nexthdr),
	BYTE(TcpFlags, offsetof(union tcp_word_hdr, words[3]) + 1),
	AT(TcpSeq, struct tcphdr, seq),
	/* Valid while the packet is in the send queue of its socket. */
	SKB_CB(TcpSegments, tcp_gso_segs),
	/* The first word of a lock, which shows whether it is free; a spinning lock has 32 bits. */
#ifdef CONFIG_PREEMPT_RT
	AT(MutexOwner, struct mutex, rtmutex.owner),
	AT(RwsemCount, struct rw_semaphore, rwbase.readers),
#else
	AT(MutexOwner, struct mutex, owner),
	AT(RwsemCount, struct rw_semaphore, count),
#endif
	AT(SpinlockWord, arch_spinlock_t, val),
	AT(RwlockWord, arch_rwlock_t, cnts),
};
#ifdef CONFIG_PREEMPT_RT
/* RT_PART of stable/src/locks.rs. */
static_assert(offsetof(struct rwbase_rt, rtmutex) == 8);
#endif
/* The offset in a dentry of the link by which its inode's names are found. */
#ifdef for_each_alias
const u32 kapi_dentry_alias = offsetof(struct dentry, d_alias);
#else
const u32 kapi_dentry_alias = offsetof(struct dentry, d_u.d_alias);
#endif
/* The directories of a process. */
const u32 kapi_fs_root = offsetof(struct fs_struct, root);
const u32 kapi_fs_pwd = offsetof(struct fs_struct, pwd);
const u32 kapi_bdev_submits_bios = BD_HAS_SUBMIT_BIO;
/* _nr_pages holds the number of pages only if this is set. */
const u64 kapi_folio_is_large = BIT_ULL(PG_head);

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
