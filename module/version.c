// SPDX-License-Identifier: GPL-2.0
/*
 * The module's version, which /sys/module/dtrace/version shows. The command compares it with its
 * own version. The kernel's module! macro cannot set a version.
 */
#include <linux/module.h>

MODULE_VERSION(DTRACE_RS_VERSION);
