/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(*(struct no_such_thing *)arg0); }
