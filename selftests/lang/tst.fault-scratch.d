/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: scratch memory ends; what was allocated by earlier clauses is free again. */
#pragma D option quiet
BEGIN { alloca(100000000); }
BEGIN { alloca(-1); }
BEGIN { this->p = (char *)alloca(1000); this->p[999] = 7; printf("7 is 7: %d\n", this->p[999]); }
BEGIN { this->p = (char *)alloca(1000); this->p[999] = 8; printf("8 is 8: %d\n", this->p[999]); exit(0); }
