/* SPDX-License-Identifier: GPL-2.0 */
#pragma D option nosuch
BEGIN { }
