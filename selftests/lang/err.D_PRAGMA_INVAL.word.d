/* SPDX-License-Identifier: GPL-2.0 */
#pragma D optoin quiet
BEGIN { }
