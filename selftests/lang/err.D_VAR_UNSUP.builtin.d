/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(vmregs[0]); }
