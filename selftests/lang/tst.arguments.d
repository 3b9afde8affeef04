/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: BEGIN has no arguments: arg0 to arg9 are 0. */
#pragma D option quiet
BEGIN { printf("0 is 0: %d\n", arg0 | arg1 | arg2 | arg3 | arg4 | arg5 | arg6 | arg7 | arg8 | arg9); exit(0); }
