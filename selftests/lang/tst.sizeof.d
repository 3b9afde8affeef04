/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: sizes of an LP64 machine. */
#pragma D option quiet
short s; string str;
BEGIN
{
	printf("char is 1: %d\n", sizeof (char));
	printf("short is 2: %d\n", sizeof (short));
	printf("int is 4: %d\n", sizeof (int));
	printf("long is 8: %d\n", sizeof (long));
	printf("long long is 8: %d\n", sizeof (long long));
	printf("unsigned is 4: %d\n", sizeof (unsigned));
	printf("int8_t is 1: %d\n", sizeof (int8_t));
	printf("uint16_t is 2: %d\n", sizeof (uint16_t));
	printf("int32_t is 4: %d\n", sizeof (int32_t));
	printf("uint64_t is 8: %d\n", sizeof (uint64_t));
	printf("size_t is 8: %d\n", sizeof (size_t));
	printf("uintptr_t is 8: %d\n", sizeof (uintptr_t));
	printf("pid_t is 4: %d\n", sizeof (pid_t));
	printf("void * is 8: %d\n", sizeof (void *));
	printf("char ** is 8: %d\n", sizeof (char **));
	printf("s is 2: %d\n", sizeof (s));
	printf("sizeof s is 2: %d\n", sizeof s);
	printf("s + s is 4: %d\n", sizeof (s + s));
	printf("pid is 4: %d\n", sizeof (pid));
	printf("timestamp is 8: %d\n", sizeof (timestamp));
	printf("1 is 4: %d\n", sizeof (1));
	printf("1LL is 8: %d\n", sizeof (1LL));
	printf("3000000000 is 8: %d\n", sizeof (3000000000));
	printf("*(short *)0 is 2: %d\n", sizeof (*(short *)0));
	exit(0);
}
