/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: 64 bits at their ends: nothing traps, everything wraps, and comparing is right where a - b overflows. */
#pragma D option quiet
int64_t least, most, one;
BEGIN
{
	least = 1; least = least << 63; most = least - 1; one = 1;
	printf("least is -9223372036854775808: %d\n", least);
	printf("most is 9223372036854775807: %d\n", most);
	printf("-least is -9223372036854775808: %d\n", -least);
	printf("least / -1 is -9223372036854775808: %d\n", least / -one);
	printf("least %% -1 is 0: %d\n", least % -one);
	printf("least * -1 is -9223372036854775808: %d\n", least * -one);
	printf("least - 1 is 9223372036854775807: %d\n", least - one);
	printf("most + 1 is -9223372036854775808: %d\n", most + one);
	printf("most * most is 1: %d\n", most * most);
	printf("least / 10 is -922337203685477580: %d\n", least / 10);
	printf("least %% 10 is -8: %d\n", least % 10);
	printf("least < most is 1: %d\n", least < most);
	printf("most > least is 1: %d\n", most > least);
	printf("least >= most is 0: %d\n", least >= most);
	printf("least <= 1 is 1: %d\n", least <= one);
	printf("1 < least is 0: %d\n", one < least);
	printf("(unsigned)least > most is 1: %d\n", (uint64_t)least > (uint64_t)most);
	printf("(unsigned)least / 2 is 4611686018427387904: %u\n", (uint64_t)least / 2);
	printf("most >> 62 is 1: %d\n", most >> 62);
	printf("least >> 63 is -1: %d\n", least >> 63);
	printf("(unsigned)least >> 63 is 1: %d\n", (uint64_t)least >> 63);
	exit(0);
}
