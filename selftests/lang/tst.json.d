/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: json walks objects and arrays along a dotted path; what is not there is NULL. */
#pragma D option quiet
BEGIN
{
	j = "{\"name\": \"dtrace\", \"n\": 42, \"list\": [1, {\"deep\": \"yes\"}, \"three\"], \"ok\": true, \"no\": null}";
	printf("name is dtrace: %s\n", json(j, "name"));
	printf("n is 42: %s\n", json(j, "n"));
	printf("n as a number is 43: %d\n", strtoll(json(j, "n")) + 1);
	printf("list[0] is 1: %s\n", json(j, "list[0]"));
	printf("list[1].deep is yes: %s\n", json(j, "list[1].deep"));
	printf("list[2] is three: %s\n", json(j, "list[2]"));
	printf("list[3] is NULL: %s\n", json(j, "list[3]") == NULL ? "NULL" : "there");
	printf("ok is true: %s\n", json(j, "ok"));
	printf("nope is NULL: %s\n", json(j, "nope") == NULL ? "NULL" : "there");
	printf("bad text is NULL: %s\n", json("{\"a\":", "a") == NULL ? "NULL" : "there");
	exit(0);
}
