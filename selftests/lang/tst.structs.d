/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: structs, unions, bit fields and enumerations of a program lie in memory as in C. */
#pragma D option quiet
enum colour { RED, GREEN = 5, BLUE };
typedef char name_t[8];
struct node {
	char tag;
	short half;
	unsigned low : 3, high : 5;
	int minus : 4;
	union { uint64_t all; struct { uint32_t first; uint32_t second; }; };
	name_t name;
	struct node *next;
};
BEGIN
{
	printf("size is 32: %d\n", sizeof (struct node));
	printf("offset of next is 24: %d\n", (uintptr_t)&((struct node *)0)->next);
	this->n = (struct node *)alloca(sizeof (struct node));
	this->n->tag = -1;
	this->n->all = 0x1122334455667788;
	((uint16_t *)this->n)[2] = 0xfad;
	bcopy("hello", this->n->name, 6);
	this->n->next = this->n;
	printf("tag is -1: %d\n", this->n->tag);
	printf("first is 55667788: %x\n", this->n->next->first);
	printf("second is 11223344: %x\n", this->n->next->next->second);
	printf("low is 5: %d\n", this->n->low);
	printf("high is 21: %d\n", this->n->high);
	printf("minus is -1: %d\n", this->n->minus);
	printf("name is hello: %s\n", this->n->name);
	printf("BLUE is 6: %d\n", BLUE);
	this->copy = *this->n;
	this->n->all = 0;
	printf("the copy is 1122334455667788: %x\n", this->copy.all);
	exit(0);
}
