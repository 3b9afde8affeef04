# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the module's verifier takes every number of a variable, an array of registers and a subroutine that the tables
# have, refuses every other one by its rule, and what nobody here has, too: vmregs[], msgsize(), msgdsize(), ddi_pathname().
. /src/selftests/lib/sh
/src/build/cargo/"$(. /etc/os-release && echo "$VERSION_CODENAME")"/release/hostile numbers >/tmp/out || fail "$(cat /tmp/out)"
cat /tmp/out
subroutines=$(sed -n '/^macro_rules! for_each_subr/,/^}/s/^ *([0-9]*, [A-Z].*/x/p' /src/rust/abi/src/dif.rs | wc -l)
variables=$(grep -c '^ *(0x[0-9a-f]*, [A-Za-z0-9]*, "[a-z0-9]*", \(Scalar\|String\)' /src/rust/abi/src/dif.rs)
# copyout() and copyoutstr() want -w; three are for other systems.
expect taken "$(cat /tmp/out)" "$variables variables, 3 arrays, $((subroutines - 2 - 3)) subroutines"
