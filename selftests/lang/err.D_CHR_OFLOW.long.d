/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace('123456789'); }
