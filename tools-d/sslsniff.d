#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sslsniff: print the text that a program sends and receives by TLS
 *
 * It reads the text before OpenSSL encrypts it, and after it decrypts it. Only the first line of each call is
 * printed.
 *
 * process: required
 * needs: The program must use OpenSSL's libssl as a library.
 * overhead: Two or three probes fire at each call, and copy up to a kilobyte of text.
 * example:
 *   # sslsniff -p 1234
 *   PID     COMMAND          CALL    BYTES TEXT
 */
#pragma D option strsize=1k
#pragma D option zdefs

BEGIN
{
	printf("%-7s %-16s %-5s %7s %s\n", "PID", "COMMAND", "CALL", "BYTES", "TEXT");
}

self uint64_t count;

pid$target:libssl:SSL_write:entry,
pid$target:libssl:SSL_read:entry
{
	self->text = arg1;
	self->count = 0;
}

pid$target:libssl:SSL_write_ex:entry,
pid$target:libssl:SSL_read_ex:entry
{
	self->text = arg1;
	self->count = arg3;
}

pid$target:libssl:SSL_write:return,
pid$target:libssl:SSL_read:return,
pid$target:libssl:SSL_write_ex:return,
pid$target:libssl:SSL_read_ex:return
/self->text && (int)arg1 > 0/
{
	this->bytes = self->count ? *(uint64_t *)copyin(self->count, 8) : (int)arg1;
	printf("%-7d %-16s %-5s %7d %s\n", pid, execname, index(probefunc, "write") >= 0 ? "WRITE" : "READ", this->bytes,
	    strtok(copyinstr(self->text, this->bytes < 1000 ? this->bytes + 1 : 1000), "\r\n"));
}

pid$target:libssl:SSL_write:return,
pid$target:libssl:SSL_read:return,
pid$target:libssl:SSL_write_ex:return,
pid$target:libssl:SSL_read_ex:return
{
	self->text = 0;
	self->count = 0;
}
