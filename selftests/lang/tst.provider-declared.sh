# SPDX-License-Identifier: GPL-2.0
# ASSERTION: args[] of a driver's probe have the types that a declaration of its provider gives them, translated where it says.
. /src/selftests/lib/sh
driver hworld
cat >/tmp/declared.d <<'D'
#pragma D option quiet
#pragma D attributes Evolving/Evolving/Common provider hworld args
struct bytes { int64_t twice; string text; };
translator struct bytes < int64_t N > { twice = 2 * N; text = lltostr(N); };
provider hworld { probe return(int64_t n) : (struct bytes *b, int64_t n); };
hworld::read1:return /arg0/ { printf("%d %s %d", args[0]->twice == 2 * arg0, args[0]->text, args[1] == arg0); }
D
dtrace -s /tmp/declared.d -c 'cat /proc/hello-world' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
grep -Eq '1 [1-9][0-9]+ 1$' /tmp/out || fail "$(cat /tmp/out)"
sed 's/hworld {/hworld3 {/' /tmp/declared.d >/tmp/bad.d
dtrace -xerrtags -es /tmp/bad.d 2>/tmp/err && fail "compiled"
grep -q 'line 2: #pragma D attributes: hworld is no provider of this program\|D_PRAGMA_UNUSED.*line 2' /tmp/err || fail "$(cat /tmp/err)"
