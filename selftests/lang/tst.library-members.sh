# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every rule of the translators that are part of the command compiles against this kernel's types.
# SECONDS: 120
. /src/selftests/lib/sh
cat >/tmp/members.py <<'P'
import glob, re
for page in sorted(glob.glob('/src/userspace-ctl/lib/*.d')):
    for output, given, rules in re.findall(r'(?s)translator (\S+) < (.*?)\w+ > \{(.*?)\};', open(page).read()):
        for member in re.findall(r'(?m)(?:^|\{)\s*(\w+) = ', rules):
            print(f'BEGIN {{ print(xlate <{output}> (({given.strip()})arg0).{member}); }}')
P
python3 /tmp/members.py >/tmp/members
[ "$(wc -l </tmp/members)" -gt 150 ] || fail "$(wc -l </tmp/members) rules found"
sort -R --random-source=/src/Makefile /tmp/members >/tmp/mixed
dtrace -e -s /tmp/mixed >/tmp/out 2>&1 || fail "$(head -5 /tmp/out)"
