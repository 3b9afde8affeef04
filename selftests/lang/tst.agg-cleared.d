/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: clear() keeps the keys: they are printed with 0, by printa() or at the end. */
/* OPTIONS: -q -w */
BEGIN { @gone["a"] = count(); @gone["b"] = count(); @shown["c"] = count(); @stays["d"] = count(); @again["e"] = sum(3); }
BEGIN { clear(@gone); clear(@shown); printa("%s %@d\n", @shown); clear(@again); }
/* When the command runs, what stands before it was done. */
BEGIN { system("rmdir /nowhere 2>/dev/null"); }
syscall::rmdir:entry { @again["e"] = sum(2); exit(0); }
