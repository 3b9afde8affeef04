# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what is read from and written to a disk starts and ends, once each, with its size, place, device and file; what a
# script keeps at the start it finds at the end.
. /src/selftests/lib/sh
modprobe loop || fail modprobe
. /src/selftests/stable/iso
iso /tmp/disk file 2000000
loop=$(losetup --show -f /tmp/disk) || fail losetup
name=$(basename "$loop")
cat >/tmp/io.d <<'D'
#pragma D option quiet
io:::start /args[1]->dev_statname == $$1/ {
	begun[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	@n["start"] = count();
	@b["start", args[0]->b_flags & B_WRITE ? "W" : "R"] = sum(args[0]->b_bcount);
	@f[args[2]->fi_pathname, args[2]->fi_name, args[2]->fi_dirname] = sum(args[0]->b_bcount);
}
io:::done /args[1]->dev_statname == $$1/ { @n["done"] = count(); @b["done", args[0]->b_flags & B_READ ? "R" : "W"] = sum(args[0]->b_bcount); }
io:::done /begun[args[0]->b_edev, args[0]->b_blkno]/ { @n["known"] = count(); begun[args[0]->b_edev, args[0]->b_blkno] = 0; }
io:::done /args[1]->dev_statname == $$1 && arg0 != (uintptr_t)args[0]->b_addr && args[1]->dev_pathname == strjoin("/dev/", $$1)/ { @n["named"] = count(); }
END { printa("%s %@d\n", @n); printa("%s %s %@d\n", @b); printa("file %s %s %s %@d\n", @f); }
D
run() { dtrace -s /tmp/io.d "$name" -c "$1" >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"; [ -s /tmp/err ] && fail "$(cat /tmp/err)"; }
of() { awk -v n="$1" '$1 == n && NF == 2 { print $2 }' /tmp/o; }
run "dd if=$loop of=/dev/null bs=4k count=16 iflag=direct status=none"
expect "reads" "$(grep -v '^file\|^$' /tmp/o | sort | tr '\n' ' ')" "done 16 done R 65536 known 16 named 16 start 16 start R 65536 "
run "dd if=/dev/zero of=$loop bs=64k count=4 seek=8 oflag=direct status=none"
expect "writes" "$(grep -v '^file\|^$' /tmp/o | sort | tr '\n' ' ')" "done 4 done W 262144 known 4 named 4 start 4 start W 262144 " 
# A file: its pages are read ahead.
mkdir -p /tmp/mnt && mount -t iso9660 -o ro "$loop" /tmp/mnt || fail mount
run "dd if=/tmp/mnt/file of=/dev/null status=none"
umount /tmp/mnt
[ "$(awk '$1 == "file" && $2 == "/file" && $3 == "file" && $4 == "/" { print $5 }' /tmp/o)" -ge 2000000 ] || { cat /tmp/o; fail "no file"; }
[ "$(of start)" = "$(of done)" ] || { cat /tmp/o; fail "start and done"; }
# Where a file's file system is mounted; where the data is: what is written is there as it starts.
printf 'dtrace was here.%4080s' x >/tmp/block
mount -t iso9660 -o ro "$loop" /tmp/mnt || fail mount
dtrace -qn 'io:::start /args[1]->dev_statname == $$1 && args[2]->fi_name == "file"/ { @m[args[2]->fi_mount] = count(); }
	io:::start /args[1]->dev_statname == $$1 && args[0]->b_flags & B_WRITE/ { @t[stringof((char *)args[0]->b_addr)] = count(); }
	END { printa("mount %s %@d\n", @m); printa("data %.16s %@d\n", @t); }' "$name" \
	-c "sh -c 'cat /tmp/mnt/file >/dev/null; umount /tmp/mnt; dd if=/tmp/block of=$loop bs=4k oflag=direct status=none'" >/tmp/o || fail "mount and data"
grep -qE '^mount /tmp/mnt [1-9]' /tmp/o && grep -qx 'data dtrace was here. 1' /tmp/o || { cat /tmp/o; fail "mount and data"; }
# A thread that waits for one request waits until that is done; what the disk cannot read ends with an error.
dtrace -qn 'io:::wait-start /execname == "sync"/ { self->bio = arg0; @n[probename, args[1]->dev_statname] = count(); }
	io:::wait-done /self->bio && self->bio == arg0/ { @n[probename, args[1]->dev_statname] = count(); self->bio = 0; }
	END { printa("%s %s %@d\n", @n); }' -c "sync $loop" >/tmp/o || fail "waits"
expect waits "$(grep . /tmp/o | sort | xargs)" "wait-done $name 1 wait-start $name 1"
truncate -s 0 /tmp/disk
dtrace -qn 'io:::done /args[1]->dev_statname == $$1/ {
	printf("%d %d %d\n", args[0]->b_error == EIO, args[0]->b_resid == args[0]->b_bcount, (args[0]->b_flags & B_ERROR) != 0); }' \
	"$name" -c "dd if=$loop of=/dev/null bs=4k count=1 iflag=direct status=none" >/tmp/o 2>/dev/null
expect "an error" "$(grep . /tmp/o)" "1 1 1"
losetup -d "$loop"
