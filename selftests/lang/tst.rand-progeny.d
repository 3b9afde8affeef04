/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: rand is not constant; progenyof knows this process's ancestors and no strangers; getmajor and getminor split a device number. */
#pragma D option quiet
BEGIN { this->a = rand(); this->b = rand(); this->c = rand(); }
BEGIN { printf("varies is 1: %d\n", this->a != this->b || this->b != this->c); }
BEGIN { printf("of 1 is 1: %d\n", progenyof(1)); printf("of itself is 1: %d\n", progenyof($pid)); }
BEGIN { printf("of its parent is 1: %d\n", progenyof($ppid)); printf("of 2 is 0: %d\n", progenyof(2)); }
BEGIN { printf("major is 8: %d\n", getmajor(0x800001)); printf("minor is 1: %d\n", getminor(0x800001)); exit(0); }
