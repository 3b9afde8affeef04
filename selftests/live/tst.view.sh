# SPDX-License-Identifier: GPL-2.0
# ASSERTION: dtrace -T shows exact counts, takes keys, follows the terminal's size, and gives the terminal back however it ends; without a terminal it is plain text.
# SECONDS: 180
. /src/selftests/lib/sh
. /src/selftests/live/terminal
driver hworld
terminal
cat >/tmp/view.d <<'D'
hworld:::entry { @calls[probefunc] = count(); @sizes[probefunc] = quantize(arg0); printf("called %s\n", probefunc); }
END { printf("ended\n"); }
D
is_normal() { expect "the alternate screen" "$(mux display-message -p '#{alternate_on}')" 0; }
is_normal
run() { keys "clear; dtrace -q -x snaprate=200ms $* -s /tmp/view.d; stty -a | grep -o -- '[-]*icanon'; echo status \$?" Enter; }
ended() { await '^icanon$'; is_normal; keys clear Enter; await '^ready:$'; }

run -T
await 'Nothing was lost'
for n in 1 2 3; do cat /proc/hello-world >/dev/null; done
await '^open1 +3 '
await '^called open1$'
await '^ *1 @calls  *2 @sizes '
await 'dtrace uses [0-9.]+ % of a CPU'
keys 2; await '@sizes all [0-9]+ rows'; await 'since start'
keys 1; keys / open Enter; await '/open/ '; seen '^read1' && fail "the filter shows all"
keys Space; await PAUSED; cat /proc/hello-world >/dev/null
keys '?'; await 'Press any key'; keys x; keys Space; await '^open1 +4 '
mux resize-window -x 100 -y 30; await '^.{99}[^ ]?$'; await '^open1 +4 '
rm -f dtrace-1.* ~/dtrace-1.*
keys w j; await 'Wrote dtrace-1.json'
keys C-z; await 'Stopped'; is_normal; keys 'fg' Enter; await '^open1 +4 '
keys q; await '^ended$'; await '^ +open1 +4$'; keys clear Enter
keys 'mv dtrace-1.json /tmp/saved.json' Enter; until_ok test -e /tmp/saved.json
dtrace --render /tmp/saved.json -x oformat=html -o /tmp/page.html || fail "the file is no recording"
grep -q open1 /tmp/page.html || fail "the file has no rows"

# Each other end: a key, a signal, exit(), a command that ends and whose output is in the view.
run -T; await 'Nothing was lost'; keys C-c; await '^ended$'; ended
run -T; await 'Nothing was lost'; pkill -TERM -x dtrace; await '^ended$'; ended
run -T -n "'tick-1s { exit(0); }'"; await '^ended$'; ended
run -T -c "'sh -c \"sleep 1; echo said; echo more >&2; sleep 1\"'"; await '^said$'; await '^more$'; await '^ended$'; ended

# The program's text goes to the file of -o, and not to the terminal.
run -T -o /tmp/file; await 'Nothing was lost'; cat /proc/hello-world >/dev/null; await '^called open1$'; keys q; ended
expect "the file" "$(grep -c -e '^called open1$' -e '^ended$' -e '^ *open1 *1$' /tmp/file)" 3

# A terminal that goes away ends the tracing.
mux new-window -n other 'dtrace -T -s /tmp/view.d'; await 'Nothing was lost'; mux kill-window -t other
until_ok sh -c '! pgrep -x dtrace'

# Without a terminal, or on one that cannot be drawn on, it is as without the option.
dtrace -qT -n 'BEGIN { printf("plain\n"); @ = count(); exit(0); }' >/tmp/with || fail "no terminal"
dtrace -q -n 'BEGIN { printf("plain\n"); @ = count(); exit(0); }' >/tmp/without
cmp /tmp/with /tmp/without || fail "$(cat /tmp/with)"
keys "clear; TERM=dumb dtrace -qT -n 'BEGIN { printf(\"dull\"); exit(0); }'" Enter; await '^dull'
dtrace -T -x oformat=json -n BEGIN 2>/tmp/err; expect "with JSON: status" $? 2
