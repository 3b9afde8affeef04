# SPDX-License-Identifier: GPL-2.0
# ASSERTION: memory that small elements have left serves large ones: nothing is dropped.
. /src/selftests/lib/sh
cat >/tmp/sizes.d <<'D'
#pragma D option quiet
#pragma D option dynvarsize=256k
struct blob { char bytes[3000]; }; struct blob blob, large[int]; string small[int];
syscall::pread64:entry /pid == $target && arg2 == 1/ { small[arg3] = "some small text"; }
syscall::pread64:entry /pid == $target && arg2 == 2/ { small[arg3] = 0; }
syscall::pread64:entry /pid == $target && arg2 == 3/ { large[arg3] = blob; large[arg3].bytes[7] = 9; }
syscall::pread64:entry /pid == $target && arg2 == 3 && large[arg3].bytes[7] == 9/ { n++; }
END { printf("large %d\n", n); }
D
cat >/tmp/sizes.py <<'P'
import ctypes
call = ctypes.CDLL(None).syscall
def fire(what, many):
    for at in range(many):
        call(*map(ctypes.c_long, (17, -1, 0, what, at)))
fire(1, 1500)
fire(2, 1500)
fire(3, 50)
P
dtrace -s /tmp/sizes.d -c "python3 /tmp/sizes.py" >/tmp/out 2>/tmp/out.err
cat /tmp/out /tmp/out.err
expect "large elements" "$(sed -n 's/^large //p' /tmp/out)" 50
[ -s /tmp/out.err ] && fail "drops, although all small elements were freed"
true
