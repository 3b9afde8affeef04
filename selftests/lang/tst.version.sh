# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -V names the product and the version of the language, and knows whether the module is there.
. /src/selftests/lib/sh
expect "language" "$(dtrace -V | head -1)" "dtrace: dtrace-rs D 1.14"
dtrace -V | grep -q '^dtrace: command [0-9][0-9.]*, module.* loaded$' || fail "$(dtrace -V)"
