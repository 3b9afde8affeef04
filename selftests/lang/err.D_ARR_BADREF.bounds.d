/* SPDX-License-Identifier: GPL-2.0 */
int a[3];
BEGIN { a[3] = 1; }
