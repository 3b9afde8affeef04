# SPDX-License-Identifier: GPL-2.0
# ASSERTION: tcps_rto is in milliseconds, as the kernel's own tcp_info has it for the same socket, tcps_rtt in microseconds.
. /src/selftests/lib/sh
python3 -c '
import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x49))' || fail "no loopback"
cat >/tmp/talk.py <<'P'
import socket, struct
server = socket.socket()
server.bind(("127.0.0.1", 7011)); server.listen()
client = socket.create_connection(("127.0.0.1", 7011))
peer, _ = server.accept()
client.sendall(b"x"); peer.recv(1)
# Before more is sent: a probe sees what is asked for here.
rto = struct.unpack("I", client.getsockopt(socket.IPPROTO_TCP, 11, 12)[8:12])[0]
client.sendall(b"y")
print("told", rto // 1000, flush=True)
P
dtrace -qn 'tcp:::send /args[4]->tcp_dport == 7011 && args[2]->ip_plength - args[4]->tcp_offset == 1/
	{ printf("seen %d %d\n", args[3]->tcps_rto, args[3]->tcps_rtt < 10000000); }' -c 'python3 /tmp/talk.py' >/tmp/o 2>/tmp/err ||
	fail "$(cat /tmp/err)"
told=$(sed -n 's/^told //p' /tmp/o)
[ "${told:-0}" -ge 200 ] || fail "the kernel says $told ms: $(cat /tmp/o)"
expect "the second byte" "$(sed -n 's/^seen //p' /tmp/o | tail -1)" "$told 1"
