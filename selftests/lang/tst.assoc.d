/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: elements of associative arrays, global and of a thread: keys of numbers and strings, values too; 0 frees. */
#pragma D option quiet
int small[uint8_t, string];
BEGIN { a[1] = 10; a[2] = 20; a[-1]--; a[1] += 5; }
BEGIN { printf("15 20 -1 0: %d %d %d %d\n", a[1], a[2], a[-1], a[3]); }
BEGIN { a[1] = 0; printf("0 20: %d %d\n", a[1], a[2]); a[1] = 7; printf("7: %d\n", a[1]); }
BEGIN { b["x", 1, "y"] = "first"; b["x", 1, "yz"] = "second"; b["", 1, "xy"] = "third"; }
BEGIN { printf("first second third []: %s %s %s [%s]\n", b["x", 1, "y"], b["x", 1, "yz"], b["", 1, "xy"], b["xy", 1, ""]); }
BEGIN { b["x", 1, "y"] = "now it is a much longer text than it was before, and has to be moved to another place"; }
BEGIN { printf("%s\n", b["x", 1, "y"]); b["x", 1, "y"] = 0; printf("[]: [%s]\n", b["x", 1, "y"]); }
BEGIN { small[256 + 3, "k"] = 300; printf("0 300: %d %d\n", small[3, "k"], small[259, "k"]); }
BEGIN { self->t[execname, probename] = 1; self->t["other", "BEGIN"] = 2; this->n = "BEGIN"; }
BEGIN { printf("1 2 0: %d %d %d\n", self->t["dtrace", this->n], self->t["other", probename], self->t["", ""]); }
BEGIN { self->s[1] = "text"; self->s[2] = strjoin(self->s[1], "ure"); self->s[1] = 0; self->name = execname; }
BEGIN { printf("[] texture dtrace: [%s] %s %s\n", self->s[1], self->s[2], self->name); }
BEGIN { m[1, 2, 3, 4, 5, 6, 7, 8] = 9; m[m[1, 2, 3, 4, 5, 6, 7, 8], 2, 3, 4, 5, 6, 7, 8]++; }
BEGIN { printf("9 1: %d %d\n", m[1, 2, 3, 4, 5, 6, 7, 8], m[9, 2, 3, 4, 5, 6, 7, 8]); }
BEGIN /a[2] == 20 && b["", 1, "xy"] == "third" && !a[99]/ { printf("predicates too\n"); }
BEGIN { exit(0); }
END { printf("still 20: %d\n", a[2]); }
