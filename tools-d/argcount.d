#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * argcount: count each value of an expression at a probe
 *
 * PROBES and EXPRESSION are D, so everything that D knows of the probe can be in them: arg2, 'copyinstr(arg0)',
 * 'stringof(args[0])'.
 *
 * options:
 *   $1 PROBES              descriptions of probes
 *   $2 EXPRESSION          a number or text
 *   $3 -P PREDICATE = "1"  only where this is true
 * process: optional
 * overhead: Each firing costs some hundred instructions, depending on the expression.
 * example:
 *   # argcount -P 'arg0 == 1' syscall::write:entry arg2 -c "dd if=/dev/zero of=/dev/null bs=4096 count=9 status=none"
 *   Counting values of arg2. Hit Ctrl-C to end.
 *
 *                4096                9
 */
BEGIN
{
	printf("Counting values of %s. Hit Ctrl-C to end.\n", $$2);
}

${1}
/($target == 0 || pid == $target) && (${3})/
{
	@[${2}] = count();
}
