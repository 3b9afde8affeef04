/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: self-> variables, numbers and strings: one per thread, unset by 0, reading an unset one is 0 or "". */
#pragma D option quiet
self int unset; self string nothing;
BEGIN { self->n = 1; self->s = "mine"; self->w = 0x1122334455667788; self->c = (char)-3; }
BEGIN { printf("n is 1: %d\n", self->n); printf("s is mine: %s\n", self->s); }
BEGIN { printf("w is 1122334455667788: %x\n", self->w); printf("c is -3: %d\n", self->c); }
BEGIN { printf("unset is 0: %d\n", self->unset); printf("nothing is []: [%s]\n", self->nothing); }
BEGIN { self->n += 41; self->n++; printf("n is 43: %d\n", self->n--); printf("then is 42: %d\n", self->n); }
BEGIN { self->n = 0; self->s = 0; }
BEGIN { printf("n is 0: %d\n", self->n); printf("s is []: [%s]\n", self->s); }
BEGIN /self->n/ { printf("never\n"); }
BEGIN { self->s = "again"; self->n = 7; exit(0); }
END /self->n/ { printf("s is again: %s\n", self->s); }
