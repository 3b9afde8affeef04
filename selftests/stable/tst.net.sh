# SPDX-License-Identifier: GPL-2.0
# ASSERTION: connections begin, are refused, change their states and end, packets and datagrams go and come, of both versions of
# IP: each is told of with its addresses, ports, sizes and socket.
. /src/selftests/lib/sh
# SIOCSIFFLAGS: up; SIOCSIFMTU: large datagrams are divided.
python3 -c '
import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x49))
fcntl.ioctl(s, 0x8922, struct.pack("16si12x", b"lo", 1500))' || fail "no loopback"
cat >/tmp/talk.py <<'P'
import socket, time
TCP, UDP = socket.SOCK_STREAM, socket.SOCK_DGRAM
def read(s, n):
    while n: n -= len(s.recv(n))
def ending(port):
    rows = [l.split() for name in ("tcp", "tcp6") for l in open("/proc/net/" + name)]
    return any(r[1].endswith(":%04X" % port) and r[3] != "0A" for r in rows)
for family, here in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    server = socket.socket(family, TCP)
    server.bind((here, 7001)); server.listen()
    client = socket.socket(family, TCP)
    client.bind((here, 7002)); client.connect((here, 7001))
    accepted, _ = server.accept()
    client.sendall(b"x" * 1000); read(accepted, 1000)
    accepted.sendall(b"y" * 300); read(client, 300)
    client.close()
    assert accepted.recv(1) == b""
    accepted.close()
    while ending(7001): time.sleep(0.1)
    server.close()
    client = socket.socket(family, TCP)
    client.bind((here, 7003))
    try: client.connect((here, 7004)); raise SystemExit("not refused")
    except ConnectionRefusedError: client.close()
    a, b = socket.socket(family, UDP), socket.socket(family, UDP)
    a.bind((here, 7005)); b.bind((here, 7006))
    a.sendto(b"z" * 100, (here, 7006)); b.recv(1000)
    b.sendto(b"z" * 20000, (here, 7005)); a.recv(30000)
P
cat >/tmp/talk.d <<'D'
#pragma D option quiet
tcp:::connect-request, tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established, tcp:::accept-refused
/args[4]->tcp_sport >= 7001 && args[4]->tcp_sport <= 7004/ {
	printf("%s: IPv%d %s %d to %s %d\n", probename, args[2]->ip_ver, args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr,
	    args[4]->tcp_dport);
}
tcp:::connect-established, tcp:::accept-established, tcp:::connect-refused
/args[3]->tcps_lport == args[4]->tcp_dport && args[3]->tcps_rport == args[4]->tcp_sport/ {
	printf("%s: socket %s %d, %s %d\n", probename, args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport);
}
tcp:::accept-refused { printf("%s: socket %s %d\n", probename, args[3]->tcps_laddr, args[3]->tcps_state == TCP_STATE_CLOSED); }
tcp:::state-change /args[3]->tcps_lport >= 7001 && args[3]->tcps_lport <= 7003/ {
	printf("%s %d %s -> %s\n", args[3]->tcps_laddr, args[3]->tcps_lport, tcp_state_string[args[5]->tcps_state],
	    tcp_state_string[args[3]->tcps_state]);
}
tcp:::send, tcp:::receive { this->size = args[2]->ip_plength - args[4]->tcp_offset; }
tcp:::send, tcp:::receive /this->size && args[4]->tcp_sport + args[4]->tcp_dport == 14003/ {
	printf("%s: %s %d %d bytes, socket %d %d\n", probename, args[2]->ip_saddr, args[4]->tcp_sport, this->size,
	    args[3]->tcps_lport, args[3]->tcps_rport);
}
tcp:::send /args[4]->tcp_sport == 7001 && args[4]->tcp_flags & TH_SYN/ {
	printf("%s answers: socket %s %d %s %d %d\n", args[2]->ip_saddr, args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, args[1]->cs_pid);
}
tcp:::receive /args[4]->tcp_dport == 7004/ { printf("%s for none: %d\n", args[2]->ip_saddr, args[3]->tcps_addr == 0); }
udp:::send, udp:::receive /args[4]->udp_sport == 7005 || args[4]->udp_sport == 7006/ {
	@u[probename, args[2]->ip_saddr, args[4]->udp_sport, args[4]->udp_dport, args[3]->udps_lport] = sum(args[4]->udp_length - 8);
}
ip:::send, ip:::receive /args[3]->if_name == "lo" && args[4] != NULL && args[4]->ipv4_protocol == IPPROTO_UDP/ {
	@i[probename, args[4]->ipv4_saddr, args[2]->ip_ver] = sum(args[4]->ipv4_length);
}
/* Parts begin with a header of their own. */
ip:::send, ip:::receive /args[3]->if_local && args[5] != NULL && (args[5]->ipv6_nexthdr == IPPROTO_UDP || args[5]->ipv6_nexthdr == 44)/ {
	@i[probename, args[5]->ipv6_saddr, args[2]->ip_ver] = sum(args[5]->ipv6_plen);
}
END {
	printa("udp %s: %s %d to %d, socket %d: %@d\n", @u);
	printa("ip %s: %s %d %@d\n", @i);
}
D
dtrace -s /tmp/talk.d -c 'python3 /tmp/talk.py' >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
[ -s /tmp/err ] && fail "$(cat /tmp/err)"
for a in 127.0.0.1 ::1; do
	v=4 size=20416
	[ $a = ::1 ] && v=6 size=20228
	cat <<E
connect-request: IPv$v $a 7002 to $a 7001
connect-request: IPv$v $a 7003 to $a 7004
connect-established: IPv$v $a 7001 to $a 7002
connect-established: socket $a 7002, $a 7001
accept-established: IPv$v $a 7002 to $a 7001
accept-established: socket $a 7001, $a 7002
connect-refused: IPv$v $a 7004 to $a 7003
connect-refused: socket $a 7003, $a 7004
accept-refused: IPv$v $a 7004 to $a 7003
accept-refused: socket <unknown> 1
$a 7001 state-closed -> state-listen
$a 7001 state-listen -> state-closed
$a 7001 state-listen -> state-syn-received
$a 7001 state-syn-received -> state-established
$a 7001 state-established -> state-close-wait
$a 7001 state-close-wait -> state-last-ack
$a 7001 state-last-ack -> state-closed
$a 7002 state-closed -> state-syn-sent
$a 7002 state-syn-sent -> state-established
$a 7002 state-established -> state-fin-wait-1
$a 7002 state-fin-wait-1 -> state-fin-wait-2
$a 7002 state-fin-wait-2 -> state-closed
$a 7003 state-closed -> state-syn-sent
$a 7003 state-syn-sent -> state-closed
send: $a 7002 1000 bytes, socket 7002 7001
receive: $a 7002 1000 bytes, socket 7001 7002
send: $a 7001 300 bytes, socket 7001 7002
receive: $a 7001 300 bytes, socket 7002 7001
$a answers: socket $a 7001 $a 7002 -1
$a for none: 1
udp send: $a 7005 to 7006, socket 7005: 100
udp receive: $a 7005 to 7006, socket 7006: 100
udp send: $a 7006 to 7005, socket 7006: 20000
udp receive: $a 7006 to 7005, socket 7005: 20000
ip send: $a $v $size
ip receive: $a $v $size
E
done | sort -u >/tmp/wanted
# What is sent again is told of again.
grep . /tmp/o | sort -u | diff /tmp/wanted - || fail "not as it should be"

# What the protocols count is what /proc/net/snmp says; and what a socket is like.
cat >/tmp/mib.d <<'D'
#pragma D option quiet
mib:::tcpActiveOpens, mib:::tcpPassiveOpens, mib:::tcpAttemptFails, mib:::tcpInSegs, mib:::tcpOutRsts, mib:::udpOutDatagrams,
mib:::udpInDatagrams, mib:::ipInReceives, mib:::ipOutRequests { @[probename] = sum(arg0); }
tcp:::connect-established, tcp:::accept-established { @active[probename] = sum(args[3]->tcps_active); }
tcp:::receive /args[3]->tcps_addr && args[3]->tcps_rack > args[3]->tcps_rnxt/ { @wrong["rack"] = count(); }
tcp:::send /args[3]->tcps_sack_fack && args[3]->tcps_state == TCP_STATE_ESTABLISHED &&
    (args[3]->tcps_sack_fack != args[3]->tcps_suna || args[3]->tcps_sack_snxt != args[3]->tcps_suna)/ { @wrong["sack"] = count(); }
END { printa("%s %@d\n", @); printa("active %s %@d\n", @active); printa("wrong %s %@d\n", @wrong); }
D
cat >/tmp/snmp.py <<'P'
import subprocess, sys
def counts():
    rows = [l.split() for l in open("/proc/net/snmp")]
    found = {}
    for names, values in zip(rows[::2], rows[1::2]):
        for n, v in zip(names[1:], values[1:]): found[names[0][:-1].lower() + n] = int(v)
    for l in open("/proc/net/snmp6"):
        n, v = l.split()
        for six, name in (("Udp6OutDatagrams", "udpOutDatagrams"), ("Udp6InDatagrams", "udpInDatagrams")):
            if n == six: found[name] += int(v)
    return found
before = counts()
subprocess.check_call(["python3", "/tmp/again.py"])
for name, n in counts().items(): print("told", name, n - before[name])
P
# The ports of the first time are in TIME_WAIT.
sed 's/700\([1-6]\)/710\1/g' /tmp/talk.py >/tmp/again.py
dtrace -s /tmp/mib.d -c 'python3 /tmp/snmp.py' >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
for name in tcpActiveOpens tcpPassiveOpens tcpAttemptFails tcpInSegs tcpOutRsts udpOutDatagrams udpInDatagrams ipInReceives ipOutRequests; do
	grep -q "^$name [1-9]" /tmp/o || { cat /tmp/o /tmp/err; fail "no $name"; }
	expect "$name" "$(awk -v n=$name '$1 == n { print $2 }' /tmp/o)" "$(awk -v n=$name '$2 == n { print $3 }' /tmp/o)"
done
expect "who connected" "$(grep ^active /tmp/o | sort | xargs)" "active accept-established 0 active connect-established 2"
grep ^wrong /tmp/o && fail "acknowledged"
exit 0
