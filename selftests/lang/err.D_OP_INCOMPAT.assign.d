/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { s = "text"; s = 5; }
