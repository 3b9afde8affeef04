# SPDX-License-Identifier: GPL-2.0
# SECONDS: 300
# ASSERTION: looked up by name, a function has the probes that a search through all of them finds: those whose name several have, some others, and none that is only alike.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1

dtrace -l >all || fail "dtrace -l"
# ID PROVIDER MODULE FUNCTION NAME; the name of a function may be missing.
awk 'NF == 5 && $2 == "fbt" { n[$4]++ } END { for (f in n) print n[f], f }' all | sort -k2 >counts
awk '$1 > 4 { print $2 }' counts | head -150 >names
test "$(wc -l <names)" -gt 50 || fail "few functions have a name in common: $(wc -l <names)"
awk 'NR % 300 == 7 { print $2 }' counts >>names
awk 'NR % 3000 == 9 { print $2 "_no" }' counts >none

sort -u names | awk 'NR == FNR { wanted[$1]; next } NF == 5 && $4 in wanted' - all >expected
# shellcheck disable=SC2046
dtrace -l $(sed 's/^/-f /' names) >got || fail "dtrace -l -f"
sed 1d got | sort -n >sorted
sort -n expected | diff - sorted >diff || fail "looked up, others are found than searched for: $(head -5 diff)"

while read -r name; do
	dtrace -l -f "$name" >/dev/null 2>&1 && fail "$name is found"
done <none

# The same when they are enabled.
name=$(sort -nr counts | awk 'NR == 1 { print $2 }')
many=$(awk -v f="$name" 'NF == 5 && $4 == f' all | wc -l)
dtrace -n "fbt::$name: { @ = count(); } BEGIN { exit(0); }" 2>&1 | grep -q "matched $((many + 1)) probes" ||
	fail "$name: not all of $many probes are enabled"
