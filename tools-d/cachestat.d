#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cachestat: show how many reads of files the page cache answers
 *
 * A read misses if the kernel must add a page to the page cache for it. HIT% is the share of the reads that did
 * not miss. ADDED counts all pages that were added, also by writes, and DIRTIED the pages that a write made
 * dirty.
 *
 * options:
 *   $1 [INTERVAL] = 1  seconds between lines
 *   $2 [COUNT] = 0     end after so many lines; 0: never
 * overhead: Probes fire at each read of a file. Measure it before you run it for hours on a busy file server.
 * example:
 *   # cachestat
 *        READS   HIT%      ADDED    DIRTIED
 *           67     91        140          0
 *        READS   HIT%      ADDED    DIRTIED
 *            0      0          0          0
 */
fbt:vmlinux:filemap_read:entry
{
	self->is_on = 1;
	self->missed = 0;
}

sdt:vmlinux::mm_filemap_add_to_page_cache
{
	self->missed = 1;
	@added = count();
}

fbt:vmlinux:filemap_read:return
/self->is_on/
{
	@reads = count();
	@hits = avg(self->missed ? 0 : 100);
	self->is_on = 0;
	self->missed = 0;
}

sdt:vmlinux::writeback_dirty_folio
{
	@dirtied = count();
}

tick-${1}s,
END
{
	printf("%10s %6s %10s %10s\n", "READS", "HIT%", "ADDED", "DIRTIED");
	printa("%@10d %@6d %@10d %@10d\n", @reads, @hits, @added, @dirtied);
	clear(@reads);
	clear(@hits);
	clear(@added);
	clear(@dirtied);
}

tick-${1}s
/$2 && ++lines >= $2/
{
	exit(0);
}
