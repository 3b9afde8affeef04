#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * argdist: show the values of an expression at a probe, as a distribution
 *
 * PROBES and EXPRESSION are D, so everything that D knows of the probe can be in them: arg2, 'args[0]->f_pos'.
 * To count each value, also text, use argcount.
 *
 * options:
 *   $1 PROBES              descriptions of probes
 *   $2 EXPRESSION          a number
 *   $3 -P PREDICATE = "1"  only where this is true
 * process: optional
 * overhead: Each firing costs some hundred instructions, depending on the expression.
 * example:
 *   # argdist fbt::vfs_read:entry arg2 -c "dd if=/dev/zero of=/dev/null bs=4096 count=9 status=none"
 *   Tracing values of arg2. Hit Ctrl-C to end.
 *
 *              value  ------------- Distribution ------------- count
 *                256 |                                         0
 *                512 |@@@@@@@@@@                               3
 *               1024 |                                         0
 *               2048 |                                         0
 *               4096 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           9
 *               8192 |                                         0
 */
BEGIN
{
	printf("Tracing values of %s. Hit Ctrl-C to end.\n", $$2);
}

${1}
/($target == 0 || pid == $target) && (${3})/
{
	@ = quantize((int64_t)(${2}));
}
