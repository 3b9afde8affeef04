# SPDX-License-Identifier: GPL-2.0
# ASSERTION: args[] of the kernel's functions have their C types; one clause serves functions that differ.
. /src/selftests/lib/sh
printf 'hello there' >/tmp/typed-args.txt
trace /tmp/out -n '
fbt::vfs_read:entry
/execname == "reader" && args[0]->f_path.dentry->d_name.name == "typed-args.txt"/
{
	self->size = args[2];
	printf("%s %d %d %d\n", stringof(args[0]->f_path.dentry->d_name.name), args[0]->f_mode & 1,
	    args[2], *args[3]);
}
fbt::vfs_read:return /self->size/ { printf("%d of %d\n", args[1], self->size); self->size = 0; }'
cp /bin/dd /tmp/reader
/tmp/reader if=/tmp/typed-args.txt bs=5 count=2 of=/dev/null 2>/dev/null
end_trace
expect "reads" "$(sed -n '2,5p' /tmp/out)" "typed-args.txt 1 5 0
5 of 5
typed-args.txt 1 5 5
5 of 5"
# int and pointer in one clause: each function has its code.
dtrace -q -n 'fbt::vfs_read:entry, fbt::ksys_read:entry
/execname == "reader"/ { @[probefunc, sizeof (args[0])] = count(); }' -c '/tmp/reader if=/dev/zero of=/dev/null count=1' \
	>/tmp/sizes 2>/dev/null || fail "sizes: $(cat /tmp/sizes)"
grep -Eq 'vfs_read +8 ' /tmp/sizes || fail "vfs_read: $(cat /tmp/sizes)"
grep -Eq 'ksys_read +4 ' /tmp/sizes || fail "ksys_read: $(cat /tmp/sizes)"
# Those without the argument are left out, and it is said.
dtrace -n 'fbt::vfs_read:entry, fbt::schedule:entry { trace(args[0]); exit(0); }' >/tmp/out 2>/tmp/err -c 'cat /proc/version'
grep -q 'note: .*schedule.* left out' /tmp/err || fail "no note: $(cat /tmp/err)"
