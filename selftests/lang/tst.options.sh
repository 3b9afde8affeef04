# SPDX-License-Identifier: GPL-2.0
# ASSERTION: bad -x options are refused with what was expected; good ones do what they say.
. /src/selftests/lib/sh
for option in nosuch bufsiz=1m bufsize bufsize=1x bufsize=0 bufsize=8 bufsize=32g switchrate=often switchrate=0hz bufpolicy=maybe \
	quiet=perhaps strsize=1 strsize=1m errtags=2 aggsortpos=x cpp=2 amin=x stdc=z aggrows=x define explain=D_NONE cpu=x cpu=99 bufresize=always; do
	dtrace -x $option -n 'BEGIN { exit(0); }' 2>&1 && fail "-x $option is accepted"
done
for letter in A a G h; do dtrace -$letter -n BEGIN 2>&1 && fail "-$letter is accepted"; done
good() { dtrace $(printf -- '-x %s ' "$@") -n 'BEGIN { @a = count(); exit(0); }' >/tmp/out 2>&1 || fail "-x $*: $(cat /tmp/out)"; }
good quiet=yes quiet=on quiet=1 bufsize=64k aggsize=1m switchrate=10hz switchrate=10ms statusrate=1s aggrate=100ms \
	bufpolicy=switch bufpolicy=fill bufpolicy=ring cpu=0 bufresize=auto bufresize=manual temporal=no temporal=yes strsize=512 dynvarsize=64k \
	aggsortrev aggsortkey aggsortpos=0 aggsortkeypos=0 aggrows=0 stackframes=5 destructive flowindent rawbytes zdefs empty defaultargs errtags droptags
expect "strsize" "$(dtrace -q -x strsize=5 -n 'BEGIN { trace(strjoin("abc", "def")); exit(0); }')" "abcd"
expect "-b" "$(dtrace -q -b 8k -n 'BEGIN { trace("ok"); exit(0); }')" "ok"
expect "the last one wins" "$(dtrace -x quiet -x quiet=no -n 'BEGIN { exit(0); }' 2>/dev/null | head -1 | cut -c1-3)" "CPU"
driver many
expect "-x cpu" "$(for c in 0 1; do dtrace -q -x cpu=1 -n 'many:main:args:one { @[cpu] = count(); }' -c "taskset -c $c bash -c 'echo 3 >/sys/module/many/parameters/fire'"; done | tr -d '\n' | tr -s ' ')" " 1 3"
expect "rawbytes" "$(dtrace -q -x rawbytes -x strsize=8 -n 'BEGIN { trace("ab"); exit(0); }' | sed -n 3p)" "         0: 61 62 00 00 00 00 00 00                          ab......"
# Depths and places of stacks, the length of bars.
frames() { dtrace -q -x "$1" -n "BEGIN { $2(); exit(0); }" | grep -c '`'; }
for option in stackframes=2:stack:2 stackframes=0:stack:0 ustackframes=1:ustack:1 ustackframes=0:ustack:0 jstackframes=1:jstack:1 \
	jstackframes=0:jstack:0; do
	IFS=: read -r set action frames <<<"$option"
	expect "$action with $set" "$(frames "$set" "$action")" "$frames"
done
expect "stackindent" "$(dtrace -q -x stackindent=3 -x stackframes=1 -n 'BEGIN { stack(); exit(0); }' | sed -n 's/vmlinux.*/|/p')" '   |'
bar() { dtrace -q "$@" -n 'BEGIN { @ = quantize(1); } BEGIN { @ = quantize(1); } BEGIN { @ = quantize(8); exit(0); }' | sed -n 's/^ *1 |\(@*\).*/\1/p' | tr -d '\n' | wc -c; }
expect "bars" "$(bar)" 27
expect "aggzoom" "$(bar -x aggzoom)" 38
expect "zdefs" "$(dtrace -q -x zdefs -n 'fbt::no_such_function:entry { } BEGIN { trace("ok"); exit(0); }')" ok
expect "flowindent" "$(dtrace -x flowindent -n 'BEGIN { exit(0); }' 2>/dev/null | sed -n '2s/^ *[01] *//p' | tr -s ' ')" "| :BEGIN "
