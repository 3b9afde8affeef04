#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sslsniff: print the text that a program sends and receives by TLS
 *
 * It reads the text before OpenSSL encrypts it, and after it decrypts it. Only the first line of each call is
 * printed. It does not see a program that reads and writes by an object of BIO_f_ssl.
 *
 * process: required
 * needs: The program must use OpenSSL's libssl as a library.
 * overhead: One or two probes fire at each call, and copy up to a kilobyte of text.
 * example:
 *   # sslsniff -p 356
 *   PID     COMMAND          CALL    BYTES TEXT
 *   356     python3          WRITE      21 GET / tls
 *   356     python3          READ       21 GET / tls
 */
#pragma D option strsize=1k
#pragma D option zdefs

BEGIN
{
	printf("%-7s %-16s %-5s %7s %s\n", "PID", "COMMAND", "CALL", "BYTES", "TEXT");
}

self uint64_t count;

/* The text is there before the call; how much of it was sent is not known before the end, which may be elsewhere. */
pid$target:libssl:SSL_write:entry,
pid$target:libssl:SSL_write_ex:entry
{
	this->bytes = probefunc == "SSL_write" ? (uint32_t)arg2 : arg2;
	printf("%-7d %-16s %-5s %7d %s\n", pid, execname, "WRITE", this->bytes,
	    strtok(copyinstr(arg1, this->bytes < 1000 ? this->bytes + 1 : 1000), "\r\n"));
}

pid$target:libssl:SSL_read:entry
{
	self->text = arg1;
	self->count = 0;
}

pid$target:libssl:SSL_read_ex:entry
{
	self->text = arg1;
	self->count = arg3;
}

pid$target:libssl:SSL_read:return,
pid$target:libssl:SSL_read_ex:return
/self->text && (int)arg1 > 0/
{
	this->bytes = self->count ? *(uint64_t *)copyin(self->count, 8) : (uint32_t)arg1;
	printf("%-7d %-16s %-5s %7d %s\n", pid, execname, "READ", this->bytes,
	    strtok(copyinstr(self->text, this->bytes < 1000 ? this->bytes + 1 : 1000), "\r\n"));
}

pid$target:libssl:SSL_read:return,
pid$target:libssl:SSL_read_ex:return
{
	self->text = 0;
	self->count = 0;
}
