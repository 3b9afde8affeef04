# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a script with #! runs as a command, with options in its first line, #pragma options, arguments; - reads stdin.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1
path=$(command -v dtrace)
printf '#!%s -qs\n\nBEGIN\n{\n\tprintf("%%s has %%d\\n", $$1, $2);\n\texit($2);\n}\n' "$path" >script.d
chmod +x script.d
expect "output" "$(./script.d 'the answer' 42)" "the answer has 42"
./script.d x 7 >/dev/null; expect "status" $? 7
printf '#pragma D option quiet\n#pragma D option strsize=8\nBEGIN { printf("[%%s]\\n", strjoin("12345", "67890")); exit(0); }' >pragma.d
expect "pragma" "$(dtrace -s pragma.d 2>&1)" "[1234567]"
expect "the command line wins" "$(dtrace -x strsize=16 -s pragma.d 2>&1)" "[1234567890]"
expect "stdin" "$(echo 'BEGIN { printf("from stdin"); exit(0); }' | dtrace -q -s - 2>&1)" "from stdin"
printf 'BEGIN { printf("script "); }' >a.d
expect "with -n" "$(dtrace -q -s a.d -n 'BEGIN { printf("and text"); exit(0); }')" "script and text"
printf '#!/usr/sbin/dtrace -s\n/* comment */\nBEGIN\n{\n\ttrace(nosuch);\n\texit(0);\n}\n' >bad.d
dtrace -s bad.d 2>&1
dtrace -e -s script.d x 1 || fail "-e"
