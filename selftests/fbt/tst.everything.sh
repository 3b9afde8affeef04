# SPDX-License-Identifier: GPL-2.0
# ASSERTION: all probes of fbt at once, while both CPUs do everything a machine does: every firing is counted, every function
# returns as often as it is entered but for the calls under way, and afterwards the text is byte for byte what it was.
# SECONDS: 900
. /src/selftests/lib/everything
warm_up
ftraced_before=$(ftraced)
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"
count_all
both 1 "$(one_of 4)"
loaded
end_counting
text compare "everything was disabled"
expect "what ftrace has" "$(ftraced)" "$ftraced_before"
counted 2
