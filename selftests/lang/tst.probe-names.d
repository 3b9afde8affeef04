/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: what a probe knows about itself. */
#pragma D option quiet
BEGIN { printf("%s:%s:%s:%s id %d epid %d\n", probeprov, probemod, probefunc, probename, id, epid); }
BEGIN { printf("the second clause has epid %d, id %d\n", epid, id); exit(0); }
END { printf("%s:%s:%s:%s id %d epid %d\n", probeprov, probemod, probefunc, probename, id, epid); }
