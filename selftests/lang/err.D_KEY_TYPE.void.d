/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { @a[bcopy(NULL, NULL, 0)] = count(); }
