/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: an argument of an enum is a number, and the enum's constants have names. */
/* TRIGGER: sh -c "trap : USR1; kill -USR1 $$" */
#pragma D option quiet
fbt::do_send_sig_info:entry
/pid == $target && args[0] == 10/
{
	printf("%d %d %d\n", args[3] == PIDTYPE_TGID, args[3] == PIDTYPE_PID, args[2]->pid == pid);
}
