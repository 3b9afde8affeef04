/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(arg0->pid); }
