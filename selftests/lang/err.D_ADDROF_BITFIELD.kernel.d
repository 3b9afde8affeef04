/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(&((struct task_struct *)arg0)->in_execve); }
