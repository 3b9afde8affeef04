/* SPDX-License-Identifier: GPL-2.0 */
struct only_a_name; BEGIN { trace(*(struct only_a_name *)arg0); }
