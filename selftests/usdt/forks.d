/* SPDX-License-Identifier: GPL-2.0 */
provider forks {
	probe child(int);
	probe idle(int);
	probe more(int);
};
