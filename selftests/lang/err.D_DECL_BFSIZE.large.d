/* SPDX-License-Identifier: GPL-2.0 */
struct s { int x : 33; }; BEGIN { }
