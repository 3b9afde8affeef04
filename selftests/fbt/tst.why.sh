# SPDX-License-Identifier: GPL-2.0
# ASSERTION: functions without a probe, and misspelt ones, are answered with the reason that is true of them, 95 of 100 at least.
# SECONDS: 900
#
# why.names was drawn at random by `fbt-labels draw 3` on 7.2.12; its labels come from the kernel's own files. Another kernel
# has the same names labelled anew.
. /src/selftests/lib/sh
mount -t debugfs none /sys/kernel/debug 2>/dev/null
labels=/src/selftests/lib/fbt-labels
names=/src/selftests/fbt/why.names
python3 $labels label <$names >/tmp/labels || fail "no labels"
case $(uname -r) in
7.2.12+*) cmp $names /tmp/labels || { diff $names /tmp/labels | head -20; fail "why.names is not what this kernel says"; } ;;
esac
# The compiler complains of twenty descriptions in a program.
rm -rf /tmp/why /tmp/err
mkdir -p /tmp/why
awk '!/^#/ { file = sprintf("/tmp/why/%03d.d", int(n / 20)); n++; printf "fbt::%s:entry { }\n", $1 >file }' /tmp/labels
for script in /tmp/why/*.d; do
	dtrace -e -s "$script" 2>>/tmp/err || :
done
python3 $labels judge /tmp/labels </tmp/err || fail "too many wrong reasons"
# The same by -l and -n, with the classic first line and status 1.
for option in -ln -n; do
	dtrace $option 'fbt::do_sys_openatt2:entry' >/tmp/out 2>/tmp/err
	expect "status of $option" "$?" 1
	expect "first line" "$(head -1 /tmp/err)" \
		"dtrace: invalid probe specifier fbt::do_sys_openatt2:entry: probe description fbt::do_sys_openatt2:entry does not match any probes"
	grep -q 'did you mean `fbt::do_sys_openat2:entry`' /tmp/err || fail "$(cat /tmp/err)"
done
