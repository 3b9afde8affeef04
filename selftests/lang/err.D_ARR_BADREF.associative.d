/* SPDX-License-Identifier: GPL-2.0 */
int a;
BEGIN { a[1] = 2; }
