/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a pointer to pointers: what create_pipe_files puts into its two places. */
/* TRIGGER: sh -c "true | true" */
#pragma D option quiet
fbt::create_pipe_files:entry
/pid == $target/
{
	self->ends = args[0];
}
fbt::create_pipe_files:return
/self->ends/
{
	printf("%d %d\n", (*self->ends)->f_flags & 3, self->ends[1]->f_flags & 3);
	self->ends = 0;
}
