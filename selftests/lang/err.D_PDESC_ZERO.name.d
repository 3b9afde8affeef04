/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { exit(0); }
dtrace:::BEGINN { trace(1); }
