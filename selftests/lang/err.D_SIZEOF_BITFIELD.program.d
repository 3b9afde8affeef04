/* SPDX-License-Identifier: GPL-2.0 */
struct s { int x : 3; }; BEGIN { trace(sizeof (((struct s *)arg0)->x)); }
