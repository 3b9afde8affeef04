# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation of the kernel itself fails while probes are enabled, started or disabled, made in a program
# or brought along by one, or while the module is loaded: the call fails and says so, or does what it should; the kernel's
# text is what it was, and the same works afterwards.
# SECONDS: 1800
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
cd "$(mktemp -d)" || exit 1
gcc -O2 -Wall -shared -fPIC -o nth.so /src/selftests/robust/nth.c -ldl || fail "nth.c"
dtrace -h -s /src/selftests/usdt/toy.d && gcc -I. -O2 -c -o app.o /src/selftests/usdt/app.c &&
	dtrace -G -s /src/selftests/usdt/toy.d -o prov.o app.o && gcc -o app app.o prov.o -ldl -lpthread || fail "app"
for kind in failslab fail_page_alloc fail_usercopy; do
	there=/sys/kernel/debug/$kind
	[ -d $there ] || fail "no $kind"
	echo 0 >$there/verbose
	echo -1 >$there/times
	for all in ignore-gfp-wait ignore-gfp-highmem; do [ ! -e $there/$all ] || echo N >$there/$all; done
	[ ! -e $there/min-order ] || echo 0 >$there/min-order
done
driver hworld
/src/selftests/lib/kernel-text save text || fail "no text"

export OUT=$PWD/out
[ "$(one_of 2)" = 1 ] || export SOME=1
for NTH in ENABLE GO close; do
	export NTH
	: >out
	LD_PRELOAD=$PWD/nth.so dtrace -qn '
		fbt::vfs_read:entry, fbt::vfs_read:return { @[execname, stack()] = quantize(arg1); }
		syscall::read:entry { self->t = timestamp; x[pid, execname] = timestamp; }
		syscall::read:return /self->t/ { s = speculation(); speculate(s); trace(self->t); self->t = 0; }
		hworld:::, proc:::exec-success, profile-97, syscall::read:return {
			@n[probename] = count();
		}' -c 'cat /proc/self/stat' >o 2>&1 || fail "$NTH: dtrace: $? $(cat out) $(head -5 o)"
	grep -q '^ *return  *[1-9]' o || fail "$NTH: nothing was traced: $(cat o)"
	read -r _ allocations errors <out || fail "$NTH: $(cat out)"
	echo "$NTH: $allocations allocations failed, $errors calls" >&2
	[ "$allocations" -ge 5 ] || fail "$NTH: only $allocations allocations: $(cat out)"
	# Many a call does without: a large buffer comes from vmalloc() then.
	[ $NTH = close ] || [ "$errors" -ge 1 ] || fail "$NTH: none of these calls failed"
done

# Calls COMMAND... for each allocation, until its call has fewer: each NTH COMMAND...
each() {
	local said
	export NTH=$1
	shift
	for N in $(seq 1 2000); do
		# Of the later ones some.
		[ -z "${SOME:-}" ] || [ $N -lt 16 ] || [ $((N % 8)) = 0 ] || continue
		export N
		: >out
		"$@"
		said=$(cat out)
		case $said in
		0 | 12 | 14) ;;
		done) echo "$NTH: $((N - 1)) allocations failed" >&2; break ;;
		*) fail "$NTH, allocation $N: ${said:-no call}" ;;
		esac
	done
	[ "$N" -ge 5 ] || fail "$NTH: only $N allocations"
}
a_make() {
	begin /tmp/life loop
	LD_PRELOAD=$PWD/nth.so ask return life load 3 >o 2>&1
	kill -9 "$target"
	wait "$target" 2>/dev/null
	exec 3>&-
}
an_add() { LD_PRELOAD=$PWD/nth.so ./app </dev/null >o 2>&1; }
each MAKE a_make
each ADD an_add

rmmod dtrace || fail "rmmod dtrace"
# Without its types: if an allocation fails, the kernel's own btf_relocate() follows a null pointer.
objcopy -R .BTF -R .BTF.base $module plain.ko || fail "objcopy"
python3 - plain.ko <<'P' || fail "loading"
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
module = os.open(sys.argv[1], os.O_RDONLY)
nth = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
n, errors = 1, 0
while True:
    os.pwrite(nth, b"%d" % n, 0)
    r = libc.syscall(313, module, b"", 0)
    error = ctypes.get_errno() if r else 0
    try:
        left = int(os.pread(nth, 16, 0))
    except OSError:
        # It was this copy.
        left = 1
    os.pwrite(nth, b"0", 0)
    if r == 0:
        os.system("rmmod dtrace") == 0 or sys.exit(f"allocation {n}: the module does not go")
    if left:
        break
    errors += r != 0
    if error not in (0, 12, 14):
        sys.exit(f"allocation {n}: {os.strerror(error)}")
    n += 1 + n // 8
print(f"load: of {n - 1} allocations some failed, and {errors} calls", file=sys.stderr)
sys.exit(errors < 5)
P
insmod $module || fail "insmod dtrace"
/src/selftests/lib/kernel-text compare text || fail "the text is not what it was"
unset NTH
dtrace -qn 'fbt::vfs_read:entry { @ = count(); }' -c 'cat /proc/self/stat' >o || fail "dtrace"
grep -q '^ *[1-9]' o || fail "nothing was traced: $(cat o)"
