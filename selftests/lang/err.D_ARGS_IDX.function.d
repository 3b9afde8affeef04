/* SPDX-License-Identifier: GPL-2.0 */
fbt::vfs_read:entry { trace(args[9]); }
