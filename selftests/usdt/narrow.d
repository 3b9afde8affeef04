/* SPDX-License-Identifier: GPL-2.0 */
provider narrow {
	probe form__begin(int, int64_t, signed char, const char *, double, uint32_t);
	probe nothing();
};
