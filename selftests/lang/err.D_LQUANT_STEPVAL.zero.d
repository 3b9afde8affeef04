/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { @ = lquantize(1, 0, 10, 0); }
