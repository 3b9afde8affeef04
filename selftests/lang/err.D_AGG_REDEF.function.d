/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { @a = count(); @a = sum(1); }
