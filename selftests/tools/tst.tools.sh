# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every tool of tools-d/ prints what its workload did, under the head that its manual page shows.
# SECONDS: 200
. /src/selftests/lib/sh
tools=/src/tools-d
# The runner keeps what is in /out.
kept=/tmp/kept
[ ! -d /out ] || kept=/out/kept
mkdir -p "$kept"
declare -A runs
bad=0
# The pattern of a tool whose probes this machine may lack.
needed='^'

# check TOOL [WORD...] -- PATTERN...: runs the tool; its output has the head of its example and a line for each pattern.
check() {
	local name=$1 words=() out rc head why=() pattern begun=${EPOCHREALTIME/./}
	shift
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	shift
	runs[$name]=$((${runs[$name]:-0} + 1))
	out=$kept/$name.${runs[$name]}
	timeout $((40 * SLOW)) dtrace --tool "$tools/$name.d" "${words[@]}" </tmp/input >"$out" 2>"$out.err"
	rc=$?
	# A tool whose probes this machine lacks says what it needs.
	if [ $rc = 1 ] && [ "$1" = "$needed" ]; then
		tr -s ' \n' ' ' <"$out.err" | grep -qF -- "$(sed -n 's/^ \* needs: //p' "$tools/$name.d")" || why+=("no sentence on what it needs")
		cp "$tools/$name.d" "$out"
		shift
		rc=0
	fi
	[ $rc = 0 ] || why+=("status $rc")
	grep -q 'error on enabled probe' "$out.err" && why+=("a fault")
	# The line below the command in the example; a manual page that is not yet written has none.
	head=$(sed -n '/^ \* example:$/{n;n;s/^ \*  *//p;q}' "$tools/$name.d" | tr -s ' ')
	[ ${runs[$name]} != 1 ] || sed 's/^[ *]*//' "$out" | tr -s ' ' | grep -qxF -- "$head" || why+=("no head '$head'")
	for pattern; do grep -qE -- "$pattern" "$out" || why+=("no line like '$pattern'"); done
	printf '%4d ms %s\n' $(((${EPOCHREALTIME/./} - begun) / 1000)) "$name"
	[ ${#why[@]} = 0 ] && return
	bad=$((bad + 1))
	printf 'BAD %s:' "$name"; printf ' %s;' "${why[@]}"
	printf '\n'; head -c 1500 "$out"; head -c 1500 "$out.err"
}

# What the workloads need.
echo 'echo typed' >/tmp/input
head -c 65536 /dev/zero | tr '\0' x >/tmp/data
: >/tmp/owned
driver hworld
driver many
modprobe loop && . /src/selftests/stable/iso && iso /tmp/disk file 2000000 && losetup /dev/loop0 /tmp/disk || fail "no disk"
mkdir -p /tmp/mnt /tmp/mnt2 && mount -t iso9660 -o ro /dev/loop0 /tmp/mnt || fail "no file system"
modprobe kvm || fail "no kvm"
modprobe zram && echo 64M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || fail "no swap"
cat >/tmp/swap.py <<'P'
import mmap
m = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.write(b"x" * (1 << 20))
m.madvise(21)
for n in range(0, 1 << 20, 4096): m[n]
P
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
cat >/tmp/oom <<'S'
mkdir -p /sys/fs/cgroup/small
echo 24M >/sys/fs/cgroup/small/memory.max
echo 0 >/sys/fs/cgroup/small/memory.swap.max
echo $$ >/sys/fs/cgroup/small/cgroup.procs
python3 -c 'x = b"x" * (100 << 20)'
true
S
cat >/tmp/talk.py <<'P'
import socket, sys
here = ("127.0.0.1", int(sys.argv[1]))
def read(s, n):
    while n: n -= len(s.recv(n))
server = socket.socket(); server.bind(here); server.listen()
client = socket.create_connection(here)
peer, _ = server.accept()
client.sendall(b"x" * 1000); read(peer, 1000)
peer.sendall(b"y" * 300); read(client, 300)
client.close(); peer.recv(1); peer.close()
P
cat >/tmp/lost.py <<'P'
import socket
s = socket.socket(); s.settimeout(6)
s.connect_ex(("127.0.0.1", 7204))
P
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /tmp/key -out /tmp/cert -subj /CN=here 2>/dev/null
cat >/tmp/tls.py <<'P'
import ssl
def side(is_server):
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    if is_server: c.load_cert_chain("/tmp/cert", "/tmp/key")
    else: c.check_hostname, c.verify_mode = False, ssl.CERT_NONE
    i, o = ssl.MemoryBIO(), ssl.MemoryBIO()
    return c.wrap_bio(i, o, server_side=is_server), i, o
a, ai, ao = side(False)
b, bi, bo = side(True)
for n in range(4):
    for s in a, b:
        try: s.do_handshake()
        except ssl.SSLWantReadError: pass
        bi.write(ao.read()); ai.write(bo.read())
a.write(b"GET / tls\r\nmore text\n")
bi.write(ao.read())
b.read(100)
P
cat >/tmp/contend <<'S'
for writer in 1 2; do
	for n in {1..5}; do echo 20 >/sys/module/many/parameters/hold; done &
done
wait
S
cat >/tmp/stub.c <<'C'
#include <sys/sdt.h>
#include <unistd.h>
/* The probes of other programs, as their sources have them. */
int main(void)
{
	DTRACE_PROBE3(python, function__entry, "/x/a.py", "main", 3);
	DTRACE_PROBE3(python, function__return, "/x/a.py", "main", 9);
	DTRACE_PROBE4(ruby, method__entry, "Shop", "sell", "/x/a.rb", 3);
	DTRACE_PROBE4(ruby, method__return, "Shop", "sell", "/x/a.rb", 9);
	DTRACE_PROBE5(php, function__entry, "sell", "/x/a.php", 3, "", "");
	DTRACE_PROBE5(php, function__return, "sell", "/x/a.php", 9, "", "");
	DTRACE_PROBE1(hotspot, gc__begin, 1);
	DTRACE_PROBE(hotspot, gc__end);
	return 0;
}
C
cat >/tmp/postgres.c <<'C'
#include <sys/sdt.h>
#include <unistd.h>
int main(void)
{
	for (;;) {
		DTRACE_PROBE1(postgresql, query__start, "select 1");
		usleep(100000);
		DTRACE_PROBE1(postgresql, query__done, "select 1");
	}
}
C
cat >/tmp/mariadbd.c <<'C'
#include <unistd.h>
__attribute__((noinline)) int _Z16dispatch_command19enum_server_commandP3THDPcjb(int c, void *thd, char *text, unsigned n, int b)
{
	return usleep(n) + text[0] + c;
}
int main(void)
{
	return _Z16dispatch_command19enum_server_commandP3THDPcjb(3, 0, "select 2", 8, 0) == 0;
}
C
cat >/tmp/node.c <<'C'
#include <unistd.h>
/* A major collection, which begins a minor one. */
__attribute__((noinline)) int _ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorE(void *heap, int collector)
{
	int minor = collector ? _ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorE(heap, 0) : 0;
	return usleep(1000) + minor;
}
int main(void)
{
	return _ZN2v88internal4Heap24PerformGarbageCollectionENS0_16GarbageCollectorE(0, 1);
}
C
cat >/tmp/leak.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void leaks(void) { for (int n = 0; n < 7; n++) *(volatile char *)malloc(1000) = 1; }
int main(void) { leaks(); for (int n = 0; n < 9; n++) free(malloc(50)); return 0; }
C
cat >/tmp/locks.c <<'C'
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x); pthread_mutex_lock(y); pthread_mutex_unlock(y); pthread_mutex_unlock(x);
}
int main(void) { both(&a, &b); both(&b, &a); return 0; }
C
for program in stub postgres mariadbd node leak locks; do
	gcc -O1 -I/src/userspace-ctl/include -o /tmp/$program /tmp/$program.c -lpthread || fail "gcc $program"
done
cp /tmp/stub /tmp/stub1
/tmp/postgres & servers=$!
tc qdisc add dev lo root netem loss 100% && { python3 /tmp/lost.py & servers+=" $!"; } || fail netem
check tcpretrans -d 3 -- '^127.0.0.1 +[0-9]+ +127.0.0.1 +7204 +syn-sent$'
tc qdisc del dev lo root
check execsnoop -c "sh -c 'ls / >/dev/null; true'" -- ' 0 ls /$'
check execsnoop -j -c "sh -c 'ls / >/dev/null; true'" -- '^\{"type":"record",.*"values":\[.*"value":"ls /"\}'
check execsnoop -x -c "sh -c 'cd /; exec /nosuch'" -- ' 2 /nosuch$'
check exits -c "sh -c 'exit 3'" -- '^sh .* 3 +0$'
check exits -x -c "sh -c 'kill -9 \$\$'" -- '^sh .* 0 +9$'
check threadsnoop -c "python3 -c 'import threading; t = threading.Thread(target=int); t.start(); t.join()'" -- '^[0-9]+ +python3 +[0-9]+'
check pidpersec 1 2 -c "sh -c 'while :; do /bin/true; done'" -- '^20[0-9]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+ +[1-9][0-9]*$'
check killsnoop -c "sh -c 'kill -0 \$\$; kill -15 \$\$'" -- '^[0-9]+ +sh +15 +[0-9]+ +0$'
check killsnoop -s 9 -c "sh -c 'kill -9 999999'" -- ' 9 +999999 +3$'
check signals -c "sh -c 'kill -15 \$\$'" -- '^sh +sh +15 +1$'
check zombies 200 -c "python3 -c 'import os, time; p = os.fork() or os._exit(7); time.sleep(0.5); os.wait()'" -- '^[0-9]+ +python3 +[0-9]+ +python3 +[0-9]+$'
check capable -c "chown 1 /tmp/owned" -- ' 0 +CAP_CHOWN +yes$'
check setuids -c "python3 -c 'import os; os.setgid(7); os.setuid(1)'" -- '^0 .* setuid +1 +0$' '^0 .* setgid +7 +0$'
check oomkill -c "bash /tmp/oom" -- '^[0-9]+ +[a-z0-9]+ +[0-9]+ +python3 +[1-9][0-9]*$'
check ttysnoop -c "python3 -c 'import os; m, s = os.openpty(); os.write(s, b\"seen by all\")'" -- '^pts[0-9]+ +[0-9]+ +python3 +seen by all$'
check bashreadline -c "bash --norc -i" -- '^20[0-9]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+ +[0-9]+ +echo typed$'
check syscount -c "dd if=/dev/zero of=/dev/null bs=1 count=700 status=none" -- '^write +70[0-9] *$'
check syscount -L -c "sleep 0.1" -- '^clock_nanosleep +1 +1[0-9]{5}$'
check syscount -L -T 1 -c "sleep 0.1" -- '^clock_nanosleep +1 +1[0-9]{5}$'
expect "rows of syscount -T 1" "$(grep -cE '^[a-z0-9_]+ +[0-9]+ +[0-9]+$' "$kept/syscount.3")" 1
check errinfo -c "cat /nosuch" -- '^cat +openat +2 +ENOENT +[1-9]'
check opensnoop -c "cat /etc/hostname" -- '^[0-9]+ +cat +3 +0 +/etc/hostname$'
check opensnoop -x -f nosuch -c "cat /nosuch" -- '^[0-9]+ +cat +-1 +2 +/nosuch$'
check statsnoop -c "stat /nosuch" -- '^[0-9]+ +stat +(statx|newfstatat) +2 +/nosuch$'
check biolatency -c "dd if=/dev/loop0 of=/dev/null bs=4k count=16 iflag=direct status=none" -- '^ +[0-9]+ \|@+ +[0-9]+'
check biolatency -DF -k loop0 -c "dd if=/dev/loop0 of=/dev/null bs=4k count=16 iflag=direct status=none" -- '^ +loop0 +read *$'
check biosnoop -k loop0 -c "dd if=/dev/loop0 of=/dev/null bs=4k count=2 iflag=direct status=none" -- '^dd +[0-9]+ +loop0 +R +8 +4096 +[0-9]+$'
check biotop -c "dd if=/dev/loop0 of=/dev/null bs=4k count=16 iflag=direct status=none" -- '^[0-9]+ +dd +loop0 +R +16 +64 +[0-9]+$'
check bitesize -c "dd if=/dev/loop0 of=/dev/null bs=4k count=16 iflag=direct status=none" -- '^ +dd' '^ +4096 \|@+ +16'
check iotop -c "dd if=/dev/loop0 of=/dev/null bs=4k count=16 iflag=direct status=none" -- '^0 +[0-9]+ +[0-9]+ +dd +loop0 +R +65536$'
check iopattern -c "dd if=/dev/loop0 of=/dev/null bs=4k count=16 iflag=direct status=none" -- '^loop0 +(9[0-9]|100) +16 +4096 +64$'
check filetop -c "dd if=/tmp/data of=/tmp/copy bs=1k count=64 status=none" -- '^[0-9]+ +dd +R +data +64 +64$' '^[0-9]+ +dd +W +copy +64 +64$'
check fileslower 0 -c "sh -c 'read x </etc/hostname'" -- '^sh +[0-9]+ +R +[1-9][0-9]* +[0-9]+\.[0-9]{3} +/etc/hostname$'
check fsslower -t tmpfs 0 -c "sync /tmp/data" -- '^sync +[0-9]+ +tmpfs +(fsync|open) .* /tmp/data$'
check cachestat -c "dd if=/tmp/mnt/file of=/dev/null bs=4k count=64 status=none" -- '^ *[1-9][0-9]* +[0-9]+ +[1-9][0-9]* +[0-9]+$'
check dcsnoop -c "cat /tmp/nosuch1" -- '^cat +nosuch1 +1$'
check mountsnoop -c "python3 -c 'import ctypes; l = ctypes.CDLL(None); l.mount(b\"none\", b\"/tmp/mnt2\", b\"tmpfs\", 0, None); l.umount(b\"/tmp/mnt2\")'" -- '^python3 +[0-9]+ +mount +0 +none on /tmp/mnt2 as tmpfs$' '^python3 +[0-9]+ +umount2 +0 +/tmp/mnt2$'
check syncsnoop -c "sync /tmp/data" -- '^[0-9]+ +sync +fsync +[0-9]+$'
check swapin -c "python3 /tmp/swap.py" -- '^python3 +[0-9]+ +[1-9][0-9]*$'
check vfsstat -c "sh -c 'cat /etc/hostname; cat /etc/hostname; cat /etc/hostname'" -- '^20[0-9]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+ +[1-9][0-9]* +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$'
check rwtop -c "dd if=/dev/zero of=/dev/null bs=1000 count=9 status=none" -- '^0 +[0-9]+ +dd +W +9000$'
check rwsnoop -c "dd if=/etc/hostname of=/dev/null count=1 status=none" -- '^0 +[0-9]+ +dd +R +[1-9][0-9]* +/etc/hostname$'
check runqlat -P -c "sh -c 'sleep 0.1; true'" -- '^ +[0-9]+ \|@+ +[1-9]'
check runqslower 0 -c "sh -c 'sleep 0.1; true'" -- '^20[0-9]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+ +sh +[0-9]+ +[0-9]+$'
check runqlen -c "sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i+1)); done'" -- '^ +(< )?[0-9]+ \|@+ +[1-9]'
check cpudist -O -P -c "sleep 0.3" -- '^ +sleep' '^ +262144 \|@+ +1'
check offcputime -K -c "sleep 0.1" -- '^ +vmlinux.schedule' '^ +sleep +[1-9][0-9]{5}$'
check wakeuptime -c "sleep 0.1" -- '^ +sleep +[^ ]+ +1[0-9]{5}$'
check offwaketime -c "sh -c '(sleep 0.1) & wait'" -- '^ +vmlinux.schedule' '^ +sleep +sh +[1-9][0-9]{4,5}$'
check hotkernel -c "dd if=/dev/zero of=/dev/null bs=1M count=400 status=none" -- '^vmlinux.[a-z_0-9.]+ +[1-9][0-9]*$'
check hotkernel -m -c "dd if=/dev/zero of=/dev/null bs=1M count=200 status=none" -- '^vmlinux +[1-9][0-9]*$'
check hotuser -c "sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'" -- '^(dash|libc.so.6).[a-zA-Z_0-9]+.* [1-9][0-9]*$'
check profile -F 199 -c "sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'" -- '^ +(dash|libc.so.6).' '^ +sh +[1-9][0-9]*$'
check profile -f -K -F 199 -c "dd if=/dev/zero of=/dev/null bs=1M count=400 status=none" -- '^dd;vmlinux.[^ ]+ [1-9][0-9]*$'
check cpuwalk -c "taskset 2 sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'" -- '^ +sh' '^ +1 \|@+ +[1-9]'
check llcstat -c "true" -- "$needed"
check softirqs -c "sleep 0.3" -- '^(TIMER|SCHED|RCU|HRTIMER|NET_RX|BLOCK|TASKLET) +[1-9][0-9]* +[0-9]+$'
check hardirqs -c "md5sum /src/README.md /src/HACKING.md" -- '^virtio[0-9]+-[a-z0-9.]+ +[1-9][0-9]* +[0-9]+$'
check xcalls -c "python3 -c 'import threading, time
t = threading.Thread(target=time.sleep, args=[0.2]); t.start(); time.sleep(0.1); t.join()'" -- '^COMMAND +PID +COUNT$'
check loads 1 1 -- '^20[0-9]{2} [A-Z][a-z]{2} +[0-9]+ [0-9:]+ +[0-9]+\.[0-9]{2} +[0-9]+\.[0-9]{2} +[0-9]+\.[0-9]{2}$'
check funccount 'vfs_re*' -c "cat /etc/hostname" -- '^vfs_read +[1-9][0-9]*$'
check ufunccount libc 'mem*' -c "ls /" -- '^libc.so.6 +mem[a-z_0-9]+ +[1-9][0-9]*$'
check probecount 'hworld:::' -c "cat /proc/hello-world" -- '^hworld +read1 +return +2$'
check funclatency vfs_read -c "cat /etc/hostname" -- '^ +[0-9]+ \|@+ +[1-9]'
check ufunclatency libc malloc -c "ls /" -- '^ +[0-9]+ \|@+ +[1-9]'
check funcslower vfs_read 0 -c "cat /etc/hostname" -- '^cat +[0-9]+ +[0-9]+ +0x[0-9a-f]+ +vfs_read\(0x[0-9a-f]+, 0x[0-9a-f]+, 0x[0-9a-f]+, '
check argdist fbt::vfs_read:entry arg2 -c "dd if=/dev/zero of=/dev/null bs=4096 count=9 status=none" -- '^ +4096 \|@+ +9'
check argcount -P 'arg0 == 1' syscall::write:entry arg2 -c "dd if=/dev/zero of=/dev/null bs=4096 count=9 status=none" -- '^ +4096 +9$'
check stackcount fbt::vfs_read:entry -c "cat /etc/hostname" -- '^ +vmlinux.ksys_read' '^ +cat +[1-9]'
check drvlatency hworld -c "cat /proc/hello-world" -- '^ +read1' '^ +[0-9]+ \|@+ +[1-9]'
check kvmexits -c "true" -- '^COMMAND +TID +EXITS +AVG\(ns\)$'
check tcpconnect -P 7201 -c "python3 /tmp/talk.py 7201" -- '^[0-9]+ +python3 +4 +127.0.0.1 +127.0.0.1 +7201$'
check tcpaccept -P 7202 -c "python3 /tmp/talk.py 7202" -- '^[0-9]+ +python3 +4 +127.0.0.1 +[0-9]+ +127.0.0.1 +7202$'
check tcplife -D 7203 -c "python3 /tmp/talk.py 7203" -- '^[0-9]+ +python3 +127.0.0.1 +[0-9]+ +127.0.0.1 +7203 +1000 +30[01] +[0-9]+$'
check tcptop 9 -c "python3 /tmp/talk.py 7205" -- '^[0-9]+ +python3 +127.0.0.1 +[0-9]+ +127.0.0.1 +7205 +1000 +300$'
check tcpstates -D 7206 -c "python3 /tmp/talk.py 7206" -- '^127.0.0.1 +[0-9]+ +127.0.0.1 +7206 +syn-sent +established +[0-9]+$' '^127.0.0.1 +[0-9]+ +127.0.0.1 +7206 +established +fin-wait-1 +[0-9]+$'
check tcprtt -a -P 7207 -c "python3 /tmp/talk.py 7207" -- '^ +127.0.0.1' '^ +[0-9]+ \|@+ +[1-9]'
check tcprefused -c "python3 -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 7208))'" -- '^here +127.0.0.1 +[0-9]+ +127.0.0.1 +7208$' '^peer +127.0.0.1 +[0-9]+ +127.0.0.1 +7208$'
check udpsnoop -P 7209 -c "python3 -c 'import socket; s = socket.socket(2, 2); s.bind((\"127.0.0.1\", 7209)); s.sendto(b\"x\" * 77, (\"127.0.0.1\", 7209)); s.recv(99)'" -- '^send +[0-9]+ +python3 +127.0.0.1 +7209 +127.0.0.1 +7209 +77$' '^receive +- +- +127.0.0.1 +7209 +127.0.0.1 +7209 +77$'
check solisten -c "python3 /tmp/talk.py 7210" -- '^[0-9]+ +python3 +4 +127.0.0.1 +7210 +[0-9]+ +0$'
check gethostlatency -c "getent ahosts localhost" -- '^[0-9]+ +getent +[0-9]+ +localhost$'
check sslsniff -c "python3 /tmp/tls.py" -- '^[0-9]+ +python3 +WRITE +21 +GET / tls$' '^[0-9]+ +python3 +READ +21 +GET / tls$'
check mallocstat -c "ls /" -- '^ +malloc' '^ +[0-9]+ \|@+ +[1-9]'
check memleak -c "/tmp/leak" -- '^leak.(leaks|main)[^ ]* +7000 +7$'
check slabratetop 9 -c "cat /etc/hostname" -- '^(filp|vm_area_struct|anon_vma) +[1-9][0-9]* +[1-9][0-9]*$'
check pgfaults -c "cat /etc/hostname" -- '^cat +[0-9]+ +[1-9][0-9]* +[0-9]+ +[1-9][0-9]*$'
check drsnoop -c "bash /tmp/oom" -- '^(COMMAND|python3) +(PID|[0-9]+) +(TIME\(us\)|[0-9]+) +(PAGES|[0-9]+)$'
check locks -c "bash /tmp/contend" -- '^mutex +many`__this_module +bash +[1-9][0-9]* +[1-9][0-9]{4,}$'
check plockstat -m 0 -c "/tmp/locks" -- '^0x[0-9a-f]+ +[^ ]+ +[1-9][0-9]* +[0-9]+$'
check deadlock -c "/tmp/locks" -- '^[0-9]+ +[0-9]+ +0x[0-9a-f]+ +0x[0-9a-f]+ +[^ ]+$'
check dbstat -d 2 -- '^ +[0-9]+ \|@+ +[1-9]'
check dbslower -d 2 0 -- '^[0-9]+ +[0-9]+\.[0-9]{3} +select 1$'
check mysqlstat -c "/tmp/mariadbd" -- '^ +[0-9]+ \|@+ +[1-9]'
check mysqlslower 0 -c "/tmp/mariadbd" -- '^[0-9]+ +[0-9]+\.[0-9]{3} +select 2$'
check pythonflow -c "/tmp/stub python3" -- '^[0-9]+ +-> main +a\.py:3$' '^[0-9]+ +<- main +a\.py:9$'
check pythongc -c "python3 -c 'import gc; gc.collect()'" -- '^[0-9]+ +2 +[0-9]+ +[0-9]+$'
check pythonimport -c "python3 -c 'import json'" -- '^[0-9]+ +[0-9]+ +yes +json$'
check rubyflow -c "/tmp/stub ruby" -- '^[0-9]+ +-> Shop#sell +a\.rb:3$' '^[0-9]+ +<- Shop#sell +a\.rb:9$'
check phpflow -c "/tmp/stub php" -- '^[0-9]+ +-> sell +a\.php:3$' '^[0-9]+ +<- sell +a\.php:9$'
check nodegc -c "/tmp/node" -- '^[0-9]+ +major +[0-9]+$'
check javagc -c "/tmp/stub java" -- '^[0-9]+ +yes +[0-9]+$'
check dtruss sh -c 'read x </etc/hostname; echo words; kill -15 999999; kill -0 $$' -- 'openat\(AT_FDCWD, "/etc/hostname", O_RDONLY' \
	' close\(3\) = 0$' ' exit_group\(0\) = \?$' ' mmap\(0, [0-9]+, PROT_READ, MAP_PRIVATE, 3, 0\) = 0x7' \
	' write\(1, "words\\n", 6\) = 6$' ' kill\(999999, SIGTERM\) = -1 ESRCH$' ' kill\([0-9]+, 0\) = 0$'
check dtruss -f sh -c 'cat /dev/null; true' -- ' execve\("/usr/bin/cat", .* = 0$' ' wait4\(-1, .* = [0-9]+$'
check dtruss -c dd if=/dev/zero of=/dev/null bs=1 count=700 status=none -- '^write +70[0-9] +0 +[0-9]+$' '^openat +[0-9]+ +[0-9]+ +[0-9]+$'
check dtruss -e -r -t connect python3 -c 'import socket; socket.socket().connect_ex(("127.0.0.1", 7208))' -- \
	' [0-9]+us [0-9]+us connect\(3, \{AF_INET, 127.0.0.1:7208\}, 16\) = -1 ECONNREFUSED$'
kill $servers 2>/dev/null
# What a machine lacks is said.
dtrace --tool "$tools/rubyflow.d" -c true >/tmp/o 2>&1 && fail "rubyflow without ruby"
grep -q 'Ruby must be built with --enable-dtrace' /tmp/o || fail "rubyflow: $(cat /tmp/o)"
for file in "$tools"/*.d; do
	name=$(basename "$file" .d)
	[ -n "${runs[$name]:-}" ] || { echo "BAD $name: no test runs it"; bad=$((bad + 1)); }
done
[ $bad = 0 ] || fail "$bad runs"
