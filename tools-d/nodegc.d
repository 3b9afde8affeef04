#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nodegc: print the garbage collections of a Node.js program
 *
 * Node.js has had no probes since version 19, so this tool traces a function of V8 that every collection calls. minor
 * collections look at new objects only; major ones look at all.
 *
 * process: required
 * needs: The program must be Node.js with the symbols of V8, as Debian's nodejs is (in libnode.so).
 * overhead: Two probes fire at each collection.
 * example:
 *   # nodegc -p 1653
 *   PID     KIND    TIME(us)
 *   1653    minor       1036
 */
BEGIN
{
	printf("%-7s %-5s %10s\n", "PID", "KIND", "TIME(us)");
}

/* v8::internal::Heap::PerformGarbageCollection(GarbageCollector, ...); arg0 is the heap. Its parts may call it again. */
pid$target::_ZN2v88internal4Heap24PerformGarbageCollectionE*:entry
/!self->begun/
{
	self->is_major = (int)arg1 == 1;
	self->begun = timestamp;
}

pid$target::_ZN2v88internal4Heap24PerformGarbageCollectionE*:return
/self->begun/
{
	printf("%-7d %-5s %10d\n", pid, self->is_major ? "major" : "minor", (timestamp - self->begun) / 1000);
	self->begun = 0;
	self->is_major = 0;
}
