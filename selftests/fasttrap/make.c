// SPDX-License-Identifier: GPL-2.0
/*
 * Requests probes in a process by the ioctl alone, without symbols:
 *
 *	make PID entry|return|offset MODULE FUNCTION ADDRESS SIZE PLACE...
 *
 * With FILE=INODE:DEVICE in the environment, that file is expected there.
 *
 *	make let-fail
 *
 * It prints the number of new probes, and for each refused place the number of the reason. With
 * FAIL=N in the environment, all but the first N allocations fail during the request. With
 * let-fail, they fail from then on, for each N that it reads (-1: none). The structures are those
 * of rust/abi/src/user.rs.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct make { uint64_t from, size, refusals; uint32_t refused, pid, made, pad; };
struct probe { uint64_t address, semaphore, inode; uint32_t device, zero, size, places; uint8_t kind, args, lens[4]; uint16_t pad; };
struct refusal { uint32_t probe, place, reason, pad; };

static int let_fail(int fd, uint64_t after) { return ioctl(fd, _IOWR('d', 127, uint64_t), &after); }

int main(int argc, char **argv)
{
	static union { struct probe head; char bytes[1 << 20]; } u;
	static struct refusal refusals[1000];
	struct make make = { .refusals = (uintptr_t)refusals, .refused = 1000 };
	uint32_t *places = (uint32_t *)(&u.head + 1), n = 0;
	const char *fail = getenv("FAIL"), *file = getenv("FILE");
	char *at;
	long after;
	int fd, i, bad = 0;

	if (argc == 2) {
		fd = open("/dev/dtrace/dtrace", O_RDWR);
		while (scanf("%ld", &after) == 1) {
			puts(let_fail(fd, after) ? "not set" : "set");
			fflush(stdout);
		}
		return 0;
	}
	if (argc < 8)
		return 2;
	make.pid = atoi(argv[1]);
	u.head.kind = !strcmp(argv[2], "entry") ? 1 : !strcmp(argv[2], "return") ? 2 : 3;
	u.head.address = strtoull(argv[5], NULL, 16);
	u.head.size = strtoul(argv[6], NULL, 0);
	for (i = 7; i < argc; i++)
		places[n++] = strtoul(argv[i], NULL, 0);
	u.head.places = n;
	if (file && sscanf(file, "%lu:%u", &u.head.inode, &u.head.device) != 2)
		return 2;
	u.head.lens[1] = strlen(argv[3]);
	u.head.lens[2] = strlen(argv[4]);
	at = stpcpy(stpcpy((char *)(places + n), argv[3]), argv[4]);
	make.from = (uintptr_t)&u;
	make.size = (at - u.bytes + 7) & ~7ul;
	fd = open("/dev/dtrace/dtrace", O_RDWR);
	if (fd < 0 || (fail && let_fail(fd, atol(fail))) || (bad = ioctl(fd, _IOWR('d', 40, struct make), &make))) {
		perror("make");
		bad = 1;
	}
	if (fail)
		let_fail(fd, -1);
	if (bad)
		return 1;
	printf("made %u\n", make.made);
	for (i = 0; i < (int)make.refused; i++)
		printf("refused %x: %u\n", refusals[i].place, refusals[i].reason);
	return 0;
}
