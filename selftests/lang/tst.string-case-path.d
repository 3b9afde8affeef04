/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: toupper tolower basename dirname cleanpath. */
#pragma D option quiet
BEGIN
{
	printf("toupper is HELLO, WORLD 1: %s\n", toupper("Hello, World 1"));
	printf("tolower is hello, world 1: %s\n", tolower("Hello, World 1"));
	printf("bytes beyond ASCII stay is \303\244A: %s\n", toupper("\303\244a"));
	printf("basename is c: %s\n", basename("/a/b/c"));
	printf("basename b/ is b: %s\n", basename("a/b/"));
	printf("basename / is /: %s\n", basename("/"));
	printf("basename '' is .: %s\n", basename(""));
	printf("basename a is a: %s\n", basename("a"));
	printf("dirname is /a/b: %s\n", dirname("/a/b/c"));
	printf("dirname a is .: %s\n", dirname("a"));
	printf("dirname /a is /: %s\n", dirname("/a"));
	printf("dirname / is /: %s\n", dirname("/"));
	printf("dirname a/b/ is a: %s\n", dirname("a/b/"));
	printf("dirname '' is .: %s\n", dirname(""));
	printf("cleanpath is /a/c: %s\n", cleanpath("/a//./b/../c"));
	printf("cleanpath .. is /: %s\n", cleanpath("/a/../.."));
	printf("cleanpath / is /: %s\n", cleanpath("/"));
	exit(0);
}
