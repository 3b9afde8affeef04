/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { printf("%d %d", 1); }
