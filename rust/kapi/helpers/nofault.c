// SPDX-License-Identifier: GPL-2.0
/*
 * Loads from addresses that nobody vouches for. The kernel's *_nofault copies survive an unmapped
 * page and refuse addresses that are not canonical, but they do not refuse device memory, where a
 * mere load may change the device. A kernel page that is not mapped write-back is taken for device
 * memory, and refused.
 */
#include <linux/efi.h>
#include <linux/ioport.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <asm/e820/types.h>
#include <asm/pgtable.h>
#include "kapi.h"

/*
 * Most loads of probes are from memory that the kernel had at boot, in the direct map. Only what
 * the kernel calls RAM is read without a look at its mapping: the direct map has more. Below the
 * first megabyte it has a hole, mapped write-back, that is the display's. It has registers of
 * devices, uncached, if their driver lends them to other devices (MEMORY_DEVICE_PCI_P2PDMA in
 * mm/memremap.c). Such registers lie below the end of memory, or behind it: lending them raises
 * high_memory. RAM found here stays RAM: firmware keeps the windows of buses apart from those of memory, and removed
 * memory has no mapping. The mapping of memory that is added later is looked at. Pages that the machine's
 * owner has taken away (a balloon, a page with errors) keep their mapping: a tracer who reads such an address
 * by itself gets what the host gives, as by a load of BPF.
 */
static struct kapi_ram {
	u64 base, size;
} kapi_ram[4];

static int kapi_ram_add(struct resource *res, void *unused)
{
	struct kapi_ram new = { (unsigned long)__va(res->start), resource_size(res) };
	int i;

	/* The largest first. */
	for (i = 0; i < ARRAY_SIZE(kapi_ram); i++) {
		if (new.size > kapi_ram[i].size)
			swap(new, kapi_ram[i]);
	}
	return 0;
}

/*
 * RAM that a confidential guest has not accepted yet is in the direct map, and a load from there ends
 * the guest: no exception handler helps (arch/x86/coco/tdx/tdx.c). The kernel accepts a unit before
 * it clears the unit's bit (drivers/firmware/efi/unaccepted_memory.c). NULL: there is no such RAM.
 */
static const struct efi_unaccepted_memory *kapi_unaccepted;

static notrace bool kapi_is_accepted(u64 addr, size_t len)
{
	const struct efi_unaccepted_memory *all = kapi_unaccepted;
	u64 at, end;

	/* Memory that is mapped elsewhere was allocated, so it is accepted. */
	if (!all || !len || addr < PAGE_OFFSET || addr >= (unsigned long)high_memory)
		return true;
	at = addr - PAGE_OFFSET;
	end = at + len - 1;
	if (end < all->phys_base)
		return true;
	at = max(at, all->phys_base) - all->phys_base;
	end -= all->phys_base;
	for (at /= all->unit_size, end /= all->unit_size; at <= end && at / BITS_PER_BYTE < all->size; at++)
		if (test_bit(at, all->bitmap))
			return false;
	return true;
}

/* Called before anything is read. */
void kapi_nofault_init(void)
{
	/* Then each load takes the way that looks. */
	if (IS_ENABLED(CONFIG_UNACCEPTED_MEMORY) && efi.unaccepted != EFI_INVALID_TABLE_ADDR) {
		kapi_unaccepted = __va(efi.unaccepted);
		return;
	}
	walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_SYSTEM_RAM | IORESOURCE_BUSY, 0, -1, NULL, kapi_ram_add);
}

static notrace bool kapi_is_ram(u64 addr, size_t len)
{
	const struct kapi_ram *ram;

	for (ram = kapi_ram; ram < kapi_ram + ARRAY_SIZE(kapi_ram); ram++) {
		/* No sum can overflow. */
		if (addr >= ram->base && addr - ram->base < ram->size && len <= ram->size - (addr - ram->base))
			return true;
	}
	return false;
}

/* The part of the direct map that is mapped as memory but is none. */
static notrace bool kapi_isa_hole(u64 addr, size_t len)
{
	return addr < PAGE_OFFSET + ISA_END_ADDRESS && addr + len > PAGE_OFFSET + ISA_START_ADDRESS;
}

/* Most loads read one number. The kernel's own function is 40 instructions longer. */
static __always_inline int kapi_read_number(void *to, const void *from, size_t len)
{
	int err = 0;

	pagefault_disable();
	switch (len) {
	case 1:
		__get_kernel_nofault(to, from, u8, fault);
		break;
	case 2:
		__get_kernel_nofault(to, from, u16, fault);
		break;
	case 4:
		__get_kernel_nofault(to, from, u32, fault);
		break;
	case 8:
		__get_kernel_nofault(to, from, u64, fault);
		break;
	default:
fault:
		err = -EFAULT;
	}
	pagefault_enable();
	return err;
}

/*
 * Tells whether a page is mapped write-back, if it is mapped. The tables may be freed meanwhile: unplugged memory loses
 * them before they are unlinked, and a processor with INVLPGB sends no interrupt to wait for us. So each entry is read
 * as carefully as what the caller wants to read, and a table is memory of the kernel's own.
 */
static notrace bool kapi_cached(u64 addr)
{
	unsigned long table = (unsigned long)__va(read_cr3_pa());
	unsigned int shift;
	pteval_t entry;
	u64 at;

	for (shift = pgtable_l5_enabled() ? 48 : 39; ; shift -= 9) {
		at = table + ((addr >> shift) % PTRS_PER_PTE) * sizeof(entry);
		if (at >= (unsigned long)high_memory || kapi_read_number(&entry, (const void *)at, sizeof(entry)))
			return false;
		if (!(entry & _PAGE_PRESENT))
			return false;
		if (shift == PAGE_SHIFT)
			return !(entry & (_PAGE_PWT | _PAGE_PCD | _PAGE_PAT));
		if (shift <= PUD_SHIFT && (entry & _PAGE_PSE))
			return !(entry & (_PAGE_PWT | _PAGE_PCD | _PAGE_PAT_LARGE));
		table = (unsigned long)__va(entry & PTE_PFN_MASK);
	}
}

notrace int kapi_read_kernel(void *to, u64 addr, size_t len)
{
	u64 page;

	if (addr + len < addr || addr < TASK_SIZE_MAX)
		return -EFAULT;
	if (kapi_is_ram(addr, len)) {
		if (len <= 8 && is_power_of_2(len))
			return kapi_read_number(to, (const void *)(unsigned long)addr, len);
	} else {
		/* Before the walk, which ignores the bits above the page tables' reach. */
		if (!__is_canonical_address(addr, boot_cpu_data.x86_virt_bits) || kapi_isa_hole(addr, len) ||
		    !kapi_is_accepted(addr, len))
			return -EFAULT;
		for (page = addr & PAGE_MASK; page < addr + len; page += PAGE_SIZE) {
			if (!kapi_cached(page))
				return -EFAULT;
			if (page + PAGE_SIZE < page)
				break;
		}
	}
	return copy_from_kernel_nofault(to, (const void *)(unsigned long)addr, len) ? -EFAULT : 0;
}
NOKPROBE_SYMBOL(kapi_read_kernel);

notrace int kapi_read_user(void *to, u64 addr, size_t len)
{
	return copy_from_user_nofault(to, (const void __user *)(unsigned long)addr, len) ? -EFAULT : 0;
}
NOKPROBE_SYMBOL(kapi_read_user);

/*
 * Only the load checks whether the page tables in use are the process's: not so in a kernel thread.
 */
notrace int kapi_write_user(u64 addr, const void *from, size_t len)
{
	u8 first;

	if (kapi_read_user(&first, addr, 1))
		return -EFAULT;
	return copy_to_user_nofault((void __user *)(unsigned long)addr, from, len) ? -EFAULT : 0;
}
NOKPROBE_SYMBOL(kapi_write_user);
