/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(xlate <psinfo_t> (pid).pr_pid); }
