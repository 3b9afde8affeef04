# SPDX-License-Identifier: GPL-2.0
# ASSERTION: however many notes a program has, and however many of one name, its probes are made soon and up to a limit; the
# others are refused with the reason.
# SECONDS: 120
. /src/selftests/lib/sh
notes() { timeout $((300 * ${SLOW:-1})) python3 /src/selftests/fasttrap/notes.py "$@"; }
# 20: a name has too many places; 22: the process has too many.
expect "one name" "$(notes 1 18000)" "1 20:9808"
expect "as many as there may be" "$(notes 2 8192)" "2"
expect "many names" "$(notes 70000 1)" "65536 22:4464"
