/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(18446744073709551616); }
