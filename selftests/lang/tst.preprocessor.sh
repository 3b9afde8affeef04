# SPDX-License-Identifier: GPL-2.0
# ASSERTION: #!/usr/sbin/dtrace -Cs runs cpp over a script with its arguments; -D -U -I -H reach it; -v tells stability, -x setenv and -B work.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1
path=$(command -v dtrace)
mkdir inc
printf '#define GREETING "hello"\n' >beside.h
printf '#define NUMBER 6\n' >inc/number.h
cat >script.d <<EOF
#!$path -qCs
#include "beside.h"
#ifdef FAR
#include <number.h>
#else
#define NUMBER 7
#endif
BEGIN
{
	printf("%s %s %d\n", GREETING, \$\$1, NUMBER * \$2);
	exit(NUMBER);
}
EOF
chmod +x script.d
expect "#!" "$(cd / && "$OLDPWD/script.d" you 6)" "hello you 42"
./script.d you 1 >/dev/null; expect "status" $? 7
expect "-D -I" "$(dtrace -qC -D FAR -I inc -s script.d you 2)" "hello you 12"
expect "-x define" "$(dtrace -q -x cpp -x define=FAR -x incdir=inc -s script.d you 2)" "hello you 12"
expect "-U" "$(dtrace -qC -D FAR -U FAR -s script.d you 2)" "hello you 14"
expect "-H" "$(dtrace -qC -H -s script.d you 2 2>&1 >/dev/null | head -1)" ". beside.h"
printf 'syscall::read:entry\n{\n\ttrace(MISSING);\n}\n' >bad.d
expect "its line" "$(dtrace -C -s bad.d 2>&1 | head -1)" "dtrace: failed to compile script bad.d: line 3: failed to resolve MISSING: Unknown variable name"
expect "no cpp" "$(PATH=$(dirname "$path") dtrace -C -x cpppath=nocpp -s bad.d 2>&1 | cut -d: -f1-3)" "dtrace: failed to preprocess bad.d: there is no 'nocpp'"
expect "-v" "$(dtrace -qv -n 'fbt::vfs_read:entry { trace(args[0]); } BEGIN { exit(0); }' | tr -d '\t\n')" \
	"Stability attributes for description fbt::vfs_read:entry :Minimum Probe Description AttributesIdentifier Names: PrivateData Semantics:   PrivateDependency Class: UnknownMinimum Statement AttributesIdentifier Names: PrivateData Semantics:   PrivateDependency Class: ISA"
expect "-x setenv" "$(dtrace -q -B -x setenv=WORD=found -n BEGIN -c 'sh -c "echo \$WORD"')" "found"
expect "-x unsetenv" "$(WORD=lost dtrace -q -x unsetenv=WORD -n BEGIN -c 'sh -c "echo [\$WORD]"')" "[]"
dtrace -q -x explain=D_SYNTAX | grep -q '^# D_SYNTAX' || fail "explain"
