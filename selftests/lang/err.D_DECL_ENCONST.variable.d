/* SPDX-License-Identifier: GPL-2.0 */
enum e { A = pid }; BEGIN { }
