// SPDX-License-Identifier: GPL-2.0
/* The arguments of the providers sysinfo, vminfo and mib: how many; the counter, of which there is none. */

provider sysinfo {
	probe cpumigrate(uint64_t amount, uint64_t *counter);
	probe idlethread(uint64_t amount, uint64_t *counter);
	probe intr(uint64_t amount, uint64_t *counter);
	probe inv_swtch(uint64_t amount, uint64_t *counter);
	probe lread(uint64_t amount, uint64_t *counter);
	probe lwrite(uint64_t amount, uint64_t *counter);
	probe modload(uint64_t amount, uint64_t *counter);
	probe modunload(uint64_t amount, uint64_t *counter);
	probe msg(uint64_t amount, uint64_t *counter);
	probe mutex_adenters(uint64_t amount, uint64_t *counter);
	probe namei(uint64_t amount, uint64_t *counter);
	probe nthreads(uint64_t amount, uint64_t *counter);
	probe outch(uint64_t amount, uint64_t *counter);
	probe procovf(uint64_t amount, uint64_t *counter);
	probe pswitch(uint64_t amount, uint64_t *counter);
	probe rawch(uint64_t amount, uint64_t *counter);
	probe readch(uint64_t amount, uint64_t *counter);
	probe rw_rdfails(uint64_t amount, uint64_t *counter);
	probe rw_wrfails(uint64_t amount, uint64_t *counter);
	probe sema(uint64_t amount, uint64_t *counter);
	probe sysexec(uint64_t amount, uint64_t *counter);
	probe sysfork(uint64_t amount, uint64_t *counter);
	probe sysread(uint64_t amount, uint64_t *counter);
	probe sysvfork(uint64_t amount, uint64_t *counter);
	probe syswrite(uint64_t amount, uint64_t *counter);
	probe writech(uint64_t amount, uint64_t *counter);
	probe xcalls(uint64_t amount, uint64_t *counter);
};

provider vminfo {
	probe anonpgin(uint64_t amount, uint64_t *counter);
	probe anonpgout(uint64_t amount, uint64_t *counter);
	probe as_fault(uint64_t amount, uint64_t *counter);
	probe dfree(uint64_t amount, uint64_t *counter);
	probe maj_fault(uint64_t amount, uint64_t *counter);
	probe pgin(uint64_t amount, uint64_t *counter);
	probe pgout(uint64_t amount, uint64_t *counter);
	probe pgpgin(uint64_t amount, uint64_t *counter);
	probe pgpgout(uint64_t amount, uint64_t *counter);
	probe pgrrun(uint64_t amount, uint64_t *counter);
	probe prot_fault(uint64_t amount, uint64_t *counter);
	probe scan(uint64_t amount, uint64_t *counter);
	probe zfod(uint64_t amount, uint64_t *counter);
};

provider mib {
	probe icmpInMsgs(uint64_t amount, uint64_t *counter);
	probe icmpOutMsgs(uint64_t amount, uint64_t *counter);
	probe ipForwDatagrams(uint64_t amount, uint64_t *counter);
	probe ipInReceives(uint64_t amount, uint64_t *counter);
	probe ipOutRequests(uint64_t amount, uint64_t *counter);
	probe ipReasmReqds(uint64_t amount, uint64_t *counter);
	probe tcpActiveOpens(uint64_t amount, uint64_t *counter);
	probe tcpAttemptFails(uint64_t amount, uint64_t *counter);
	probe tcpEstabResets(uint64_t amount, uint64_t *counter);
	probe tcpInSegs(uint64_t amount, uint64_t *counter);
	probe tcpOutRsts(uint64_t amount, uint64_t *counter);
	probe tcpPassiveOpens(uint64_t amount, uint64_t *counter);
	probe tcpRetransSegs(uint64_t amount, uint64_t *counter);
	probe udpInDatagrams(uint64_t amount, uint64_t *counter);
	probe udpInErrors(uint64_t amount, uint64_t *counter);
	probe udpOutDatagrams(uint64_t amount, uint64_t *counter);
};
