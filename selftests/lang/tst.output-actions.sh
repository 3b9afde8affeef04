# SPDX-License-Identifier: GPL-2.0
# ASSERTION: system() runs a command between the lines before and after it; freopen() sends output elsewhere and back;
# ftruncate() empties the file that it goes to; a file that cannot be opened is told, and tracing goes on.
. /src/selftests/lib/sh
cd /tmp || exit 1
echo old >/tmp/re1
dtrace -wqn 'BEGIN { printf("before\n"); system("echo %s %d", "in between", 3); printf("after\n");
	freopen("/tmp/re%d", 1); printf("in the file\n"); freopen(""); printf("back\n");
	freopen("/nonexistent/file"); printf("still here\n"); exit(0); }' >/tmp/o 2>/tmp/e || fail "dtrace: $(cat /tmp/e)"
expect output "$(tr '\n' ' ' </tmp/o)" "before in between 3 after back still here  "
expect "the file" "$(tr '\n' ' ' </tmp/re1)" "old in the file "
grep -q '^dtrace: freopen("/nonexistent/file"): ' /tmp/e || fail "said: $(cat /tmp/e)"
rm -f /tmp/to
dtrace -o /tmp/to -qn 'BEGIN { printf("gone\n"); ftruncate(); printf("stays\n"); exit(0); }' || fail "ftruncate"
expect "the file of -o" "$(head -1 /tmp/to)" stays
dtrace -qn 'BEGIN { system("echo no"); exit(0); }' >/tmp/o 2>&1 && fail "ran without -w"
grep -q 'destructive actions not allowed' /tmp/o || fail "said: $(cat /tmp/o)"
exit 0
