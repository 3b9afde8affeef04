# SPDX-License-Identifier: GPL-2.0
# ASSERTION: in probes of programs regs[] are the process's, as uregs[]: arguments, the probe's address, the result.
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
begin /tmp/calls 1 100
ask entry calls leaf 0 >/dev/null
at=$(where leaf)
trace /tmp/o -n "pid$target:calls:leaf:entry {
	@[\"entry\", regs[R_RDI] == arg0, regs[R_RIP] == 0x${at% *}ull] = count();
	@sum = sum(regs[R_RDI]);
	@[\"same\", regs[R_RDI] == uregs[R_RDI] && regs[R_RAX] == uregs[R_RAX] && regs[R_R15] == uregs[R_R15] && regs[R_RIP] == uregs[R_RIP],
		regs[R_RSP] == uregs[R_RSP] && regs[R_RFL] == uregs[R_RFL] && regs[R_CS] == uregs[R_CS]] = count(); }"
go_on
end_well
end_trace
expect "registers" "$(tr -s ' ' </tmp/o | sed '/^ready$/d; /^$/d; s/^ //; s/ $//' | sort | tr '\n' ';')" "5050;entry 1 1 100;same 1 1 100;"
expect "errors" "$(cat /tmp/o.err)" ""
