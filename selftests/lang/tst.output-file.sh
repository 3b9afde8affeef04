# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -o takes what the program prints, appends, and leaves messages on stderr.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1
dtrace -q -o out -n 'BEGIN { printf("one\n"); exit(0); }' >stdout 2>stderr || fail "status"
expect "stdout" "$(cat stdout)" ""
expect "stderr" "$(cat stderr)" ""
dtrace -o out -q -n 'BEGIN { printf("two\n"); trace(*(int *)0); } BEGIN { printf("three\n"); @a = count(); exit(0); }' 2>stderr || fail "status"
expect "appended" "$(tr '\n' ' ' <out)" "one  three                  1 "
grep -q 'invalid address' stderr || fail "the fault is not on stderr"
dtrace -o /nosuch/out -n BEGIN 2>stderr && fail "a bad file is accepted"
expect "message" "$(cat stderr)" "dtrace: failed to open output file '/nosuch/out': No such file or directory"
