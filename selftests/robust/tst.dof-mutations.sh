# SPDX-License-Identifier: GPL-2.0
# ASSERTION: 100,000 mutated DOFs are refused with a reason, or taken and run; the machine lives, no memory is
# lost, the module can be removed.
# SECONDS: 600
. /src/selftests/lib/sh
driver hworld
/src/build/cargo/"$(. /etc/os-release && echo "$VERSION_CODENAME")"/release/hostile 100000 "${SEED:-7}" || fail hostile
rmmod dtrace || fail "rmmod"
insmod "$module"
