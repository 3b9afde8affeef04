# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the exit status is exit()'s, 1 after errors, 2 after misuse, 0 otherwise.
. /src/selftests/lib/sh
status() { dtrace "$@" >/dev/null 2>&1; echo $?; }
expect "exit(0)" "$(status -n 'BEGIN { exit(0); }')" 0
expect "exit(3)" "$(status -n 'BEGIN { exit(3); }')" 3
expect "exit(255)" "$(status -n 'BEGIN { exit(255); }')" 255
expect "exit(256)" "$(status -n 'BEGIN { exit(256); }')" 0
expect "exit(-1)" "$(status -n 'BEGIN { exit(-1); }')" 255
expect "a variable" "$(status -n 'BEGIN { n = 40; exit(n + 2); }')" 42
expect "the last exit" "$(status -n 'BEGIN { exit(4); } END { exit(5); }')" 5
expect "exit in END" "$(status -n 'BEGIN { n = 1; } END { exit(5); }' -c true)" 5
expect "a command's end" "$(status -n BEGIN -c false)" 0
expect "a fault" "$(status -n 'BEGIN { trace(*(int *)0); } BEGIN { exit(0); }')" 0
expect "a compile error" "$(status -n 'BEGIN { x }')" 1
expect "no such probe" "$(status -n nosuch:::)" 1
expect "no such file" "$(status -s /nosuch.d)" 1
expect "no such option" "$(status -x nosuch -n BEGIN)" 1
expect "no such letter" "$(status -K)" 2
expect "nothing" "$(status)" 2
expect "not yet" "$(status -G -n BEGIN)" 2
expect "-V" "$(status -V)" 0
expect "--help" "$(status --help)" 0
expect "-l" "$(status -l)" 0
expect "-e" "$(status -e -n 'BEGIN { exit(9); }')" 0
