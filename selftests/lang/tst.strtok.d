/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: strtok walks the words, skips runs of separators, and its state lives for one clause only. */
#pragma D option quiet
string word;
BEGIN
{
	printf("1 is /: %s\n", strtok(":/: usr:lib", ": "));
	printf("2 is usr: %s\n", strtok(NULL, ": "));
	printf("3 is lib: %s\n", strtok(NULL, ": "));
	printf("4 is NULL: %s\n", strtok(NULL, ": ") == NULL ? "NULL" : "more");
	printf("other separators is a-b: %s\n", strtok("a-b,c", ","));
	printf("changed is c: %s\n", strtok(NULL, "-,"));
	word = strtok("only", " ");
	printf("only is only: %s\n", word);
	printf("nothing else is NULL: %s\n", strtok("   ", " ") == NULL ? "NULL" : "more");
	exit(0);
}
