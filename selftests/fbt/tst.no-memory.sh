# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while probes are enabled or disabled, it is an error or costs some probes; what
# failed has changed no byte of the kernel.
# SECONDS: 900
. /src/selftests/lib/sh
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
rmmod dtrace && insmod "$module" fail_ioctl=1 || fail insmod
# Where the functions are: all of the kernel takes too long to be read so often.
export TEXT="$(awk '$3 ~ /^vfs_[rw]/ && $2 == "T" && NF == 3 { print $1 }' /proc/kallsyms | sort |
	awk 'NR == 1 { first = $1 } END { print "0x" first "-0x" $1 }')"
export EVERY="$(one_of 4)"
# The kernel is looked through at the first one, and flips what it flips at the first use.
/tmp/consumers again 3 'vfs_*' || fail "enabling"
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"
for step in ENABLE GO close; do
	/tmp/consumers memory $step 'vfs_r*' || fail "$step"
done
/src/selftests/lib/kernel-text compare /tmp/text || fail "the text is not what it was"
# What still stands there does not fire twice.
/tmp/consumers memory leave __x64_sys_getsid || fail "leave"
dtrace -qn 'fbt:vmlinux:__x64_sys_getsid: { @[probename] = count(); } END { printa("%s %@d,", @); }' \
	-c 'python3 -c "import os; [os.getsid(0) for i in range(100)]"' >/tmp/o || fail dtrace
expect "firings" "$(tr -d '\n' </tmp/o)" "entry 100,return 100,"
/tmp/consumers again 3 'vfs_*' || fail "enabling after it"
rmmod dtrace || fail "rmmod dtrace"
insmod "$module" fail_ioctl=0 || fail "insmod"
