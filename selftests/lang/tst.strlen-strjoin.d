/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: strlen, strjoin and the bound of strsize: a string keeps at most strsize - 1 bytes. */
#pragma D option quiet
#pragma D option strsize=16
BEGIN
{
	printf("strlen of '' is 0: %d\n", strlen(""));
	printf("strlen of abc is 3: %d\n", strlen("abc"));
	printf("strjoin is abcdef: %s\n", strjoin("abc", "def"));
	printf("strjoin '' is abc: %s\n", strjoin("abc", ""));
	printf("strjoin '' first is abc: %s\n", strjoin("", "abc"));
	printf("nested is a-b-c: %s\n", strjoin("a", strjoin("-b", "-c")));
	printf("15 fit is 012345678901234: %s\n", strjoin("0123456789", "01234"));
	printf("more is cut is 012345678901234: %s\n", strjoin("0123456789", "0123456789"));
	printf("its length is 15: %d\n", strlen(strjoin("0123456789", "0123456789")));
	x = strjoin("0123456789", "0123456789");
	printf("kept is 012345678901234: %s\n", x);
	exit(0);
}
