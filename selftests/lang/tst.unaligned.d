/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: loads and stores need no alignment. */
#pragma D option quiet
BEGIN { this->p = (char *)alloca(32); *(int64_t *)(this->p + 3) = 0x1122334455667788; }
BEGIN { this->p = (char *)alloca(32); *(int *)(this->p + 1) = 0x11223344; printf("%x %x\n", *(int *)(this->p + 1), *(short *)(this->p + 3)); }
BEGIN { this->p = (char *)alloca(32); *(int64_t *)(this->p + 3) = 0x1122334455667788; printf("%x\n", *(int64_t *)(this->p + 3)); exit(0); }
