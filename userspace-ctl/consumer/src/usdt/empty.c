// SPDX-License-Identifier: GPL-2.0
/* What `dtrace -G` writes for a program that declares no provider: build systems ask so whether there is a -G. */
