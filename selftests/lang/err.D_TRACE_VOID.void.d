/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(bcopy(NULL, NULL, 0)); }
