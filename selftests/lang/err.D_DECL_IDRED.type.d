/* SPDX-License-Identifier: GPL-2.0 */
int x;
string x;
BEGIN { }
