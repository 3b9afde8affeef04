// SPDX-License-Identifier: GPL-2.0
/*
 * Packets and connections: the arguments of the providers ip, tcp and udp, made of the kernel's struct sk_buff and
 * struct sock.
 */

typedef uint32_t ipaddr_t;
typedef unsigned int netstackid_t;

typedef struct pktinfo { uintptr_t pkt_addr; } pktinfo_t;
translator pktinfo_t < struct sk_buff *B > { pkt_addr = (uintptr_t)B; };

typedef struct csinfo {
	uintptr_t cs_addr;
	uint64_t cs_cid;
	pid_t cs_pid;
	zoneid_t cs_zoneid;
} csinfo_t;

/*
 * What waits to become a connection (TCP_NEW_SYN_RECV), and what is left of one (TCP_TIME_WAIT), has only the common
 * members. The kernel sends for nobody by sockets that are no connection's.
 */
inline int __sock_small[struct sock *S] = S->__sk_common.skc_state == 12 || S->__sk_common.skc_state == 6;
inline int __sock_whole[struct sock *S] = S != NULL && !__sock_small[S];
inline int __tcp_whole[struct sock *S] = __sock_whole[S] && S->sk_type == 1;
inline int __tcp_any[struct sock *S] = S != NULL && (__sock_small[S] || S->sk_type == 1);

/* The cookie is 0 until somebody asks the kernel for it. */
translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = S == NULL ? 0 : (uint64_t)S->__sk_common.skc_cookie.counter;
	cs_pid = !__sock_whole[S] || S->sk_peer_pid == NULL ? -1 : S->sk_peer_pid->numbers[0].nr;
	cs_zoneid = 0;
};

typedef struct ipinfo {
	uint8_t ip_ver;
	uint16_t ip_plength;
	string ip_saddr;
	string ip_daddr;
} ipinfo_t;

/* Headers are where the packet's buffer says; numbers in them are in the order of the network. */
inline struct iphdr *__skb_ip[struct sk_buff *B] = (struct iphdr *)(B->head + B->network_header);
inline struct ipv6hdr *__skb_ip6[struct sk_buff *B] = (struct ipv6hdr *)(B->head + B->network_header);
inline struct tcphdr *__skb_tcp[struct sk_buff *B] = (struct tcphdr *)(B->head + B->transport_header);
inline struct udphdr *__skb_udp[struct sk_buff *B] = (struct udphdr *)(B->head + B->transport_header);
inline uint8_t __skb_version[struct sk_buff *B] = *(uint8_t *)(B->head + B->network_header) >> 4;

translator ipinfo_t < struct sk_buff *B > {
	ip_ver = __skb_version[B];
	ip_plength = __skb_version[B] == 6 ? ntohs(__skb_ip6[B]->payload_len) :
	    ntohs(__skb_ip[B]->tot_len) - 4 * __skb_ip[B]->ihl;
	ip_saddr = __skb_version[B] == 6 ? inet_ntoa6(&__skb_ip6[B]->saddr) : inet_ntoa(&__skb_ip[B]->saddr);
	ip_daddr = __skb_version[B] == 6 ? inet_ntoa6(&__skb_ip6[B]->daddr) : inet_ntoa(&__skb_ip[B]->daddr);
};

inline int AF_INET = 2;
inline int AF_INET6 = 10;

translator ipinfo_t < struct sock *S > {
	ip_ver = S->__sk_common.skc_family == AF_INET6 ? 6 : 4;
	ip_plength = 0;
	ip_saddr = S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr) :
	    inet_ntoa(&S->__sk_common.skc_rcv_saddr);
	ip_daddr = S->__sk_common.skc_family == AF_INET6 ? inet_ntoa6(&S->__sk_common.skc_v6_daddr) :
	    inet_ntoa(&S->__sk_common.skc_daddr);
};

typedef struct ifinfo {
	string if_name;
	int8_t if_local;
	netstackid_t if_ipstack;
	uintptr_t if_addr;
} ifinfo_t;

inline unsigned int IFF_LOOPBACK = 0x8;

translator ifinfo_t < struct net_device *D > {
	if_name = D == NULL ? "<null>" : stringof(D->name);
	if_local = D == NULL ? 0 : (D->flags & IFF_LOOPBACK) != 0;
	if_ipstack = 0;
	if_addr = (uintptr_t)D;
};

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;
	uint8_t ipv4_tos;
	uint16_t ipv4_length;
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;
	uint16_t ipv4_offset;
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;
} ipv4info_t;

inline uint8_t IPPROTO_ICMP = 1;
inline uint8_t IPPROTO_IGMP = 2;
inline uint8_t IPPROTO_TCP = 6;
inline uint8_t IPPROTO_UDP = 17;
inline uint8_t IPPROTO_ESP = 50;
inline uint8_t IPPROTO_AH = 51;
inline uint8_t IPPROTO_ICMPV6 = 58;
inline uint8_t IPPROTO_SCTP = 132;
inline string __protocol[int p] = p == 6 ? "TCP" : p == 17 ? "UDP" : p == 1 ? "ICMP" : p == 58 ? "ICMPV6" :
    p == 2 ? "IGMP" : p == 50 ? "ESP" : p == 51 ? "AH" : p == 132 ? "SCTP" : "<unknown>";

translator ipv4info_t < struct iphdr *I > {
	ipv4_ver = I == NULL ? 0 : I->version;
	ipv4_ihl = I == NULL ? 0 : 4 * I->ihl;
	ipv4_tos = I == NULL ? 0 : I->tos;
	ipv4_length = I == NULL ? 0 : ntohs(I->tot_len);
	ipv4_ident = I == NULL ? 0 : ntohs(I->id);
	ipv4_flags = I == NULL ? 0 : ntohs(I->frag_off) >> 13;
	ipv4_offset = I == NULL ? 0 : ntohs(I->frag_off) & 0x1fff;
	ipv4_ttl = I == NULL ? 0 : I->ttl;
	ipv4_protocol = I == NULL ? 0 : I->protocol;
	ipv4_protostr = I == NULL ? "<null>" : __protocol[I->protocol];
	ipv4_checksum = I == NULL ? 0 : ntohs(I->check);
	ipv4_src = I == NULL ? 0 : I->saddr;
	ipv4_dst = I == NULL ? 0 : I->daddr;
	ipv4_saddr = I == NULL ? "<null>" : inet_ntoa(&I->saddr);
	ipv4_daddr = I == NULL ? "<null>" : inet_ntoa(&I->daddr);
	ipv4_hdr = I;
};

typedef struct in6_addr in6_addr_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	in6_addr_t *ipv6_src;
	in6_addr_t *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;
} ipv6info_t;

translator ipv6info_t < struct ipv6hdr *I > {
	ipv6_ver = I == NULL ? 0 : I->version;
	ipv6_tclass = I == NULL ? 0 : ntohl(*(uint32_t *)I) >> 20 & 0xff;
	ipv6_flow = I == NULL ? 0 : ntohl(*(uint32_t *)I) & 0xfffff;
	ipv6_plen = I == NULL ? 0 : ntohs(I->payload_len);
	ipv6_nexthdr = I == NULL ? 0 : I->nexthdr;
	ipv6_nextstr = I == NULL ? "<null>" : __protocol[I->nexthdr];
	ipv6_hlim = I == NULL ? 0 : I->hop_limit;
	ipv6_src = I == NULL ? NULL : &I->saddr;
	ipv6_dst = I == NULL ? NULL : &I->daddr;
	ipv6_saddr = I == NULL ? "<null>" : inet_ntoa6(&I->saddr);
	ipv6_daddr = I == NULL ? "<null>" : inet_ntoa6(&I->daddr);
	ipv6_hdr = I;
};

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;
	uint8_t tcp_flags;
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	struct tcphdr *tcp_hdr;
} tcpinfo_t;

inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

translator tcpinfo_t < struct tcphdr *T > {
	tcp_sport = T == NULL ? 0 : ntohs(T->source);
	tcp_dport = T == NULL ? 0 : ntohs(T->dest);
	tcp_seq = T == NULL ? 0 : ntohl(T->seq);
	tcp_ack = T == NULL ? 0 : ntohl(T->ack_seq);
	tcp_offset = T == NULL ? 0 : 4 * T->doff;
	tcp_flags = T == NULL ? 0 : *((uint8_t *)T + 13);
	tcp_window = T == NULL ? 0 : ntohs(T->window);
	tcp_checksum = T == NULL ? 0 : ntohs(T->check);
	tcp_urgent = T == NULL ? 0 : ntohs(T->urg_ptr);
	tcp_hdr = T;
};

typedef struct tcpsinfo {
	uintptr_t tcps_addr;
	int tcps_local;
	int tcps_active;
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;
	uint32_t tcps_iss;
	uint32_t tcps_suna;
	uint32_t tcps_snxt;
	uint32_t tcps_rack;
	uint32_t tcps_rnxt;
	uint32_t tcps_swnd;
	int32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;
	uint32_t tcps_mss;
	int tcps_retransmit;
	uint32_t tcps_rtt;
	uint32_t tcps_rtt_sd;
} tcpsinfo_t;

/* As the kernel numbers them. */
inline int TCP_STATE_ESTABLISHED = 1;
inline int TCP_STATE_SYN_SENT = 2;
inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;
inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8;
inline int TCP_STATE_LAST_ACK = 9;
inline int TCP_STATE_LISTEN = 10;
inline int TCP_STATE_CLOSING = 11;

inline string tcp_state_string[int32_t state] = state == TCP_STATE_ESTABLISHED ? "state-established" :
    state == TCP_STATE_SYN_SENT ? "state-syn-sent" : state == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
    state == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" : state == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
    state == TCP_STATE_TIME_WAIT ? "state-time-wait" : state == TCP_STATE_CLOSED ? "state-closed" :
    state == TCP_STATE_CLOSE_WAIT ? "state-close-wait" : state == TCP_STATE_LAST_ACK ? "state-last-ack" :
    state == TCP_STATE_LISTEN ? "state-listen" : state == TCP_STATE_CLOSING ? "state-closing" : "<unknown>";

inline struct tcp_sock *__tcp[struct sock *S] = (struct tcp_sock *)S;

/* What TCP keeps with a packet begins with the number of its first byte. */
inline uint32_t __skb_seq[struct sk_buff *B] = *(uint32_t *)B->cb;

/* SOCK_BINDPORT_LOCK and SOCK_CONNECT_BIND: the port was asked for, or chosen to connect. Who was accepted has the listener's. */
inline int __tcp_active[struct sock *S] = (S->sk_userlocks & 0x18) != 0 && S->__sk_common.skc_state != TCP_STATE_LISTEN;

/* Windows are in bytes, rtt and rtt_sd in microseconds, rto in milliseconds. As a state changes, the socket has the one before yet. */
translator tcpsinfo_t < struct sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = __tcp_any[S] && S->__sk_common.skc_rcv_saddr == S->__sk_common.skc_daddr;
	tcps_active = __tcp_whole[S] && __tcp_active[S];
	tcps_lport = __tcp_whole[S] ? ntohs(((struct inet_sock *)S)->inet_sport) :
	    __tcp_any[S] ? S->__sk_common.skc_num : 0;
	tcps_rport = __tcp_any[S] ? ntohs(S->__sk_common.skc_dport) : 0;
	tcps_laddr = __tcp_any[S] ? xlate <ipinfo_t> (S).ip_saddr : "<unknown>";
	tcps_raddr = __tcp_any[S] ? xlate <ipinfo_t> (S).ip_daddr : "<unknown>";
	tcps_state = probeprov == "tcp" && probename == "state-change" ? arg3 :
	    !__tcp_any[S] ? TCP_STATE_CLOSED : S->__sk_common.skc_state == 12 ? TCP_STATE_SYN_RECEIVED :
	    S->__sk_common.skc_state;
	tcps_suna = __tcp_whole[S] ? __tcp[S]->snd_una : 0;
	tcps_snxt = __tcp_whole[S] ? __tcp[S]->snd_nxt : 0;
	tcps_rack = __tcp_whole[S] ? __tcp[S]->rcv_wup : 0;
	tcps_rnxt = __tcp_whole[S] ? __tcp[S]->rcv_nxt : 0;
	tcps_swnd = __tcp_whole[S] ? __tcp[S]->snd_wnd : 0;
	tcps_snd_ws = __tcp_whole[S] ? __tcp[S]->rx_opt.snd_wscale : 0;
	tcps_rwnd = __tcp_whole[S] ? __tcp[S]->rcv_wnd : 0;
	tcps_rcv_ws = __tcp_whole[S] ? __tcp[S]->rx_opt.rcv_wscale : 0;
	tcps_cwnd = __tcp_whole[S] ? __tcp[S]->snd_cwnd * __tcp[S]->mss_cache : 0;
	tcps_cwnd_ssthresh = __tcp_whole[S] ? __tcp[S]->snd_ssthresh * __tcp[S]->mss_cache : 0;
	tcps_sack_fack = !__tcp_whole[S] ? 0 : !__tcp[S]->sacked_out ? __tcp[S]->snd_una :
	    __tcp[S]->highest_sack == NULL ? __tcp[S]->snd_nxt : __skb_seq[__tcp[S]->highest_sack];
	tcps_sack_snxt = !__tcp_whole[S] ? 0 : __tcp[S]->retransmit_skb_hint == NULL ? __tcp[S]->snd_una :
	    __skb_seq[__tcp[S]->retransmit_skb_hint];
	tcps_rto = __tcp_whole[S] ? ((struct inet_connection_sock *)S)->icsk_rto * 1000 / __hz : 0;
	tcps_mss = __tcp_whole[S] ? __tcp[S]->mss_cache : 0;
	tcps_retransmit = __tcp_whole[S] ? __tcp[S]->retrans_out : 0;
	tcps_rtt = __tcp_whole[S] ? __tcp[S]->srtt_us >> 3 : 0;
	tcps_rtt_sd = __tcp_whole[S] ? __tcp[S]->mdev_us >> 2 : 0;
};

typedef struct tcplsinfo { int32_t tcps_state; } tcplsinfo_t;
translator tcplsinfo_t < int N > { tcps_state = N; };

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;
} udpinfo_t;

translator udpinfo_t < struct udphdr *U > {
	udp_sport = U == NULL ? 0 : ntohs(U->source);
	udp_dport = U == NULL ? 0 : ntohs(U->dest);
	udp_length = U == NULL ? 0 : ntohs(U->len);
	udp_checksum = U == NULL ? 0 : ntohs(U->check);
	udp_hdr = U;
};

typedef struct udpsinfo {
	uintptr_t udps_addr;
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

translator udpsinfo_t < struct sock *S > {
	udps_addr = (uintptr_t)S;
	udps_lport = S->__sk_common.skc_num;
	udps_rport = ntohs(S->__sk_common.skc_dport);
	udps_laddr = xlate <ipinfo_t> (S).ip_saddr;
	udps_raddr = xlate <ipinfo_t> (S).ip_daddr;
};

provider ip {
	probe receive(struct sk_buff *b, struct sock *s, struct net_device *d, struct iphdr *h, struct ipv6hdr *h6) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, ifinfo_t *d, ipv4info_t *h, ipv6info_t *h6);
	probe send(struct sk_buff *b, struct sock *s, struct net_device *d, struct iphdr *h, struct ipv6hdr *h6) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, ifinfo_t *d, ipv4info_t *h, ipv6info_t *h6);
};

provider tcp {
	probe accept__established(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe accept__refused(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe connect__established(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe connect__refused(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe connect__request(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe receive(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe send(struct sk_buff *b, struct sock *s, struct tcphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, tcpsinfo_t *s, tcpinfo_t *h);
	probe state__change(void *none, struct sock *s, int from, int to) :
	    (void *none, csinfo_t *s, void *none, tcpsinfo_t *s, void *none, tcplsinfo_t *from);
};

provider udp {
	probe receive(struct sk_buff *b, struct sock *s, struct udphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, udpsinfo_t *s, udpinfo_t *h);
	probe send(struct sk_buff *b, struct sock *s, struct udphdr *h) :
	    (pktinfo_t *b, csinfo_t *s, ipinfo_t *b, udpsinfo_t *s, udpinfo_t *h);
};
