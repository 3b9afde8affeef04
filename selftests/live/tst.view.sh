# SPDX-License-Identifier: GPL-2.0
# ASSERTION: dtrace -T shows exact counts, takes keys, follows the terminal's size, and gives the terminal back however it ends; without a terminal it is plain text.
# SECONDS: 500
. /src/selftests/lib/sh
driver hworld
export LANG=C.UTF-8 TMUX_TMPDIR=/tmp
layer=/layers/tmux/usr
mux() { LD_LIBRARY_PATH=$layer/lib/x86_64-linux-gnu timeout 30 "$layer/bin/tmux" -L live -f /dev/null "$@" </dev/null; }
screen() { mux capture-pane -p; }
seen() { screen >/tmp/screen && grep -qE -- "$1" /tmp/screen; }
# Waits for a line, and shows the screen if it does not come.
await() {
	local n
	for n in $(seq $((200 * ${SLOW:-1}))); do seen "$1" && return; sleep 0.1; done
	cat /tmp/screen; fail "the screen never had: $1"
}
keys() { mux send-keys "$@"; }
trap 'mux kill-server' EXIT
mux new-session -d -x 80 -y 24 'env PS1=ready: bash --norc' || fail "no tmux"
await '^ready:'
normal=$(mux display-message -p '#{alternate_on}')
expect "the shell's screen" "$normal" 0

cat >/tmp/view.d <<'D'
hworld:::entry { @calls[probefunc] = count(); @sizes[probefunc] = quantize(arg0); printf("called %s\n", probefunc); }
END { printf("ended\n"); }
D
run() { keys "clear; dtrace -q -x snaprate=200ms $* -s /tmp/view.d; stty -a | grep -o -- '[-]*icanon'; echo status \$?" Enter; }
ended() { await '^icanon$'; expect "the shell's screen" "$(mux display-message -p '#{alternate_on}')" 0; keys clear Enter; await '^ready:$'; }

run -T
await 'Nothing was lost'
for n in 1 2 3; do cat /proc/hello-world >/dev/null; done
await '^open1 +3 '
await '^called open1$'
await '^ *1 @calls  *2 @sizes '
await 'dtrace uses [0-9.]+ % of a CPU'
keys 2; await '@sizes all [0-9]+ rows'; await '^ *-60 s|since start'
keys 1; keys / open Enter; await '/open/ '; seen '^read1' && fail "the filter shows all"
keys Space; await PAUSED; cat /proc/hello-world >/dev/null
keys '?'; await 'Press any key'; keys x; keys Space; await '^open1 +4 '
mux resize-window -x 100 -y 30; await '^.{99}[^ ]?$'; await '^open1 +4 '
rm -f /root/dtrace-1.* /tmp/dtrace-1.*
keys w j; await 'Wrote dtrace-1.json'
keys q; await '^ended$'; await '^ +open1 +4$'; ended
f=$(ls /tmp/dtrace-1.json /root/dtrace-1.json dtrace-1.json 2>/dev/null | head -1)
dtrace --render "$f" -x oformat=html -o /tmp/page.html || fail "the file is no recording"
grep -q open1 /tmp/page.html || fail "the file has no rows"

# Each other end: a key, a signal, exit(), a command that ends and whose output is in the view.
run -T; await 'Nothing was lost'; keys C-c; await '^ended$'; ended
run -T; await 'Nothing was lost'; pkill -TERM -x dtrace; await '^ended$'; ended
run -T -n "'tick-1s { exit(0); }'"; await '^ended$'; ended
run -T -c "'sh -c \"sleep 1; echo said; echo more >&2; sleep 1\"'"; await '^said$'; await '^more$'; await '^ended$'; ended

# What is shown is exported, too; a collector that is not there does not disturb the screen.
run -T -x export=textfile:/tmp/view.prom -x export=otlp:localhost:1; await 'Nothing was lost'
cat /proc/hello-world >/dev/null; await '^open1 +1 '
until_ok grep -q '^dtrace_calls_total{probefunc="open1"} 1$' /tmp/view.prom
seen 'failed to send' && fail "a message on the screen: $(cat /tmp/screen)"
keys q; await '^ended$'; await 'failed to send to http://localhost:1: Connection refused'; ended

# Without a terminal, or one that cannot be drawn on, it is as without the option.
dtrace -qT -n 'BEGIN { printf("plain\n"); @ = count(); exit(0); }' >/tmp/with || fail "no terminal"
dtrace -q -n 'BEGIN { printf("plain\n"); @ = count(); exit(0); }' >/tmp/without
cmp /tmp/with /tmp/without || fail "$(cat /tmp/with)"
keys "clear; TERM=dumb dtrace -qT -n 'BEGIN { printf(\"dull\"); exit(0); }'" Enter; await '^dull'
dtrace -T -x oformat=json -n BEGIN 2>/tmp/err; expect "with JSON: status" $? 2
