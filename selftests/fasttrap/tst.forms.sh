# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that runs an instruction of every form, each with a probe on it, finds the same registers, memory
# and signals behind each as it does untraced; each fires as often as it is run.
# SECONDS: 600
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
forms=/src/build/cargo/$(. /etc/os-release && echo "$VERSION_CODENAME")/release/forms
read -r hits probes refused <<<"$("$forms" make /tmp/forms)"
# rdpid and the like tell which CPU it is.
taskset -c 0 /tmp/forms /tmp/alone </dev/null >/dev/null || fail alone
begin taskset -c 0 /tmp/forms /tmp/traced
PATIENCE=3000 trace /tmp/o -p "$target" -n 'pid$target:forms:form_*:0 { @n = count(); }'
dtrace -l -n "pid$target:forms:form_*:0" >/tmp/list 2>/tmp/list.err
expect "probes" "$(grep -c 'form_[0-9]* 0$' /tmp/list)" "$probes"
go_on
end_well
end_trace
"$forms" compare /tmp/alone /tmp/traced || fail "not the same"
expect "hits" "$(awk 'NF == 1 && /[0-9]/ { print $1 }' /tmp/o)" "$hits"
[ "$refused" -gt 0 ] && grep -q 'form_[0-9]*:0: its instruction cannot run anywhere else' /tmp/o.err ||
	fail "nothing says why $refused have no probe"
