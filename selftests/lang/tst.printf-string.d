/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: strings and characters with width and precision; %S and %C escape. */
#pragma D option quiet
BEGIN
{
	printf("s is [hello]: [%s]\n", "hello");
	printf("width is [  hello]: [%7s]\n", "hello");
	printf("left is [hello  ]: [%-7s]\n", "hello");
	printf("precision is [hel]: [%.3s]\n", "hello");
	printf("both is [    hel]: [%7.3s]\n", "hello");
	printf("left both is [hel    ]: [%-7.3s]\n", "hello");
	printf("star is [    hel] [hel    ]: [%*.*s] [%-*.*s]\n", 7, 3, "hello", 7, 3, "hello");
	printf("empty is [] [   ]: [%s] [%3s]\n", "", "");
	printf("c is [A] [  A] [A  ]: [%c] [%3c] [%-3c]\n", 'A', 'A', 'A');
	printf("S is [a\\tb\\n\\\"q\\\"\\001]: [%S]\n", "a\tb\n\"q\"\001");
	printf("C is [A] [\\n] [\\000]: [%C] [%C] [%C]\n", 'A', '\n', 0);
	printf("ws is [wide]: [%ws]\n", "wide");
	printf("several is 1 two 3 four: %d %s %d %s\n", 1, "two", 3, "four");
	printf("char * is there: %s\n", (char *)"there");
	printf("no newline is none: %s", "none");
	printf("\n");
	exit(0);
}
