/* SPDX-License-Identifier: GPL-2.0 */
a:b:c:d:e { }
