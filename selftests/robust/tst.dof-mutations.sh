# SPDX-License-Identifier: GPL-2.0
# ASSERTION: 100,000 mutated DOFs (a tenth of them unless THOROUGH=1) are refused with a reason, or taken and run; the machine lives, no memory is
# lost, the module can be removed.
# SECONDS: 600
. /src/selftests/lib/sh
# Mutated descriptions ask for everything: with fbt that is 108,000 probes, 100,000 times.
rmmod dtrace && insmod "$module" without_fbt=1 || fail "no module without fbt"
driver hworld
/src/build/cargo/"$(. /etc/os-release && echo "$VERSION_CODENAME")"/release/hostile "$(rounds 100000)" "${SEED:-7}" || fail hostile
rmmod dtrace || fail "rmmod"
insmod "$module"
