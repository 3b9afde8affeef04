/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ASSERTION: what a clause records with tracemem(), copyin() can read, however small strsize is.
 * TRIGGER: dd if=/dev/zero of=/dev/null bs=8192 count=1 status=none
 */
#pragma D option quiet
syscall::write:entry
/pid == $target && arg2 >= 8192 && !n++/
{
	tracemem(copyin(arg1, 8192), 8192, 4);
}
END
{
	printf("%d", n > 0);
}
