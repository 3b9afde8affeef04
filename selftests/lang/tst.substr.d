/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: substr(s, from, [length]): a negative start counts from the end, a negative length leaves that much off. */
#pragma D option quiet
BEGIN
{
	s = "dynamic";
	printf("from 0 is [dynamic]: [%s]\n", substr(s, 0));
	printf("from 3 is [amic]: [%s]\n", substr(s, 3));
	printf("from 3 for 2 is [am]: [%s]\n", substr(s, 3, 2));
	printf("from 3 for 0 is []: [%s]\n", substr(s, 3, 0));
	printf("from 3 for 100 is [amic]: [%s]\n", substr(s, 3, 100));
	printf("from 7 is []: [%s]\n", substr(s, 7));
	printf("from 100 is []: [%s]\n", substr(s, 100));
	printf("from -3 is [mic]: [%s]\n", substr(s, -3));
	printf("from -3 for 2 is [mi]: [%s]\n", substr(s, -3, 2));
	printf("from 1 for -2 is [ynam]: [%s]\n", substr(s, 1, -2));
	exit(0);
}
