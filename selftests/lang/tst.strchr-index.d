/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: strchr strrchr strstr index rindex: where things are, and what is told when they are not there. */
#pragma D option quiet
BEGIN
{
	s = "/usr/lib/dtrace";
	printf("strchr is /usr/lib/dtrace: %s\n", strchr(s, '/'));
	printf("strchr r is r/lib/dtrace: %s\n", strchr(s, 'r'));
	printf("strchr z is NULL: %s\n", strchr(s, 'z') == NULL ? "NULL" : "found");
	printf("strrchr is /dtrace: %s\n", strrchr(s, '/'));
	printf("strrchr z is NULL: %s\n", strrchr(s, 'z') == NULL ? "NULL" : "found");
	printf("strstr is lib/dtrace: %s\n", strstr(s, "lib"));
	printf("strstr '' is /usr/lib/dtrace: %s\n", strstr(s, ""));
	printf("strstr x is NULL: %s\n", strstr(s, "libx") == NULL ? "NULL" : "found");
	printf("index is 5: %d\n", index(s, "lib"));
	printf("index none is -1: %d\n", index(s, "none"));
	printf("index from 1 is 4: %d\n", index(s, "/", 1));
	printf("index from 4 is 4: %d\n", index(s, "/", 4));
	printf("index from 9 is -1: %d\n", index(s, "/", 9));
	printf("index from -5 is 0: %d\n", index(s, "/", -5));
	printf("rindex is 8: %d\n", rindex(s, "/"));
	printf("rindex from 7 is 4: %d\n", rindex(s, "/", 7));
	printf("rindex from 0 is 0: %d\n", rindex(s, "/", 0));
	printf("rindex of nothing from -1 is 0: %d\n", rindex(s, "", -1));
	printf("rindex from -1 is -1: %d\n", rindex(s, "/", -1));
	printf("rindex none is -1: %d\n", rindex(s, "none"));
	printf("rindex r is 11: %d\n", rindex(s, "r"));
	exit(0);
}
