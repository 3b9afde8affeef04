/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a bit field is read by itself: an exec passes its point of no return between these two. */
/* TRIGGER: sh -c "/bin/true; :" */
#pragma D option quiet
fbt::begin_new_exec:entry,
fbt::setup_new_exec:entry
/stringof(args[0]->filename) == "/bin/true"/
{
	printf("%s %d %d\n", probefunc, args[0]->point_of_no_return, args[0]->have_execfd);
}
