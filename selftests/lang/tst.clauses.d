/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: clauses of a probe run in the order of the text, with lists of probes and globs; after exit() none of
 * this firing or a later one does, but END. */
#pragma D option quiet
BEGIN { printf("1 %s\n", probename); }
BEGIN, END { printf("2 %s\n", probename); }
dtrace:::BEGIN { printf("3 %s\n", probename); }
dtrace:::B*, dtrace:::[E]ND { printf("4 %s\n", probename); }
dtrace:::?EGIN { printf("5 %s\n", probename); }
dtrace::: /probename == "BEGIN"/ { printf("6 %s\n", probename); exit(0); printf("7 the clause ends\n"); }
BEGIN { printf("8 never\n"); }
dt*:::[!BF]ND { printf("9 %s\n", probename); }
