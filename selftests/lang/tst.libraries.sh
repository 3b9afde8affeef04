# SPDX-License-Identifier: GPL-2.0
# ASSERTION: curpsinfo, curlwpsinfo, curcpu and fds[] tell what the process knows of itself; the constants are those of C;
# libraries of -L are found, and a mistake in one is told with its file and line.
. /src/selftests/lib/sh
printf 'exec 7</etc/passwd\nread -r -u 7 first\n' >/tmp/reads.sh
cat >/tmp/who.d <<'D'
syscall::read:entry /execname == "bash" && arg0 == 7 && !x++/
{
	printf("%d %d %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid, curlwpsinfo->pr_lwpid == tid);
	printf("%d %d %d %s\n", curpsinfo->pr_uid == uid, curpsinfo->pr_euid, curpsinfo->pr_nlwp, curpsinfo->pr_fname);
	printf("%s\n", curpsinfo->pr_psargs);
	printf("%d %d %d %d\n", curlwpsinfo->pr_syscall, curlwpsinfo->pr_flag & (PR_STOPPED | PR_ASLEEP | PR_ISSYS),
	    curlwpsinfo->pr_wchan, curlwpsinfo->pr_stype == SOBJ_NONE);
	printf("%d %d\n", curpsinfo->pr_pgid == pid, curpsinfo->pr_sid == pid);
	printf("%d %d %d\n", curpsinfo->pr_argc, curpsinfo->pr_dmodel == PR_MODEL_LP64,
	    walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec < 100);
	printf("%s\n", copyinstr(*(uintptr_t *)copyin(curpsinfo->pr_argv + 8, 8)));
	printf("%d %c %s\n", curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_sname, curlwpsinfo->pr_clname);
	printf("%d %d %d %d\n", curcpu->cpu_id == cpu, curcpu->cpu_chip == chip, lgrp, pset);
	printf("%s|%s|%s|%d\n", fds[arg0].fi_pathname, fds[arg0].fi_name, fds[arg0].fi_dirname,
	    (fds[arg0].fi_oflags & O_ACCMODE) == O_RDONLY);
	printf("%d %s %d\n", fds[arg0].fi_fs == fds[0].fi_fs, fds[99].fi_pathname, fds[arg0].fi_offset);
	this->all = *curpsinfo;
	printf("%d %s\n", this->all.pr_pid == pid, this->all.pr_fname);
}
D
dtrace -qs /tmp/who.d -c 'setsid -w bash /tmp/reads.sh' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
expect "of the process" "$(cat /tmp/out)" "1 1 1
1 0 1 bash
bash /tmp/reads.sh
0 0 0 1
1 1
2 1 1
/tmp/reads.sh
1 O TS
1 1 0 0
/etc/passwd|passwd|/etc|1
$(sed -n 11p /tmp/out)
1 bash"
expect "the idle task" "$(dtrace -qn 'BEGIN { this->all = xlate <psinfo_t> (&`init_task); printf("%s %d %d", this->all.pr_fname, this->all.pr_pid, this->all.pr_argc); exit(0); }')" "swapper/0 0 0"
# A thread that goes to sleep is asleep as it leaves its processor, unless another one wakes it in that moment.
dtrace -qn 'sched:::off-cpu /pid == $target && curlwpsinfo->pr_state == SSLEEP/ {
	printf("%c %d %d\n", curlwpsinfo->pr_sname, curlwpsinfo->pr_stype == SOBJ_CV, curlwpsinfo->pr_flag & PR_ASLEEP); }' \
	-c 'sh -c "for i in 1 2 3 4 5; do sleep 0.1; done"' >/tmp/asleep
grep -qx "S 1 16" /tmp/asleep || fail "asleep: $(cat /tmp/asleep)"
expect "files" "$(sed -n 11p /tmp/out | cut -d' ' -f2-)" "<none> 0"
expect "the file system" "$(dtrace -qn 'syscall::read:entry /execname == "cat" && fds[arg0].fi_pathname == "/proc/version" && !x++/ {
	printf("%s", fds[arg0].fi_fs); }' -c 'cat /proc/version' 2>/dev/null | tail -n1)" "proc"

# The one-liners of the manuals.
dtrace -qn 'syscall::read:entry { @[fds[arg0].fi_pathname] = count(); }' -c 'cat /etc/hostname' >/tmp/out 2>/tmp/err ||
	fail "$(cat /tmp/err)"
grep -q '/etc/hostname  *2$' /tmp/out || fail "reads by file: $(cat /tmp/out)"
dtrace -qn 'syscall:::entry { @[curpsinfo->pr_psargs] = count(); }' -c 'cat /etc/hostname' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
grep -q '^  cat /etc/hostname  *[0-9]' /tmp/out || fail "calls by command: $(cat /tmp/out)"

# What C calls them. Its O_LARGEFILE is 0, the kernel's is not.
cat >/tmp/constants.py <<'P'
import errno, os, re, signal, subprocess
wanted = {n: getattr(m, n) for m in (errno, os, signal) for n in dir(m) if re.fullmatch('E[A-Z0-9]+|SIG[A-Z0-9]+|O_[A-Z]+|SEEK_[A-Z]+', n)}
known = set(re.findall(r'inline int (\w+) =', ''.join(open(f'/src/userspace-ctl/lib/{f}.d').read() for f in ('errno', 'signal', 'unistd'))))
names = sorted(n for n in wanted if n in known and n not in ('SIGRTMIN', 'SIGRTMAX', 'O_LARGEFILE'))
text = 'BEGIN { %s exit(0); }' % ''.join(f'printf("%d ", {n}); ' for n in names)
got = subprocess.run(['dtrace', '-qn', text], stdout=subprocess.PIPE).stdout.split()
bad = [n for n, v in zip(names, got) if int(wanted[n]) != int(v)]
missing = [n for n in wanted if n.startswith(('E', 'SIG')) and n not in known and n not in ('EX_OK', 'ENOTCAPABLE')]
print(len(names) > 150, len(got) == len(names), bad, missing)
P
expect "constants" "$(python3 /tmp/constants.py)" "True True [] []"

mkdir -p /tmp/lib && cat >/tmp/lib/mine.d <<'D'
#pragma D depends_on library procfs.d
typedef struct mine { int half; string text; int wrong; } mine_t;
translator mine_t < int N > {
	half = N / 2;
	text = lltostr(N);
	wrong = nothing;
};
inline int ANSWER = 42;
D
expect "-L" "$(dtrace -L /tmp/lib -qn 'BEGIN { printf("%d %s", xlate <mine_t> (ANSWER).half, xlate <mine_t> (7).text); exit(0); }')" "21 7"
dtrace -L /tmp/lib -xerrtags -qn 'BEGIN { trace(xlate <mine_t> (1).wrong); exit(0); }' 2>/tmp/err && fail "compiled"
grep -q 'D_IDENT_UNDEF.* /tmp/lib/mine.d, line 6: failed to resolve nothing' /tmp/err || fail "$(cat /tmp/err)"
dtrace -L /nowhere -n 'BEGIN { exit(0); }' 2>/tmp/err && fail "no directory"
grep -q 'failed to read D libraries of /nowhere: No such file' /tmp/err || fail "$(cat /tmp/err)"
exit 0
