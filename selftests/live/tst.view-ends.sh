# SPDX-License-Identifier: GPL-2.0
# ASSERTION: The live view stops and continues as a job, writes the program's text to a file, ends when its terminal disappears, survives a tiny one, and uses only the colours and characters that the terminal has.
# SECONDS: 240
. /src/selftests/lib/sh
. /src/selftests/live/terminal
driver hworld
users() { awk '$1 == "dtrace" { print $3 }' /proc/modules; }
before=$(users)
terminal
cat >/tmp/view.d <<'D'
hworld:::entry { @calls[probefunc] = count(); @sizes[probefunc] = quantize(arg0); printf("called %s\n", probefunc); }
END { printf("ended\n"); }
D
view="dtrace -q -T -x snaprate=200ms -s /tmp/view.d"
begin() { keys "clear; $*" Enter; await 'Nothing was lost'; }
alternate() { mux display-message -p '#{alternate_on}'; }
gone() { ! pgrep -x dtrace >/dev/null; }
end() { keys q; until_ok gone; keys C-u; }
call() { cat /proc/hello-world >/dev/null; }

# As a job of the shell: the terminal is the shell's meanwhile, and tracing goes on.
begin "$view"
expect "the view's screen" "$(alternate)" 1
keys C-z; await 'Stopped'
expect "the shell's screen while it is stopped" "$(alternate)" 0
keys 'stty -a | grep -o -- "[-]*icanon"' Enter; await '^icanon$'
call
keys fg Enter; await '^open1 +1 '
expect "the view's screen again" "$(alternate)" 1
keys q; await '^ended$'; until_ok gone

# Into a file: the program's text and its aggregations, which the terminal does not repeat.
rm -f /tmp/view.txt
begin "$view -o /tmp/view.txt"
call; await '^open1 +1 '
end; keys "clear; echo over" Enter; await '^over'
for line in '^called open1$' '^ended$' '^ +open1 +1$'; do grep -qE "$line" /tmp/view.txt || { cat /tmp/view.txt; fail "the file lacks $line"; }; done
seen '^ended$' && fail "the terminal repeats the file"

# Too small, and large again.
begin "$view"
call; await '^open1 +1 '
mux resize-window -x 20 -y 5; await 'small|too|40'
mux capture-pane -p | awk 'length($0) > 20 { exit 1 }' || fail "a line is too long"
mux resize-window -x 80 -y 24; await '^open1 +1 '
end

# Colours and characters. A screen with escapes tells which were used.
coloured() { mux capture-pane -e -p >/tmp/coloured; }
shows() { coloured; grep -qaE -- "$1" /tmp/coloured; }
distribution() { # ENVIRONMENT
	begin "env -u COLORTERM -u NO_COLOR $1 $view"
	call; await '^open1 +1 '
	keys 2; await '@sizes all'
	call
}
esc=$(printf '\033')
distribution 'TERM=xterm-256color COLORTERM=truecolor'; until_ok shows "$esc\\[[0-9;]*[34]8;2;"; end
distribution 'TERM=xterm-256color'; until_ok shows "$esc\\[[0-9;]*[34]8;5;"; grep -qa "[34]8;2;" /tmp/coloured && fail "256 colours: there are more"; end
distribution 'TERM=xterm'; until_ok shows "$esc\\[[0-9;]*[34]8;5;1m"; grep -qaE "[34]8;(2|5;(1[6-9]|[2-9][0-9]|[0-9]{3}))" /tmp/coloured && fail "16 colours: there are more"; end
distribution 'TERM=xterm NO_COLOR=1'; coloured; grep -qaE "[34]8;[25];|$esc\\[[0-9;]*[349][0-7]m" /tmp/coloured && fail "NO_COLOR: there are colours"; end
distribution 'TERM=xterm LANG=C LC_ALL=C'; seen "[^ -~]" && { cat /tmp/screen; fail "LANG=C: there are characters beyond ASCII"; }; end

# The terminal disappears: the consumer ends, and the module is free.
mux new-window "$view"; await 'Nothing was lost'
pgrep -x dtrace >/dev/null || fail "no consumer"
mux kill-pane; until_ok gone
free() { [ "$(users)" = "$before" ]; }
until_ok free
await '^over|ready:'
exit 0
