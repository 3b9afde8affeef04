# SPDX-License-Identifier: GPL-2.0
# ASSERTION: fi_mount is where a file's file system is mounted, of a pipe nothing; d_path() is the name of an open file as /proc has it, also over mounts; a pipe has none, a wild address is a fault.
. /src/selftests/lib/sh
cat >/tmp/read.py <<'P'
import os
for f in "/etc/passwd", "/proc/self/stat", "/sys/kernel/notes", "/dev/zero", "/usr/bin/env":
    fd = os.open(f, os.O_RDONLY)
    print("[%s]" % os.readlink("/proc/self/fd/%d" % fd), flush=True)
    os.pread(fd, 1, 0)
r, w = os.pipe()
os.write(w, b"x")
print("[]", flush=True)
os.read(r, 1)
P
dtrace -qn 'syscall::pread64:entry,syscall::read:entry /pid == $target && execname == "python3"/ { self->is = 1; }
	fbt::vfs_read:entry /self->is/ { printf("[%s]\n", d_path(&args[0]->f_path)); }
	syscall::pread64:return,syscall::read:return { self->is = 0; }' -o /tmp/paths -c 'python3 /tmp/read.py' >/tmp/said 2>/tmp/err
# What the interpreter reads as it starts and ends is not meant.
grep -xFf /tmp/said /tmp/paths | awk '!seen[$0]++' >/tmp/those
expect "names" "$(sort /tmp/those)" "$(sort /tmp/said)"
cat >/tmp/mounts.py <<'P'
import os
for f in "/etc/passwd", "/proc/self/stat", "/sys/kernel/notes", "/dev/zero":
    fd = os.open(f, os.O_RDONLY)
    at = f
    while not os.path.ismount(at):
        at = os.path.dirname(at)
    print("[%s]" % at, flush=True)
    os.pread(fd, 1, 0)
P
dtrace -qn 'syscall::pread64:entry /pid == $target/ { printf("%s\n", fds[arg0].fi_mount); }' \
	-o /tmp/mounts -c 'python3 /tmp/mounts.py' >/tmp/said 2>/tmp/err
expect "mounts" "$(sed 's/.*/[&]/' /tmp/mounts | grep -xFf /tmp/said | sort -u)" "$(sort -u /tmp/said)"
expect "a pipe's mount" "$(echo | dtrace -qn 'BEGIN { printf("[%s]", fds[0].fi_mount); exit(0); }')" "[]"
expect "a wild address" "$(dtrace -qn 'BEGIN { trace(mnt_path((void *)0xffff800000001000)); } ERROR { printf("fault %d %x", arg4, arg5); exit(0); }' 2>/dev/null)" "fault 1 ffff800000001000"
expect "a wild address" "$(dtrace -qn 'BEGIN { trace(d_path((void *)0xffff800000001000)); } ERROR { printf("fault %d %x", arg4, arg5); exit(0); }' 2>/dev/null)" "fault 1 ffff800000001000"
expect "NULL" "$(dtrace -qn 'BEGIN { trace(d_path(NULL)); } ERROR { printf("fault %d %x", arg4, arg5); exit(0); }' 2>/dev/null)" "fault 1 0"
