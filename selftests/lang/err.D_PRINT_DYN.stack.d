/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { print(stack()); }
