/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { curthread->prio = 1; }
