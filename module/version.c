// SPDX-License-Identifier: GPL-2.0
/*
 * The module's version, which /sys/module/dtrace/version shows: the command compares it with its own. The kernel's
 * module! macro knows no version.
 */
#include <linux/module.h>

MODULE_VERSION(DTRACE_RS_VERSION);
