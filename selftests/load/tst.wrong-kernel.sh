# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a module that was built for another kernel is refused by the kernel's own check.
. /src/selftests/lib/sh
rmmod dtrace
release=$(uname -r)
python3 - "$module" "$release" <<'P' || fail "cannot change the vermagic"
import sys
data = open(sys.argv[1], "rb").read()
old = b"vermagic=" + sys.argv[2].encode()
assert data.count(old) == 1
open("/tmp/other.ko", "wb").write(data.replace(old, b"vermagic=" + b"9" * len(sys.argv[2])))
P
insmod /tmp/other.ko 2>/tmp/err && fail "inserted"
grep -q "Invalid module format" /tmp/err || fail "$(cat /tmp/err)"
dmesg | tail -3 | grep -q "version magic" || fail "no reason in the log"
insmod "$module"
