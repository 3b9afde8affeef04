/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: what is committed is printed in order and once, what is discarded is not; one speculation serves again and again,
   and a second one is refused and counted. What comes before speculate() is done, whether or not one was free. */
#pragma D option quiet
BEGIN { this->a = speculation(); }
BEGIN { speculate(this->a); printf("first %d\n", this->a); }
BEGIN { this->b = speculation(); }
BEGIN { n++; speculate(this->b); printf("never\n"); }
BEGIN { n++; speculate(this->a); printf("second %s\n", "with text"); }
BEGIN { printf("before the commit\n"); }
BEGIN { commit(this->a); }
BEGIN { commit(this->a); }
BEGIN { speculate(this->a); printf("it is over\n"); }
BEGIN { this->a = speculation(); }
BEGIN { speculate(this->a); printf("nobody wants it\n"); }
BEGIN { discard(this->a); printf("again %d\n", this->a); }
BEGIN { this->a = speculation(); }
BEGIN { speculate(this->a); trace(*(int *)0); }
BEGIN { speculate(this->a); printf("after a fault\n"); }
BEGIN { commit(this->a); }
BEGIN { this->a = speculation(); }
BEGIN { speculate(this->a); printf("given up\n"); }
BEGIN { discard(this->a); this->a = speculation(); speculate(this->a); printf("begun anew %d\n", this->a); }
BEGIN { commit(this->a); }
BEGIN { printf("n %d\n", n); exit(0); }
