/* SPDX-License-Identifier: GPL-2.0 */
BEGIN { trace(*((struct file_operations *)arg0)->read); }
