# SPDX-License-Identifier: GPL-2.0
# ASSERTION: curthread execargs threadname euid egid nspid nstid curcgroup ipl zonename getf() and the locks tell what is.
. /src/selftests/lib/sh
driver hworld
cp /bin/cat /tmp/reader
trace /tmp/out -n 'hworld::open1:entry /execname == "reader"/
	{ printf("%d %d %d %d %s\n", euid, egid, ipl, curthread->pid == tid && curthread->tgid == pid, zonename);
	  printf("%s %s %s\n", threadname, stringof(curthread->comm), execargs); }
	hworld::open1:entry /execname == "reader"/ { printf("cgroup %d ns %d %d\n", curcgroup, nspid, nstid); }
	fbt:hworld:hworld_show:entry { printf("%d %d %d %d\n", mutex_owned(&((struct seq_file *)arg0)->lock), mutex_owner(&((struct seq_file *)arg0)->lock)->pid == tid,
		mutex_type_adaptive(&((struct seq_file *)arg0)->lock), mutex_type_spin(&((struct seq_file *)arg0)->lock)); }
	fbt:hworld:hworld_show:entry { printf("%s %d\n", stringof(getf(7)->f_path.dentry->d_name.name), getf(1000000) == NULL); }'
setpriv --euid 1000 --egid 1001 --clear-groups /tmp/reader /proc/hello-world 7</proc/hello-world >/dev/null
unshare -fp --kill-child /tmp/reader /proc/hello-world 7</proc/hello-world >/dev/null
end_trace
cat /tmp/out /tmp/out.err
cgroup=$(stat -c %i "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)" 2>/dev/null)
expect "ids" "$(sed -n 2p /tmp/out)" "1000 1001 0 1 global"
expect "names" "$(sed -n 3p /tmp/out)" "reader reader /tmp/reader /proc/hello-world"
grep -q '^cgroup [1-9][0-9]* ns [1-9]' /tmp/out || fail "no cgroup"
[ "$(stat -fc %T /sys/fs/cgroup 2>/dev/null)" != cgroup2fs ] || grep -q "^cgroup $cgroup " /tmp/out || fail "cgroup is $cgroup"
grep -q '^cgroup [0-9]* ns 1 1$' /tmp/out || fail "first of its namespace"
expect "mutex" "$(sed -n 5p /tmp/out)" "1 1 1 0"
expect "getf" "$(sed -n 6p /tmp/out)" "hello-world 1"
# Others count how often it was opened.
rmmod hworld
