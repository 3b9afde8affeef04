// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers that behave as the command never does. Tests compile this program in the guest.
 *
 *	consumers count CONSUMERS FIRES	each consumer must get each firing of many:main:args:one
 *					exactly once: in a record, in an aggregation, or as a drop
 *	consumers start CONSUMERS 0	only starts so many
 *	consumers race THREADS TIMES	threads, and children that are killed, make random ioctls on
 *					one file, which is replaced meanwhile, until each call has
 *					succeeded TIMES times
 *	consumers again TIMES FUNCTIONS	enables and disables fbt:vmlinux:FUNCTIONS: TIMES times
 *	consumers memory STEP FUNCTIONS	the same, while all allocations from the first, second, ... on
 *					fail during STEP, which is ENABLE, GO or close. Afterwards the
 *					text START-END (TEXT in the environment) must be unchanged.
 *					With EVERY=N in the environment, tries only each Nth position.
 *					The step `leave` disables the probes without any memory, and
 *					ends
 *
 * The structures are those of rust/abi.
 */
#define _GNU_SOURCE
#include <elf.h>
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
#include <unistd.h>

typedef uint64_t u64;
typedef uint32_t u32;

struct enable { u64 dof, size; u32 matched, pad; };
struct bufdesc { u64 data, size; u32 cpu, errors; u64 drops, oldest, timestamp; };
struct go { u32 cpu, left_out; u64 bufsize, aggsize, dynvarsize, specsize; u32 probes, pad; };
struct status { u64 drops[12]; u32 filled, exiting, killed, pressing, strangers, mapped; };

#define BUFSNAP _IOWR('d', 4, struct bufdesc)
#define ENABLE _IOWR('d', 6, struct enable)
#define AGGSNAP _IOWR('d', 7, struct bufdesc)
#define STATUS _IOWR('d', 11, struct status)
#define GO _IOWR('d', 12, struct go)
#define STOP _IOWR('d', 13, struct go)
#define FAIL _IOWR('d', 127, u64)

#define NONE (~(u32)0)
#define BUFSIZE (256 << 10)
#define CPUS 4

static void die(const char *what)
{
	printf("consumers: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The description: four strings, each with a NUL before. */
static char strings[256] = "\0many\0main\0args\0one";

/* A DOF: `PROBE { trace(arg0); trace(arg0); } PROBE { @[arg0] = count(); }` */
static char dof[4096];
static size_t dof_size;

struct section { u32 kind, align, flags, entry; u64 offset, size; };

static void make_dof(void)
{
	u32 probe[6] = { 0 };
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

	for (u32 i = 0, offset = 1; i < 4; i++, offset += strlen(strings + offset) + 1)
		probe[i + 1] = offset;
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

/* Returns the number of records in a snapshot. EPIDs are 1 and 2, plus 2 for each more ENABLE. */
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
	if (!fires)
		return 0;
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

/* Makes one random call. Only the errors that it may be refused with are known. */
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

/* Tells whether each call has succeeded often enough. A slow machine takes longer for that. */
static bool raced(unsigned long times)
{
	for (int i = 0; i < 8; i++)
		if (done[i] < times)
			return false;
	return true;
}

static int race(int threads, int times)
{
	pthread_t thread[64];
	static char room[BUFSIZE];
	unsigned int seed = 1;
	int bad = 0, killed = 0;

	reopen();
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, racer, (void *)(uintptr_t)(i + 2)))
			die("thread");
	while (!raced(times) || killed < times / 4) {
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
	for (int i = 0; i < 8; i++)
		printf("%s %lu, ", names[i], done[i]);
	printf("killed %d\n", killed);
	return 0;
}

/* Selects fbt:vmlinux:FUNCTIONS:, pidTARGET::FUNCTIONS:, or probes FUNCTIONS of PROVIDER. */
static void describe(const char *functions)
{
	const char *target = getenv("TARGET"), *provider = getenv("PROVIDER");
	const int n = snprintf(strings + 1, sizeof(strings) - 1, "%s%s%c%s%c%s%c%s%c", target ? "pid" : provider ?: "fbt",
			       target ?: "", 0, target ? "" : "vmlinux", 0, provider ? "" : functions, 0,
			       provider ? functions : "", 0);

	if (n >= (int)sizeof(strings) - 2)
		die("usage");
	make_dof();
}

/* again */
static int again(int times)
{
	struct go go = { .probes = 0 };

	for (int i = 0; i < times; i++) {
		int fd = open("/dev/dtrace/dtrace", O_RDWR);

		if (fd < 0 || enable(fd) || ioctl(fd, GO, &go))
			die("start");
		if (go.left_out || go.probes < 2) {
			printf("%u probes, %u left out\n", go.probes, go.left_out);
			return 1;
		}
		close(fd);
	}
	printf("%d times %u probes\n", times, go.probes);
	return 0;
}

/* memory */
static u64 text_start, text_size;

static void read_text(char *room)
{
	static int core = -1;
	Elf64_Ehdr head;
	Elf64_Phdr part;
	char name[32];

	if (getenv("TARGET")) {
		snprintf(name, sizeof(name), "/proc/%s/mem", getenv("TARGET"));
		if (core < 0)
			core = open(name, O_RDONLY);
		if (pread(core, room, text_size, text_start) != (ssize_t)text_size)
			die(name);
		return;
	}
	if (core < 0)
		core = open("/proc/kcore", O_RDONLY);
	if (core < 0 || pread(core, &head, sizeof(head), 0) != sizeof(head))
		die("/proc/kcore");
	for (int i = 0; i < head.e_phnum; i++) {
		pread(core, &part, sizeof(part), head.e_phoff + i * sizeof(part));
		if (part.p_type != PT_LOAD || text_start < part.p_vaddr || text_start + text_size > part.p_vaddr + part.p_memsz)
			continue;
		for (u64 at = 0; at < text_size;) {
			const ssize_t n = pread(core, room + at, text_size - at, part.p_offset + text_start + at - part.p_vaddr);

			if (n <= 0)
				die("/proc/kcore");
			at += n;
		}
		return;
	}
	die("text");
}

static void let_fail(u64 after)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/dtrace/dtrace", O_RDWR);
	if (fd < 0 || ioctl(fd, FAIL, &after))
		die("FAIL");
}

/* Leaves probes disabled although there was no memory for that. */
static int leave(void)
{
	struct go go;
	int fd = open("/dev/dtrace/dtrace", O_RDWR);

	if (fd < 0 || enable(fd) || ioctl(fd, GO, &go))
		die("leave");
	let_fail(0);
	close(fd);
	let_fail(~0ull);
	return 0;
}

/* Each round disables the probes again, and has memory for that except in the step close. */
static int memory(const char *step, const char *functions)
{
	const bool in_enable = !strcmp(step, "ENABLE"), in_go = !strcmp(step, "GO"), in_close = !strcmp(step, "close");
	char *before, *after;
	const int every = getenv("EVERY") ? atoi(getenv("EVERY")) : 1;
	u32 left_out = 0;
	int errors = 0;

	if (!getenv("TEXT") || sscanf(getenv("TEXT"), "%lx-%lx", &text_start, &text_size) != 2)
		die("TEXT");
	text_size -= text_start;
	before = malloc(text_size);
	after = malloc(text_size);
	let_fail(~0ull);
	if (!strcmp(step, "leave"))
		return leave();
	read_text(before);
	for (int n = 0; n < 20000; n += every) {
		struct go go = { .probes = 0 };
		int fd = open("/dev/dtrace/dtrace", O_RDWR), err;

		if (fd < 0)
			die("open");
		if (in_enable)
			let_fail(n);
		err = enable(fd) ? errno : 0;
		if (in_go)
			let_fail(n);
		if (!err)
			err = ioctl(fd, GO, &go) ? errno : 0;
		let_fail(~0ull);
		if (err && err != ENOMEM)
			die(step);
		if (in_close) {
			let_fail(n);
			close(fd);
			let_fail(~0ull);
			/* The next consumer restores places that could not be restored without memory. */
			describe(getenv("TARGET") || getenv("PROVIDER") ? functions : "vfs_write");
			fd = open("/dev/dtrace/dtrace", O_RDWR);
			if (enable(fd) || ioctl(fd, GO, &go) || go.left_out)
				die("the next one");
			describe(functions);
		}
		if (err) {
			read_text(after);
			if (memcmp(before, after, text_size)) {
				printf("%s: text has changed after allocation %d failed, while the file is open\n", step, n);
				return 1;
			}
		}
		close(fd);
		read_text(after);
		if (memcmp(before, after, text_size)) {
			printf("%s: text has changed after allocation %d failed\n", step, n);
			return 1;
		}
		errors += err != 0;
		left_out += go.left_out;
		if (in_close ? n >= 24 : !err && !go.left_out) {
			printf("%s: %u probes, %d allocations: %d errors, %u probes left out\n", step, go.probes, n, errors,
			       left_out);
			return in_close ? 0 : errors < 3;
		}
	}
	printf("%s never succeeds\n", step);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		die("usage");
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(argv[1], "again") || !strcmp(argv[1], "memory")) {
		describe(argv[3]);
		return argv[1][0] == 'a' ? again(atoi(argv[2])) : memory(argv[2], argv[3]);
	}
	make_dof();
	if (!strcmp(argv[1], "count") || !strcmp(argv[1], "start"))
		return count(atoi(argv[2]), atoi(argv[3]));
	return race(atoi(argv[2]), atoi(argv[3]));
}
