/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: global variables begin as 0 and "", outlive their clause, and are seen by every clause behind. */
#pragma D option quiet
int declared; string text; uint64_t big;
BEGIN { printf("declared is 0: %d\n", declared); printf("text is []: [%s]\n", text); }
BEGIN { declared = 5; text = "first"; big = 0xffffffffffffffff; made = declared * 2; }
BEGIN { printf("declared is 5: %d\n", declared); printf("text is first: %s\n", text); }
BEGIN { printf("big is 18446744073709551615: %u\n", big); printf("made is 10: %d\n", made); }
BEGIN { text = strjoin(text, ", second"); made++; exit(0); }
END { printf("text is first, second: %s\n", text); printf("made is 11: %d\n", made); }
