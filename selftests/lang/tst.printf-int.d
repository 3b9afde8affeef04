/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: integer conversions with each flag, width and precision, as C prints them. */
#pragma D option quiet
BEGIN
{
	printf("d is [42] [-42] [0]: [%d] [%d] [%d]\n", 42, -42, 0);
	printf("i is [42] [-42]: [%i] [%i]\n", 42, -42);
	printf("u is [42] [4294967254]: [%u] [%u]\n", 42, -42);
	printf("x is [2a] [ffffffd6]: [%x] [%x]\n", 42, -42);
	printf("X is [2A] [FFFFFFD6]: [%X] [%X]\n", 42, -42);
	printf("o is [52] [37777777726]: [%o] [%o]\n", 42, -42);
	printf("width is [   42] [  -42]: [%5d] [%5d]\n", 42, -42);
	printf("left is [42   ] [-42  ]: [%-5d] [%-5d]\n", 42, -42);
	printf("zero is [00042] [-0042]: [%05d] [%05d]\n", 42, -42);
	printf("plus is [+42] [-42]: [%+d] [%+d]\n", 42, -42);
	printf("space is [ 42] [-42]: [% d] [% d]\n", 42, -42);
	printf("precision is [0042] [-0042]: [%.4d] [%.4d]\n", 42, -42);
	printf("both is [  0042] [ -0042]: [%6.4d] [%6.4d]\n", 42, -42);
	printf("left both is [0042  ]: [%-6.4d]\n", 42);
	printf("zero loses to precision is [  0042]: [%06.4d]\n", 42);
	printf("too narrow is [12345]: [%2d]\n", 12345);
	printf("alternate is [0x2a] [0X2A] [052] [0]: [%#x] [%#X] [%#o] [%#x]\n", 42, 42, 42, 0);
	printf("alternate zero is [0x002a]: [%#06x]\n", 42);
	printf("group is [1,234,567] [-1,234] [123]: [%'d] [%'d] [%'d]\n", 1234567, -1234, 123);
	printf("star is [   42] [42   ] [042]: [%*d] [%*d] [%.*d]\n", 5, 42, -5, 42, 3, 42);
	printf("sizes are ignored is [-1] [-1] [-1] [-1]: [%hhd] [%hd] [%ld] [%lld]\n", -1, -1, -1, -1);
	printf("percent is [%%]: [%%]\n");
	exit(0);
}
