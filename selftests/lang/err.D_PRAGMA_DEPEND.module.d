/* SPDX-License-Identifier: GPL-2.0 */
#pragma D depends_on module no_such_module
BEGIN { exit(0); }
