/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: this-> variables belong to one firing and are shared by its clauses. */
#pragma D option quiet
this int n; this string s;
BEGIN { this->n = 5; this->s = "shared"; this->m = 0x100000000; }
BEGIN { printf("n is 5: %d\n", this->n); printf("s is shared: %s\n", this->s); printf("m is 4294967296: %d\n", this->m); }
BEGIN { this->n *= 2; this->s = strjoin(this->s, "!"); }
BEGIN { printf("n is 10: %d\n", this->n); printf("s is shared!: %s\n", this->s); exit(0); }
