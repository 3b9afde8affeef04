/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(`__per_cpu_offset); }
