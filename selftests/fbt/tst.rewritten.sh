# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what the kernel rewrites itself has no probes: jump labels, and the trampolines of static calls, be they the kernel's or
# those of a module that comes while dtrace looks. So all events of the kernel can be enabled while everything is traced.
# SECONDS: 400
. /src/selftests/lib/sh
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs none $tracing
listed() { dtrace -l -P fbt | awk 'NR > 1 { print $3, $4, $5 }' | grep -v ^vmlinux | sort; }
switch() { for group in initcall $groups; do echo "$1" >$tracing/events/$group/enable || fail "$group: $1"; done; }

# From the first listing on, dtrace looks at each module as it comes. Of the last ones a function begins with a jump label.
listed >/tmp/before
groups= texts=
for m in null_blk:nullb nfs:nfs tipc:tipc sunrpc:sunrpc xfs:xfs; do
	modprobe "${m%:*}" 2>/dev/null && groups+=" ${m#*:}" texts+=",fbt:${m%:*}::"
done
listed >/tmp/came
rmmod dtrace && insmod "$module" || fail "insmod"
listed >/tmp/there
diff /tmp/came /tmp/there || fail "a module that comes has other probes than one that is there"
cmp -s /tmp/before /tmp/there && echo "no module" >&2

for f in __static_call_text_start _stext _text __pi__text; do
	dtrace -ln "fbt::$f:" >/tmp/o 2>/tmp/err && { cat /tmp/o; fail "$f has probes"; }
done
dtrace -qn 'fbt::__static_call_text_start:entry' 2>&1 | grep -q "is a static call's trampoline" || fail "no reason"
trace /tmp/o -n "fbt:vmlinux:*initcall*:$texts { @ = count(); }"
switch 1
switch 0
end_trace || fail "$(cat /tmp/o.err)"
switch 1
switch 0
exit 0
