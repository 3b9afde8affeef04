/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(((struct task_struct *)arg0).pid); }
