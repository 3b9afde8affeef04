# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: functions of a module have the types of its own BTF, on top of the kernel's.
. /src/selftests/lib/sh
modprobe loop || fail "modprobe loop"
work=$(mktemp -d)
truncate -s 1M "$work/image"
trace "$work/out" \
	-n 'fbt:loop:loop_control_ioctl:entry { printf("%x %s\n", args[1], stringof(args[0]->f_path.dentry->d_name.name)); }' \
	-n 'fbt:loop:loop_configure:entry { self->lo = args[0]; printf("%d\n", args[3]->fd == -1); }' \
	-n 'fbt:loop:loop_configure:return /self->lo/ {
		printf("loop%d %s %d\n", self->lo->lo_number,
		    stringof(self->lo->lo_backing_file->f_path.dentry->d_name.name), args[1]); self->lo = 0; }'
device=$(losetup -f --show "$work/image") || fail "losetup"
losetup -d "$device"
end_trace
expect "what was traced" "$(sort "$work/out" | tr '\n' ' ')" " 0 4c82 loop-control ${device#/dev/} image 0 ready "
dtrace -lvn fbt:loop:loop_configure:entry | grep -q 'args\[0\]: struct loop_device \*$' || fail "-lv"
