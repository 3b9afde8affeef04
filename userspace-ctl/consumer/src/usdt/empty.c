// SPDX-License-Identifier: GPL-2.0
/* `dtrace -G` writes this for a program without providers; build systems test for -G that way. */
