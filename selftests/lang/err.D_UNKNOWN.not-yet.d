/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(*(long double *)0); }
