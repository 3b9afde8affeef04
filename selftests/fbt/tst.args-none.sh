# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: a function that BTF does not describe has plain numbers as args[], and who takes one for more is told why.
. /src/selftests/lib/sh
clone=$(dtrace -ln 'fbt:vmlinux:*.isra.0:entry' | awk 'NR == 2 { print $4 }')
[ -n "$clone" ] || fail "no clone to ask about"
dtrace -q -n "fbt:vmlinux:$clone:entry { trace(args[0]); } BEGIN { exit(0); }" >/dev/null || fail "args[0] as a number"
said=$(dtrace -x errtags -e -n "fbt:vmlinux:$clone:entry { trace(args[0]->x); }" 2>&1) && fail "compiled"
case $said in
*D_OP_PTR*"args[] of fbt:vmlinux:$clone:entry have no types: the compiler changed it"*) ;;
*) fail "said: $said" ;;
esac
expect "-lv" "$(dtrace -lvn "fbt:vmlinux:$clone:entry" | sed -n '/Argument Types/{n;p}')" "$(printf '\t\tNone')"
