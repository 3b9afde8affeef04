# SPDX-License-Identifier: GPL-2.0
# ASSERTION: args[] of system calls have the types of the kernel's declarations, 32-bit calls' too; return has value, value, errno.
# SECONDS: 300
. /src/selftests/lib/sh
types() { dtrace -lvn "$1" | sed -n 's/^\t\targs\[[0-9]*\]: //p' | tr '\n' ';'; }
expect openat "$(types syscall:vmlinux:openat:entry)" "int;const char *;int;umode_t;"
expect openat "$(types syscall:ia32:openat:entry)" "int;const char *;int;umode_t;"
expect "return" "$(types syscall:vmlinux:openat:return)" "long;long;int;"
expect stat "$(types syscall:vmlinux:stat:entry)" "const char *;struct stat *;"
expect umount2 "$(types syscall:vmlinux:umount2:entry)" "char *;int;"
expect execve "$(types syscall:vmlinux:execve:entry)" "const char *;const char *const *;const char *const *;"
expect getpid "$(types syscall:vmlinux:getpid:entry)" ""
# By two halves in registers: plain numbers.
expect "pread64 of 32 bits" "$(types syscall:ia32:pread64:entry)" "int64_t;int64_t;int64_t;int64_t;int64_t;int64_t;"
# As many as the kernel's own tracer knows, of each call.
dtrace -lvn 'syscall:vmlinux::entry' >/tmp/l || fail list
awk '$2 == "syscall" { name = $4; n[name] = 0 } /^\t\targs\[/ { n[name]++ } END { for (c in n) print c, n[c] }' /tmp/l |
	sed 's/^\([nf]*l*\)stat /new&/; s/^newnew/new/; s/^uname /newuname /; s/^umount2 /umount /; s/^sendfile /sendfile64 /' | sort >/tmp/ours
for f in /sys/kernel/tracing/events/syscalls/sys_enter_*/format; do
	name=${f%/format}
	echo "${name##*sys_enter_} $(grep 'field:' "$f" | grep -vc ' common_\|__syscall_nr\|__data_loc')"
done | sort >/tmp/theirs
[ "$(wc -l </tmp/theirs)" -ge 330 ] || fail "the tracer knows $(wc -l </tmp/theirs)"
expect "not as the tracer says" "$(join /tmp/ours /tmp/theirs | awk '$2 != $3')" ""
expect "compared" "$(join /tmp/ours /tmp/theirs | wc -l)" "$(grep -vc '^rseq_slice' /tmp/ours)"
gcc -O2 -o /tmp/calls /src/selftests/syscall/calls.c || fail compile
dtrace -qn 'BEGIN { go = 0; }
	syscall:vmlinux:pipe*:return /pid == $target/ { go = 1; }
	syscall::exit_group:entry { go = 0; }
	syscall:vmlinux:openat:entry /pid == $target && go/ { printf("openat %d %s %d\n", args[0], copyinstr(args[1]), args[2]); }
	syscall:vmlinux:openat:return /pid == $target && go/ { printf("returns %d %d %d\n", args[0], args[1], args[2]); }
	syscall::write:entry /pid == $target && go/ { printf("%s %d %d %s\n", probemod, sizeof(args[2]), args[2], copyinstr(args[1])); }
	' -c "/tmp/calls 1" >/tmp/o 2>/tmp/e
cat /tmp/o /tmp/e
expect said "$(cat /tmp/e)" ""
expect traced "$(grep . /tmp/o | sed -n 3,6p | tr '\n' ';')" "vmlinux 8 7 /nonexistent/low;openat -100 /nonexistent/low 3;returns -1 -1 2;ia32 4 5 /nonexistent/low;"
# One clause for all of them: only those without the argument are left out.
dtrace -qn 'syscall:::entry { @[sizeof(args[0])] = count(); }' -c 'ls /' >/tmp/o 2>/tmp/e || fail "all: $(cat /tmp/e)"
grep -v '^ \|^$' /tmp/e | grep -v 'note: .*probes of syscall:::entry are left out: they have no args\[0\]' && fail "$(cat /tmp/e)"
expect "sizes" "$(awk 'NF == 2 && $2 > 0 { print $1 }' /tmp/o | sort | tr '\n' ' ')" "4 8 "
