# SPDX-License-Identifier: GPL-2.0
# ASSERTION: On a terminal, a line tells what takes long, and goes away; errors have colours; a line adds up what a run lost. Nothing of this is written to a file.
# SECONDS: 120
. /src/selftests/lib/sh
. /src/selftests/live/terminal
driver many
terminal
many="'fbt:::entry { @ = count(); } BEGIN { exit(0); }'"
types "dtrace -q -n $many >/tmp/out"
await '^dtrace: (enabling probes|arming [0-9]+ probes|compiling and .*) \.\.\.'
await '^status 0'
seen '\.\.\.' && { cat /tmp/screen; fail "the line stays"; }
eval "dtrace -q -n $many" >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
[ ! -s /tmp/err ] || fail "written to a file: $(cat /tmp/err)"

lossy="dtrace -q -b 512 -x switchrate=200ms -n 'many:main:args:one { trace(arg0); }' -o /dev/null -c 'bash -c \"for i in 1 2 3; do echo 1000 >/sys/module/many/parameters/fire; sleep 0.5; done\"'"
types "$lossy"
await '^dtrace: this run lost in all: [0-9]+ drops$'
mux capture-pane -p -S - >/tmp/screen
told=$(sed -n 's/^dtrace: \([0-9]*\) drops* on CPU [0-9]*$/\1/p' /tmp/screen | awk '{ n += $1 } END { print n + 0 }')
expect "the sum" "$(sed -n 's/^dtrace: this run lost in all: \([0-9]*\) drops$/\1/p' /tmp/screen)" "$told"
eval "$lossy" 2>/tmp/err
grep -q 'on CPU' /tmp/err || fail "no drops"
grep -q 'in all' /tmp/err && fail "written to a file: $(cat /tmp/err)"

escape=$(printf '\033')
dtrace -e -n 'BEGIN { nothing; }' 2>&1 | grep -q "$escape" && fail "colours in a pipe"
dtrace -x color=always -e -n 'BEGIN { nothing; }' 2>&1 | grep -q "$escape" || fail "no colours by -x color=always"
red() { mux capture-pane -pe | grep -q "$escape\[[0-9;]*m"; }
types "dtrace -e -n 'BEGIN { nothing; }'"; await '^status 1'; red || fail "no colours on a terminal"
types "NO_COLOR=1 dtrace -e -n 'BEGIN { nothing; }'"; await '^status 1'; red && fail "colours in spite of NO_COLOR"
types "dtrace -x color=never -e -n 'BEGIN { nothing; }'"; await '^status 1'; red && fail "colours in spite of -x color=never"
true
