// SPDX-License-Identifier: GPL-2.0
/* The arguments of the providers sysinfo and vminfo: how many; the counter, of which there is none. */

provider sysinfo {
	probe cpumigrate(uint64_t amount, uint64_t *counter);
	probe idlethread(uint64_t amount, uint64_t *counter);
	probe intr(uint64_t amount, uint64_t *counter);
	probe inv_swtch(uint64_t amount, uint64_t *counter);
	probe modload(uint64_t amount, uint64_t *counter);
	probe modunload(uint64_t amount, uint64_t *counter);
	probe msg(uint64_t amount, uint64_t *counter);
	probe mutex_adenters(uint64_t amount, uint64_t *counter);
	probe namei(uint64_t amount, uint64_t *counter);
	probe nthreads(uint64_t amount, uint64_t *counter);
	probe pswitch(uint64_t amount, uint64_t *counter);
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
