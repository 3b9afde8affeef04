# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what dtrace -A leaves is traced from when the module is inserted; one dtrace -a gets it, and what is wrong with the file is logged.
. /src/selftests/lib/sh
# The guest's /lib is a link to what cannot be written to: a folder of links takes its place.
python3 - <<'P' || fail "no place for the file"
import os
if os.path.islink('/lib'):
    names = os.listdir('/usr/lib')
    os.unlink('/lib')
    os.mkdir('/lib')
    for name in names: os.symlink('/usr/lib/' + name, '/lib/' + name)
P
file=/lib/firmware/dtrace/anonymous.dof
trap 'rm -rf /lib/firmware; rmmod dtrace 2>/dev/null; insmod "$module"' EXIT
again() { rmmod dtrace && dmesg -C && insmod "$module" || fail "not inserted anew"; }
cat >/tmp/boot.d <<'D'
BEGIN { printf("began for %s\n", $$1); }
syscall::kill:entry /execname == "bash"/ { printf("kill %d\n", arg1); @[probefunc] = count(); }
fbt::do_send_specific:entry { @["never"] = count(); }
D
dtrace -A -q -s /tmp/boot.d words 2>/tmp/err || fail "$(cat /tmp/err)"
grep -qx "dtrace: saved anonymous enabling in $file" /tmp/err || fail "$(cat /tmp/err)"
rm /tmp/boot.d
dtrace -a 2>/tmp/err; expect "nothing runs yet: status" $? 1
grep -qx 'dtrace: could not enable tracing: no such anonymous tracing state' /tmp/err || fail "$(cat /tmp/err)"
again
dmesg | grep -q 'dtrace: anonymous enabling: [1-9][0-9]* probes matched' || fail "$(dmesg)"
bash -c 'kill -0 $$; kill -0 $$'
dtrace -a -e >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
expect "what was traced before anybody asked" "$(cat /tmp/out)" "$(printf 'began for words\nkill 0\nkill 0\n\n  kill %62d' 2)"
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
dtrace -a 2>/tmp/err; expect "one gets it: status" $? 1

# It goes on for who claims it, until it ends.
dtrace -A -n 'BEGIN { x = 40; } syscall::kill:entry /execname == "bash" && arg1 == 0/ { x++; trace(x); exit(x); }' 2>/tmp/err || fail "$(cat /tmp/err)"
again
dtrace -a -x oformat=json >/tmp/out 2>/tmp/err &
until_ok grep -q '"schema"' /tmp/out
bash -c 'kill -0 $$'
wait $!; expect "status" $? 41
python3 - <<'P' || fail "$(cat /tmp/out /tmp/err)"
import json
lines = [json.loads(l) for l in open('/tmp/out')]
assert [l['type'] for l in lines] == ['dtrace', 'machine', 'record', 'exit'], lines
assert lines[2]['actions'][0]['value'] == 41 and lines[3]['status'] == 41, lines
P

# Nobody claims it: the module can go, and dtrace traces as ever.
again
expect "another consumer" "$(dtrace -qn 'BEGIN { printf("here"); exit(0); }' | tr -d '\n')" here

# Files that are none.
for bad in '' 'no DOF at all' 'half'; do
	case $bad in
	half) dtrace -A -n 'BEGIN { trace(1); }' 2>/dev/null; head -c 200 $file >$file.half; mv $file.half $file ;;
	*) printf '%s' "$bad" >$file ;;
	esac
	again
	dmesg | grep -q 'dtrace: anonymous enabling: .*nothing is traced' || fail "'$bad': $(dmesg)"
	dtrace -a 2>/dev/null && fail "claimed '$bad'"
done

dtrace -A -n 'BEGIN { raise(9); }' 2>/tmp/err && fail "destructive without -w"
grep -q 'destructive actions not allowed' /tmp/err || fail "$(cat /tmp/err)"
dtrace -A 2>/tmp/err; expect "no file any more" "$? $(cat /tmp/err)" "0 dtrace: cleaned up old anonymous enabling in $file"
dtrace -A 2>/tmp/err; expect "none to remove" "$? $(cat /tmp/err)" "0 dtrace: no anonymous enabling in $file"
again
dmesg | grep 'anonymous' && fail "without a file"
exit 0
