/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: END runs once, last, all its clauses. */
#pragma D option quiet
BEGIN { printf("first\n"); exit(0); }
END { printf("last\n"); }
END { printf("very last\n"); exit(0); }
