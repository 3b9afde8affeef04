# SPDX-License-Identifier: GPL-2.0
# ASSERTION: $1 $$1 $0, $pid and its kin, $target; what is missing or too much is an error unless -x defaultargs.
. /src/selftests/lib/sh
q() { dtrace -q "$@"; }
expect '$1' "$(q -n 'BEGIN { printf("%d %d %x", $1, $2 + 1, $3); exit(0); }' 42 -7 0x1f)" "42 -6 1f"
expect '$$1' "$(q -n 'BEGIN { printf("%s|%s|%d", $$1, $$2, strlen($$1)); exit(0); }' 'two words' 42)" "two words|42|9"
expect 'in a predicate' "$(q -n 'BEGIN /$1 == 5/ { printf("yes"); } BEGIN { exit(0); }' 5)" "yes"
expect 'in a probe' "$(q -n '$1:::BEGIN { printf("yes"); exit(0); }' dtrace)" "yes"
read -r a b c d e f g < <(q -n 'BEGIN { printf("%d %d %d %d %d %d %d\n", $pid == pid, $ppid, $uid, $gid, $euid, $egid, $pgid > 0); exit(0); }')
expect 'ids' "$a $b $c $d $e $f $g" "1 $$ 0 0 0 0 1"
expect '$target' "$(q -n 'BEGIN { printf("%d", $target == 0 ? -1 : 1); exit(0); }' -c true | head -1)" "1"
expect '$target of -p' "$(q -n 'BEGIN { printf("%d", $target); exit(0); }' -p $$ | head -1)" "$$"
cat >/tmp/args.d <<'D'
BEGIN { printf("%s %s %d", $$0, $$1, $2); exit(0); }
D
expect 'a script' "$(q -s /tmp/args.d one 2)" "/tmp/args.d one 2"
expect 'too few' "$(dtrace -q -n 'BEGIN { trace($1); trace($2); }' 1 2>&1 | head -1)" \
	'dtrace: invalid probe specifier BEGIN { trace($1); trace($2); }: in action list: macro argument $2 is not defined'
expect 'too many' "$(dtrace -q -x errtags -n 'BEGIN { trace($1); }' 1 2 2>&1 | head -1 | grep -o '\[D_[A-Z_]*\]')" '[D_MACRO_UNUSED]'
expect 'defaultargs' "$(q -x defaultargs -n 'BEGIN { printf("%d [%s]", $1, $$2); exit(0); }')" "0 []"
expect 'unknown' "$(dtrace -x errtags -n 'BEGIN { trace($nosuch); }' 2>&1 | head -1 | grep -o '\[D_[A-Z_]*\]')" '[D_MACRO_UNDEF]'
