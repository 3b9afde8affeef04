/* SPDX-License-Identifier: GPL-2.0 */
struct job;

typedef struct info {
	int number;
} info_t;

provider toy {
	probe tick(int, const char *, short, uint64_t, char, unsigned char, long, int);
	probe tick__more();
	probe job(struct job *j, uint32_t size) : (uint32_t size, struct job *j);
	probe made(int *);
};

provider other {
	probe done(int);
};

#pragma D attributes Evolving/Evolving/Common provider toy provider
#pragma D attributes Private/Private/Unknown provider toy module
#pragma D attributes Stable/Evolving/Common provider toy args
