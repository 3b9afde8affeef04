# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -l lists what matches, in columns; -lv tells stability and arguments; a list of descriptions gives each probe once.
. /src/selftests/lib/sh
dtrace -l -P dtrace
dtrace -l -n BEGIN -n 'dtrace:::' -i 2
dtrace -lv -n BEGIN
driver hworld
expect "columns" "$(dtrace -l -P hworld | sed -E '1d; s,^ *[0-9]+,,' | sort)" "     hworld       open_module                             open1 entry
     hworld       open_module                             open1 return
     hworld       read_module                             read1 entry
     hworld       read_module                             read1 return"
expect "a predicate and a body do not matter" "$(dtrace -l -n 'BEGIN /pid == 3/ { trace(1); }' | wc -l)" 2
dtrace -lv -n hworld::read1:entry | grep -q 'args\[1\]' || fail "no arguments: $(dtrace -lv -n hworld::read1:entry)"
