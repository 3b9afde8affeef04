/* SPDX-License-Identifier: GPL-2.0 */
provider mine { probe go(struct sock *s) : (psinfo_t *p); };
BEGIN { exit(0); }
