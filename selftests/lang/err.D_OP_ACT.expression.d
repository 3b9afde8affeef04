/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { x = trace(1); }
