# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every row of the table has its probe on this kernel, with the types that its manual says; every tracepoint of the
# kernel is a probe, with the types of the kernel; what is not there says why.
. /src/selftests/lib/sh
listed() { dtrace -ln "$1" | awk 'NR > 1 { print $NF }' | sort | xargs; }
expect proc "$(listed proc:::)" "create exec exec-failure exec-success exit fault lwp-create lwp-exit lwp-start signal-clear signal-discard signal-handle signal-send start"
expect sched "$(listed sched:::)" "change-pri dequeue enqueue off-cpu on-cpu preempt remain-cpu sleep surrender tick wakeup"
expect io "$(listed io:::)" "done start wait-done wait-start"
expect sysinfo "$(listed sysinfo:::)" "cpumigrate idlethread intr inv_swtch lread lwrite modload modunload msg mutex_adenters namei nthreads outch procovf pswitch rawch readch rw_rdfails rw_wrfails sema sysexec sysfork sysread sysvfork syswrite writech xcalls"
expect vminfo "$(listed vminfo:::)" "anonpgin anonpgout as_fault dfree maj_fault pgin pgout pgpgin pgpgout pgrrun prot_fault scan zfod"
# Under PREEMPT_RT nobody spins for a lock that sleeps.
case $(uname -v) in *PREEMPT_RT*) adaptive='' rw='' ;; *) adaptive='adaptive-spin ' rw='rw-spin ' ;; esac
expect lockstat "$(listed lockstat:::)" "adaptive-acquire adaptive-acquire-error adaptive-block adaptive-release ${adaptive}rw-acquire rw-block rw-downgrade rw-release ${rw}spin-acquire spin-release spin-spin"
expect mib "$(listed mib:::)" "icmpInMsgs icmpOutMsgs ipForwDatagrams ipInReceives ipOutRequests ipReasmReqds tcpActiveOpens tcpAttemptFails tcpEstabResets tcpInSegs tcpOutRsts tcpPassiveOpens tcpRetransSegs udpInDatagrams udpInErrors udpOutDatagrams"
expect ip "$(listed ip:::)" "receive send"
expect tcp "$(listed tcp:::)" "accept-established accept-refused connect-established connect-refused connect-request receive send state-change"
expect udp "$(listed udp:::)" "receive send"
# All of them are enabled at once, and each can be by itself.
dtrace -qn 'proc:::, sched:::, io:::, sysinfo:::, vminfo:::, lockstat:::, mib:::, ip:::, tcp:::, udp::: { @ = count(); }' -c true >/dev/null || fail "enabling all"
for name in $(dtrace -ln 'proc:::, sched:::, io:::, sysinfo:::, vminfo:::, lockstat:::, mib:::, ip:::, tcp:::, udp:::' | awk 'NR > 1 { print $2 ":::" $NF }'); do
	dtrace -qn "$name { @ = count(); } BEGIN { exit(0); }" >/dev/null 2>/tmp/err || fail "$name: $(cat /tmp/err)"
done
for probe in lockstat:::rw-upgrade lockstat:::thread-spin mib:::tcpListenDrop; do
	dtrace -ln $probe 2>/tmp/err && fail "$probe is there"
	grep -q 'note: Linux has no event that matches' /tmp/err && grep -q 'help: close to it' /tmp/err || { cat /tmp/err; fail "why no $probe"; }
done
# The kernel tells its own tracer of most.
here=$(dtrace -l -P sdt -m vmlinux | awk 'NR > 1 { print $NF }' | sort)
[ "$(echo "$here" | wc -l)" -gt 500 ] || fail "tracepoints: $(echo "$here" | wc -l)"
for name in sched_switch sys_enter signal_generate block_rq_issue contention_begin; do
	echo "$here" | grep -qx $name || fail "no sdt:::$name"
done
dtrace -qn 'sdt:::sched_switch /args[1] == curthread && args[2]->pid == 0/ { trace(args[0]); exit(0); }' >/tmp/o || fail sched_switch
# As the kernel declares them.
dtrace -lvn io:::start -n proc:::exit >/tmp/o || fail "listing"
expect "args[] of declared providers" "$(grep 'args\[' /tmp/o | tr -d '\t\n')" "args[0]: bufinfo_t *args[1]: devinfo_t *args[2]: fileinfo_t *args[0]: int"
dtrace -lvn sdt:::signal_generate >/tmp/o || fail "listing"
grep -q 'args\[4\]: int' /tmp/o || { cat /tmp/o; fail "types of a tracepoint"; }
# Without functions those that are events are not there.
with_module without_fbt=1
dtrace -ln io:::start >/dev/null || fail "io needs no function"
dtrace -ln sysinfo:::readch 2>/tmp/err && fail "a function without fbt"
grep -q 'note: function probes are off' /tmp/err || { cat /tmp/err; fail "why not"; }
