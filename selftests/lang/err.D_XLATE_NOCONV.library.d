/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(xlate <tcpsinfo_t> ((struct sock *)arg0).tcps_iss); }
