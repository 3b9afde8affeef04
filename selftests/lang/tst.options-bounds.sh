# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every option of docs/options.md that has a number takes its least value, refuses what is below and above with its
# bounds, and takes its greatest unless that is memory; units are what they are; defaults are in force.
# SECONDS: 300
. /src/selftests/lib/sh
set_to() { dtrace -q -x "$1=$2" -n 'BEGIN { trace("ok"); exit(0); }' 2>&1; }
# Of the value, its number and its unit: one less and one more, in a smaller unit where there is one.
declare -A smaller=([g]=m [m]=k [k]= [h]=m [s]=ms [ms]=us [us]=ns)
near() {
	local number=${1%%[a-z]*} unit=${1##*[0-9]} by=1024
	case $2 in rate) by=1000; [ "$unit" = h ] && by=60;; esac
	[ -z "$unit" ] || number=$((number * by)) unit=${smaller[$unit]}
	echo "$((number + $3))$unit"
}
refused() {
	expect "$1 $2" "$(set_to "$1" "$2")" "dtrace: failed to set -x $1: $2 is out of range, it must be $3 to $4"
}
n=0
while IFS='|' read -r _ name kind _ bounds _; do
	name=$(tr -d ' `' <<<"$name") kind=$(tr -d ' ' <<<"$kind")
	read -r least to most <<<"$bounds"
	[ "$to" = to ] && [ "$name" != cpu ] || continue
	n=$((n + 1))
	case $name in
	bufsize) expect "$name=$least" "$(set_to "$name" "$least")" "dtrace: could not enable tracing: Enabling exceeds size of buffer" ;;
	*) expect "$name=$least" "$(set_to "$name" "$least" | tr -d '\0' | cut -c1-1)" o ;;
	esac
	[ "$least" = 0 ] || refused "$name" "$(near "$least" "$kind" -1)" "$least" "$most"
	refused "$name" "$(near "$most" "$kind" 1)" "$least" "$most"
	case $name in bufsize | dynvarsize | aggsize | specsize | nspec) continue;; esac
	expect "$name=$most" "$(set_to "$name" "$most")" ok
done <<<"$(sed -n '/^## At run time/,/^## When/p' /src/docs/options.md | grep '^| `')"
expect "options with bounds" "$n" 18
length() { dtrace -q "$@" -n 'BEGIN { this->s = "0123456789abcdef0123456789abcdef"; this->s = strjoin(this->s, this->s);
	this->s = strjoin(this->s, this->s); this->s = strjoin(this->s, this->s); trace(strlen(strjoin(this->s, this->s))); exit(0); }'; }
expect "default of strsize" "$(length)" 255
expect "strsize=1k" "$(length -x strsize=1k)" 512
expect "strsize=300" "$(length -x strsize=300)" 299
for rate in 1000000ns 1000us 1ms 1s 1m 1h 1000hz; do expect "switchrate=$rate" "$(set_to switchrate $rate)" ok; done
refused switchrate 1d 1ms 1h
refused aggsize 1t 1 16g
spec() { dtrace -q "$@" -n 'BEGIN { a = speculation(); b = speculation(); printf("%d %d", a != 0, b != 0); exit(0); }' 2>/dev/null; }
expect "default of nspec" "$(spec)" "1 0"
expect "nspec=2" "$(spec -x nspec=2)" "1 1"
expect "default of stackindent" "$(dtrace -q -x stackframes=1 -n 'BEGIN { stack(); exit(0); }' | sed -n 's/vmlinux.*/|/p')" "              |"
# Drops are told at statusrate while everything else waits for an hour.
early() {
	rm -f /tmp/err
	dtrace -q -x dynvarsize=4k -x switchrate=1h -x aggrate=1h -x statusrate=$1 -n 'int a[int]; syscall:::entry { a[n++] = 1; }' \
		-c "sh -c '$2'" 2>/tmp/err >/dev/null
}
early 1h 'sleep 3; cp /tmp/err /tmp/before'
expect "a slow statusrate" "$(cat /tmp/before)" ""
grep -q "dynamic variable drop" /tmp/err || fail "no drops at the end: $(cat /tmp/err)"
early 100ms 'for n in $(seq 1200); do grep -q dynamic /tmp/err && break; sleep 0.1; done; cp /tmp/err /tmp/before'
grep -q "dynamic variable drop" /tmp/before || fail "a fast statusrate: $(cat /tmp/before)"
