# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a compile error says its sentence once, then shows the place; each further mistake is shown with its own.
. /src/selftests/lib/sh
driver hworld; driver many
# The list of providers has no other driver of ours.
rmmod nmi 2>/dev/null
for program in 'BEGIN { trace(excename); }' 'BEGIN /execname/ { }' 'BEGNI' 'nosuch:::' 'plockstat:::mutex-block' 'BEGIN { trace(a); trace(b); }' 'BEGIN { printf("%d", "x"); }' \
	'BEGIN { trace(*(long double *)0); }' ''; do
	dtrace -n "$program" 2>&1
	dtrace -x errtags -n "$program" 2>&1 | head -1
done
