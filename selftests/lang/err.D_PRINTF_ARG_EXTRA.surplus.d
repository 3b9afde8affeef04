/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { printf("%d", 1, 2); }
