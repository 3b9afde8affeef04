/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a write beyond what alloca gave is a fault. */
#pragma D option quiet
BEGIN { this->p = (char *)alloca(8); this->p[7] = 1; printf("in bounds\n"); }
BEGIN { this->p = (char *)alloca(8); this->p[1000000] = 1; printf("never\n"); }
BEGIN { exit(0); }
