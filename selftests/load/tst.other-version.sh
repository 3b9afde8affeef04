# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a module of another version than the command is an error with a sentence, and the doctor says the same; of the
# same version, all that the doctor looks at in the guest is well enough to trace.
. /src/selftests/lib/sh
version=$(cat /sys/module/dtrace/version)
expect "module and command" "$(dtrace -V | tail -1)" "dtrace: command $version, module $version loaded"
dtrace --doctor >/tmp/doctor; rc=$?
grep -q "^ok    version        module and command are both $version$" /tmp/doctor || fail "$(cat /tmp/doctor)"
grep -q '^ok    device ' /tmp/doctor && grep -q '^ok    helper ' /tmp/doctor || fail "$(cat /tmp/doctor)"
expect "the doctor's status: $(cat /tmp/doctor)" "$rc" 0
dtrace --doctor -x oformat=json >/tmp/json || fail "$(cat /tmp/json)"
grep -qF '{"type":"check","subject":"version","state":"ok",' /tmp/json || fail "$(cat /tmp/json)"

# The same module, but for what it says of itself.
other=$(printf %s "$version" | tr 0-9 7)
perl -pe "s/(?<!src)version=\Q$version\E\0/version=$other\0/" "$module" >/tmp/other.ko
rmmod dtrace
trap 'rmmod dtrace; insmod "$module"' EXIT
insmod /tmp/other.ko || fail "not loaded: $(dmesg | tail -1)"
sentence="the loaded module is of version $other, this command of $version"
for args in '-l -P dtrace' '-n BEGIN{exit(0)}' '-A -n BEGIN' '-a'; do
	# shellcheck disable=SC2086
	dtrace $args >/tmp/out 2>/tmp/err; rc=$?
	expect "dtrace $args" "$rc" 1
	expect "dtrace $args" "$(head -1 /tmp/err)" "dtrace: failed to initialize dtrace: $sentence"
	grep -q 'modprobe -r dtrace' /tmp/err || fail "no way out: $(cat /tmp/err)"
done
dtrace -V 2>&1 | grep -qF "$sentence" || fail "-V says nothing of it"
dtrace --doctor >/tmp/doctor && fail "the doctor found nothing: $(cat /tmp/doctor)"
grep -qF "fail  version        $sentence" /tmp/doctor || fail "$(cat /tmp/doctor)"
