// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers such as no command is. Tests compile it in the guest.
 *
 *	consumers count CONSUMERS FIRES	every consumer has each firing of many:main:args:one once, in a
 *					record, in an aggregation, or as a drop
 *	consumers race THREADS SECONDS	threads, and children that are killed, throw ioctls at one file
 *					while it is replaced under them
 *
 * The structures are those of rust/abi.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;
typedef uint32_t u32;

struct enable { u64 dof, size; u32 matched, pad; };
struct bufdesc { u64 data, size; u32 cpu, errors; u64 drops, oldest, timestamp; };
struct go { u32 cpu, left_out; u64 bufsize, aggsize; u32 probes, pad; };
struct status { u64 drops[9]; u32 filled, exiting, killed, pad; };

#define BUFSNAP _IOWR('d', 4, struct bufdesc)
#define ENABLE _IOWR('d', 6, struct enable)
#define AGGSNAP _IOWR('d', 7, struct bufdesc)
#define STATUS _IOWR('d', 11, struct status)
#define GO _IOWR('d', 12, struct go)
#define STOP _IOWR('d', 13, struct go)

#define NONE (~(u32)0)
#define BUFSIZE (256 << 10)
#define CPUS 4

static void die(const char *what)
{
	printf("consumers: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A DOF: `PROBE { trace(arg0); trace(arg0); } PROBE { @[arg0] = count(); }` */
static char dof[4096];
static size_t dof_size;

struct section { u32 kind, align, flags, entry; u64 offset, size; };

static void make_dof(void)
{
	static const char strings[] = "\0many\0main\0args\0one";
	const u32 probe[] = { 0, 1, 6, 11, 16, 0 };
	/* ldgs arg0, %r1; ret %r1 */
	const u32 text[] = { 41u << 24 | 0x106 << 8 | 1, 35u << 24 | 1 };
	/* an integer of 8 bytes, then the link to the text */
	const u32 difo[] = { 1 << 8, 8, 2 };
	struct action { u32 difo, strtab, kind, ntuple; u64 arg, uarg; };
	const struct action traces[] = { { 3, NONE, 1, 0, 0, 0 }, { 3, NONE, 1, 0, 0, 0 } };
	const struct action counts[] = { { 3, NONE, 1, 0, 0, 0 }, { NONE, NONE, 0x701, 1, 0, 1 } };
	const struct { u32 probe, predicate, actions, pad; u64 uarg; }
		first = { 1, NONE, 4, 0, 1 }, second = { 1, NONE, 6, 0, 2 };
	const struct { u32 option, strtab; u64 value; } options[] = { { 0, NONE, BUFSIZE }, { 3, NONE, BUFSIZE } };
	const struct { u32 kind, entry; const void *data; size_t size; } in[] = {
		{ 8, 0, strings, sizeof(strings) }, { 4, 0, probe, sizeof(probe) }, { 7, 4, text, sizeof(text) },
		{ 6, 0, difo, sizeof(difo) }, { 5, sizeof(struct action), traces, sizeof(traces) },
		{ 3, 0, &first, sizeof(first) }, { 5, sizeof(struct action), counts, sizeof(counts) },
		{ 3, 0, &second, sizeof(second) }, { 14, sizeof(options[0]), options, sizeof(options) },
	};
	const size_t n = sizeof(in) / sizeof(in[0]);
	struct section *s = (void *)(dof + 64);
	u64 at = 64 + n * sizeof(*s);
	struct { char ident[16]; u32 flags, header, section, count; u64 offset, load, file, pad; } head = {
		.ident = { 0x7f, 'D', 'O', 'F', 2, 1, 2, 2, 8, 8 },
		.header = 64, .section = sizeof(*s), .count = n, .offset = 64,
	};

	for (size_t i = 0; i < n; i++, at = (at + 7) & ~7ull) {
		s[i] = (struct section){ in[i].kind, 8, 1, in[i].entry, at, in[i].size };
		memcpy(dof + at, in[i].data, in[i].size);
		at += in[i].size;
	}
	head.load = head.file = dof_size = at;
	memcpy(dof, &head, sizeof(head));
}

static int enable(int fd)
{
	struct enable e = { .dof = (u64)(uintptr_t)dof, .size = dof_size };

	return ioctl(fd, ENABLE, &e);
}

static void fire(const char *times)
{
	int fd = open("/sys/module/many/parameters/fire", O_WRONLY);

	if (fd < 0 || write(fd, times, strlen(times)) < 0)
		die("fire");
	close(fd);
}

struct record { u32 epid, timestamp[2], gap; u64 a, b; };
struct entry { u32 id, hash, size, link; u64 key, value; };

/* Records of a snapshot, or the end of the program. EPIDs are 1 and 2, once more for each further ENABLE. */
static u64 records(const struct bufdesc *b)
{
	const struct record *r = (void *)(uintptr_t)b->data;
	const u64 n = b->size / sizeof(*r);

	if (b->size % sizeof(*r) || b->errors)
		die("malformed buffer");
	for (u64 i = 0; i < n; i++)
		if (r[i].epid % 2 != 1 || r[i].epid > 1000 || r[i].gap || r[i].a != r[i].b)
			die("malformed record");
	return n;
}

static u64 counted(const struct bufdesc *b)
{
	const struct entry *e = (void *)(uintptr_t)b->data;
	const u64 n = b->size / sizeof(*e);
	u64 sum = 0;

	if (b->size % sizeof(*e))
		die("malformed table");
	for (u64 i = 0; i < n; i++) {
		if (e[i].size != 16 || !e[i].value)
			die("malformed entry");
		sum += e[i].value;
	}
	return sum;
}

static int snap(int fd, unsigned long which, u32 cpu, void *room, struct bufdesc *b)
{
	*b = (struct bufdesc){ .data = (u64)(uintptr_t)room, .size = BUFSIZE, .cpu = cpu };
	return ioctl(fd, which, b);
}

/* count */
struct consumer {
	int fd;
	u64 records, record_drops, counted, count_drops;
};
static struct consumer consumers[256];
static int n_consumers;
static atomic_bool enough;

static void collect(struct consumer *c)
{
	static char room[BUFSIZE];
	struct bufdesc b;

	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		if (snap(c->fd, BUFSNAP, cpu, room, &b) == 0) {
			c->records += records(&b);
			c->record_drops += b.drops;
		} else if (errno != ENOENT) {
			die("BUFSNAP");
		}
		if (snap(c->fd, AGGSNAP, cpu, room, &b) == 0) {
			c->counted += counted(&b);
			c->count_drops += b.drops;
		} else if (errno != ENOENT) {
			die("AGGSNAP");
		}
	}
}

static void *collector(void *unused)
{
	while (!enough)
		for (int i = 0; i < n_consumers; i++)
			collect(&consumers[i]);
	return unused;
}

static int count(int n, int fires)
{
	pthread_t thread;
	struct go go;
	u64 seen = 0;

	n_consumers = n;
	for (int i = 0; i < n; i++) {
		consumers[i].fd = open("/dev/dtrace/dtrace", O_RDWR);
		if (consumers[i].fd < 0 || enable(consumers[i].fd) || ioctl(consumers[i].fd, GO, &go))
			die("start");
	}
	if (pthread_create(&thread, NULL, collector, NULL))
		die("thread");
	for (int i = 0; i < fires; i++)
		fire("10");
	enough = true;
	pthread_join(thread, NULL);
	for (int i = 0; i < n; i++) {
		struct consumer *c = &consumers[i];

		if (ioctl(c->fd, STOP, &go))
			die("STOP");
		collect(c);
		seen += c->records;
		if (c->records + c->record_drops != 10ull * fires || c->counted + c->count_drops != 10ull * fires) {
			printf("consumer %d: %d fired, %lu records, %lu dropped; %lu counted, %lu dropped\n", i,
			       10 * fires, c->records, c->record_drops, c->counted, c->count_drops);
			return 1;
		}
		if (i % 2)
			close(c->fd);
	}
	printf("%d consumers: %lu of %lu firings in records, the others counted\n", n, seen, 10ul * fires * n);
	return seen < 5ull * fires * n;
}

/* race */
#define FD 100
static atomic_ulong done[8];
static const char *const names[8] = { "ENABLE", "GO", "STOP", "BUFSNAP", "AGGSNAP", "STATUS", "reopen", "records" };

static void reopen(void)
{
	int fd = open("/dev/dtrace/dtrace", O_RDWR);

	if (fd < 0 || dup2(fd, FD) < 0)
		die("open");
	close(fd);
}

/* One random call. What it may be refused with is all that is known about it. */
static void step(unsigned int *seed, char *room)
{
	const unsigned int r = rand_r(seed) >> 8;
	struct bufdesc b;
	struct go go;
	struct status s;
	int what, err;

	switch (r % 32) {
	case 0 ... 3: what = 0; err = enable(FD); break;
	case 4 ... 7: what = 1; err = ioctl(FD, GO, &go); break;
	case 8: what = 2; err = ioctl(FD, STOP, &go); break;
	case 9 ... 19: what = 3; err = snap(FD, BUFSNAP, r / 32 % 3, room, &b); break;
	case 20 ... 26: what = 4; err = snap(FD, AGGSNAP, r / 32 % 3, room, &b); break;
	case 27 ... 29: what = 5; err = ioctl(FD, STATUS, &s); break;
	case 30: what = 6; err = r / 32 % 4; if (!err) reopen(); else errno = EBUSY; break;
	default: fire("5"); return;
	}
	if (err) {
		if (errno != EBUSY && errno != ENOENT)
			die(names[what]);
		return;
	}
	done[what]++;
	if (what == 3)
		done[7] += records(&b);
	else if (what == 4)
		counted(&b);
}

static void *racer(void *seed)
{
	unsigned int random = (unsigned int)(uintptr_t)seed;
	char *room = malloc(BUFSIZE);

	while (!enough)
		step(&random, room);
	free(room);
	return NULL;
}

static int race(int threads, int seconds)
{
	const time_t end = time(NULL) + seconds;
	pthread_t thread[64];
	static char room[BUFSIZE];
	unsigned int seed = 1;
	int bad = 0, killed = 0;

	reopen();
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, racer, (void *)(uintptr_t)(i + 2)))
			die("thread");
	while (time(NULL) < end) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		seed++;
		if (child == 0)
			for (;;)
				step(&seed, room);
		usleep(20000 + seed * 7919 % 100000);
		kill(child, SIGKILL);
		waitpid(child, &bad, 0);
		if (!WIFSIGNALED(bad))
			die("a child ended");
		killed++;
	}
	enough = true;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	bad = 0;
	for (int i = 0; i < 8; i++) {
		printf("%s %lu, ", names[i], done[i]);
		bad |= done[i] < 20;
	}
	printf("killed %d\n", killed);
	return bad || killed < 3;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		die("usage");
	setvbuf(stdout, NULL, _IONBF, 0);
	make_dof();
	if (!strcmp(argv[1], "count"))
		return count(atoi(argv[2]), atoi(argv[3]));
	return race(atoi(argv[2]), atoi(argv[3]));
}
