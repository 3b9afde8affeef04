/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { while (1) { } }
