/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: several clauses and probes feed one aggregation. */
#pragma D option quiet
BEGIN { @a[probename] = sum(1); @a["both"] = sum(1); }
BEGIN { @a[probename] = sum(10); @a["both"] = sum(10); exit(0); }
END { @a[probename] = sum(100); @a["both"] = sum(100); }
