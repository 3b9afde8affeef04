// SPDX-License-Identifier: GPL-2.0
/*
 * Records that are wrong, each in its own way, between two good ones. DTrace must load the module,
 * offer the good probes (bad:good:*), report what is wrong with each other record, and never write
 * to its site.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <dtrace/sdt.h>

#define RECORD(label, site, names, kind, nargs, magic)				\
	".pushsection .dtrace_sdt, \"a\", @progbits\n\t"			\
	".balign 4\n"								\
	"__dtrace_sdt.bad_" label ":\n\t"					\
	".long " site " - .\n\t"						\
	".long " names " - .\n\t"						\
	".short " kind ", " nargs "\n\t"					\
	".long " magic "\n\t"							\
	".popsection\n\t"

#define NAMES(label, strings)							\
	".pushsection .dtrace_sdt_names, \"a\", @progbits\n"			\
	".Lbad_" label ": .asciz " strings "\n\t"				\
	".popsection\n\t"

#define MAGIC "0x31544453"

/* Sites: a nop, a nop inside another instruction, a lea, and a call. */
static noinline void bad_sites(void)
{
	asm volatile(
		ANNOTATE_NOENDBR "\n"
		".Lbad_nop: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
		".Lbad_wide_nop: .byte 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
		ANNOTATE_NOENDBR "\n"
		".Lbad_lea: lea 0(%%rsp), %%rsp\n"
		ANNOTATE_NOENDBR "\n"
		".Lbad_call: call bad_target\n"
		".pushsection .text.bad_target, \"ax\", @progbits\n"
		".balign 16\n"
		".type bad_target, @function\n"
		".skip 16, 0x90\n"
		"bad_target: " ASM_RET
		".size bad_target, . - bad_target\n"
		".popsection\n"
		NAMES("names", "\"bad\", \"lie\", \"bad\", \"lie\"")
		NAMES("empty", "\"bad\", \"\", \"bad\", \"lie\"")
		NAMES("long", "\"bad\", \"lie\", \"bad\", "
		      "\"a23456789b23456789c23456789d23456789e23456789f23456789g23456789h\"")
		NAMES("glob", "\"bad\", \"lie\", \"*\", \"lie\"")
		NAMES("taken", "\"bad\", \"good\", \"bad_fire\", \"taken\"")
		NAMES("owned", "\"dtrace\", \"lie\", \"bad\", \"BEGIN\"")
		RECORD("magic", ".Lbad_nop", ".Lbad_names", "0", "0", "0x32544453")
		RECORD("kind", ".Lbad_nop", ".Lbad_names", "2", "0", MAGIC)
		RECORD("nargs", ".Lbad_nop", ".Lbad_names", "0", "9", MAGIC)
		RECORD("site_far", "0x7ffffff0 + .", ".Lbad_names", "0", "0", MAGIC)
		RECORD("site_data", ".Lbad_names", ".Lbad_names", "0", "0", MAGIC)
		RECORD("site_middle", ".Lbad_wide_nop + 1", ".Lbad_names", "0", "0", MAGIC)
		RECORD("site_bytes", ".Lbad_lea", ".Lbad_names", "0", "0", MAGIC)
		RECORD("site_call", ".Lbad_call", ".Lbad_names", "1", "0", MAGIC)
		RECORD("names_far", ".Lbad_nop", "-0x7ffffff0 + .", "0", "0", MAGIC)
		RECORD("names_empty", ".Lbad_nop", ".Lbad_empty", "0", "0", MAGIC)
		RECORD("names_long", ".Lbad_nop", ".Lbad_long", "0", "0", MAGIC)
		RECORD("names_glob", ".Lbad_nop", ".Lbad_glob", "0", "0", MAGIC)
		RECORD("first", ".Lbad_nop", ".Lbad_taken", "0", "0", MAGIC)
		RECORD("taken", ".Lbad_nop", ".Lbad_taken", "0", "0", MAGIC)
		RECORD("owned", ".Lbad_nop2", ".Lbad_owned", "0", "0", MAGIC)
		ANNOTATE_NOENDBR "\n"
		".Lbad_nop2: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
		/* Labels where no record can be: in text, and unaligned. */
		"__dtrace_sdt.bad_text: nop\n"
		".pushsection .dtrace_sdt, \"a\", @progbits\n\t"
		".byte 0\n"
		"__dtrace_sdt.bad_unaligned: .long 0, 0, 0, 0\n\t"
		".popsection\n"
		: ASM_CALL_CONSTRAINT : : "memory", "cc");
}

static int bad_fire(const char *val, const struct kernel_param *kp)
{
	unsigned int n, i;
	int rc = kstrtouint(val, 0, &n);

	if (rc)
		return rc;
	for (i = 0; i < n; i++) {
		DTRACE_PROBE1(bad, good, bad_fire, before, i);
		bad_sites();
		DTRACE_PROBE1(bad, good, bad_fire, after, i);
	}
	return 0;
}

static const struct kernel_param_ops bad_fire_ops = { .set = bad_fire };
module_param_cb(fire, &bad_fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "run everything that many times");

static int __init bad_init(void)
{
	return 0;
}

static void __exit bad_exit(void)
{
}

module_init(bad_init);
module_exit(bad_exit);
MODULE_DESCRIPTION("malformed DTrace records");
MODULE_LICENSE("GPL");
