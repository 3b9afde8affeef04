# SPDX-License-Identifier: GPL-2.0
# ASSERTION: each system call fires its entry and its return once, with arguments, value and errno; 64-bit and 32-bit calls
# are told apart; so it is however places are patched, and whoever else has probes there.
# SECONDS: 180
. /src/selftests/lib/sh
gcc -O2 -o /tmp/calls /src/selftests/syscall/calls.c || fail compile
cat >/tmp/exact.d <<'D'
BEGIN { go = wrong = 0; }
syscall:vmlinux:getppid:entry, syscall:vmlinux:write:entry, syscall:vmlinux:read:entry, syscall:vmlinux:pread64:entry,
syscall:vmlinux:close:entry, syscall:vmlinux:openat:entry, syscall:vmlinux:lseek:entry, syscall:ia32::entry
/pid == $target && go/ { @n[probemod, probefunc, probename] = count(); }
syscall:vmlinux:getppid:return, syscall:vmlinux:write:return, syscall:vmlinux:read:return, syscall:vmlinux:pread64:return,
syscall:vmlinux:close:return, syscall:vmlinux:openat:return, syscall:vmlinux:lseek:return, syscall:ia32::return
/pid == $target && go/ { @n[probemod, probefunc, probename] = count(); }
syscall:vmlinux:pipe*:return /pid == $target/ { go = 1; }
syscall:vmlinux:exit_group:entry /pid == $target/ { go = 0; }
syscall:vmlinux:write:entry /pid == $target && go && !(arg2 == 7 && arg1 == 0x10000000)/ { wrong++; }
syscall:vmlinux:write:return /pid == $target && go && !(arg0 == 7 && arg1 == 7 && errno == 0)/ { wrong++; }
syscall:vmlinux:read:return /pid == $target && go && !(arg0 == 7 && errno == 0)/ { wrong++; }
syscall:vmlinux:pread64:entry /pid == $target && go && !(arg1 == 0x10000064 && arg2 == 4 && arg3 == 1)/ { wrong++; }
syscall:vmlinux:pread64:return /pid == $target && go && arg0 != 4/ { wrong++; }
syscall:vmlinux:lseek:return /pid == $target && go && arg1 != 12345/ { wrong++; }
syscall:vmlinux:openat:entry /pid == $target && go && arg2 == 3 && !(copyinstr(arg1) == "/nonexistent/low" && arg3 == 4 && errno == 0)/ { wrong++; }
syscall:vmlinux:openat:return /pid == $target && go && (int)arg0 < 0 && !((int)arg0 == -1 && arg1 == -1 && errno == 2)/ { wrong++; }
syscall:vmlinux:close:return /pid == $target && go && (int)arg0 == -1 && errno != 9/ { wrong++; }
syscall:vmlinux:getppid:return /pid == $target && go && arg0 != ppid/ { wrong++; }
syscall:ia32:getppid:return /pid == $target && go && arg0 != ppid/ { wrong++; }
syscall:ia32:write:entry /pid == $target && go && !(arg1 == 0x10000000 && arg2 == 5)/ { wrong++; }
syscall:ia32:write:return /pid == $target && go && arg0 != 5/ { wrong++; }
syscall:ia32:open:entry /pid == $target && go && copyinstr(arg0) != "/nonexistent/low"/ { wrong++; }
syscall:ia32:open:return /pid == $target && go && !((int)arg0 == -1 && errno == 2)/ { wrong++; }
END { printa("%s %s %s %@d\n", @n); printf("wrong %d\n", wrong); }
D
n=200
lines() { for side in entry return; do for call in "$@"; do echo "${call%=*} $side $((${call#*=} * n))"; done; done; }
wanted=$({ lines "vmlinux getppid=3" "vmlinux write=1" "vmlinux read=1" "vmlinux pread64=1" "vmlinux close=1" "vmlinux lseek=1" \
	"ia32 getppid=1" "ia32 write=1" "ia32 read=1" "ia32 open=1"; echo "vmlinux openat entry $((n + 1))"
	echo "vmlinux openat return $((n + 1))"; echo "wrong 0"; } | sort)
run() {
	dtrace -q -s /tmp/exact.d -c "/tmp/calls $n" 2>/tmp/e | grep . | sort >/tmp/o
	[ -s /tmp/e ] && { cat /tmp/e; fail "$1"; }
	expect "$1" "$(cat /tmp/o)" "$wanted"
}
dtrace -ln 'fbt::vfs_read:entry' >/dev/null
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"
run "alone"
# Others have been there before: on the functions themselves, and on those where the calls end.
trace /tmp/other -n 'fbt::__x64_sys_*:, fbt::__ia32_*:, fbt::ksys_*:, fbt::do_sys_*: { @ = count(); }'
run "after fbt"
end_trace
trace /tmp/other -n 'syscall::: { @ = count(); }'
run "after syscall"
end_trace
# And come while it is there.
(for i in 1 2 3 4; do
	dtrace -q -n 'fbt::ksys_*:, fbt::__x64_sys_*: { @ = count(); } tick-300ms { exit(0); }' >/dev/null
done) &
run "while fbt comes and goes"
wait
/src/selftests/lib/kernel-text compare /tmp/text || fail "the text is not what it was"
rmmod dtrace && insmod "$module" fbt_int3=1 || fail "reload"
run "by breakpoints"
trace /tmp/other -n 'fbt::__x64_sys_*:, fbt::ksys_*: { @ = count(); }'
run "by breakpoints, after fbt"
end_trace
rmmod dtrace || fail rmmod
/src/selftests/lib/kernel-text compare /tmp/text || fail "the text is not what it was"
insmod "$module"
