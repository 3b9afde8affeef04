# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: a load that faults, in a probe on the path of page faults, is an error of its clause and nothing else; so is
# copyinstr of memory that is not there yet, which is read well once it is.
. /src/selftests/lib/sh
cat >/tmp/touch.py <<'P'
import ctypes
import mmap
import tempfile
libc = ctypes.CDLL(None)
with tempfile.NamedTemporaryFile() as file:
    file.write(b"/there-now\0".ljust(4096, b"x"))
    file.flush()
    for i in range(50):
        # Nobody has touched it.
        room = mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_PRIVATE)
        at = ctypes.addressof(ctypes.c_char.from_buffer(room))
        libc.access(ctypes.c_void_p(at), 5)
with mmap.mmap(-1, 100 * 4096) as room:
    for at in range(0, len(room), 4096):
        room[at] = 1
P
for technique in 0 1; do
	rmmod dtrace && insmod "$module" fbt_int3=$technique || fail insmod
	cat >/tmp/faults.d <<'D'
fbt:vmlinux:handle_mm_fault:entry, fbt:vmlinux:handle_mm_fault:return, fbt:vmlinux:__handle_mm_fault:entry
/pid == $target/
{ @fired = count(); }
fbt:vmlinux:handle_mm_fault:entry, fbt:vmlinux:handle_mm_fault:return, fbt:vmlinux:__handle_mm_fault:entry
/pid == $target/
{ @wrong = sum(*(long *)0xfffffffffffff000); }
fbt:vmlinux:handle_mm_fault:entry /pid == $target/ { @entered = count(); @absent = sum(strlen(copyinstr(arg1))); }
fbt:vmlinux:handle_mm_fault:return /pid == $target/ { @left = count(); }
fbt:vmlinux:do_faccessat:entry /pid == $target && args[2] == 5/ { self->path = arg1; @early[copyinstr(arg1)] = count(); }
fbt:vmlinux:do_faccessat:return /self->path/ { @late[copyinstr(self->path)] = count(); self->path = 0; }
ERROR { @errors[probefunc] = count(); }
END
{
	printa("fired %@d\n", @fired); printa("wrong %@d\n", @wrong); printa("absent %@d\n", @absent);
	printa("entered %@d\n", @entered); printa("left %@d\n", @left);
	printa("early %s %@d\n", @early); printa("late %s %@d\n", @late); printa("errors %@d\n", @errors);
}
D
	dtrace -qs /tmp/faults.d -c 'python3 /tmp/touch.py' >/tmp/o 2>/tmp/err || fail "dtrace: $(tail -5 /tmp/err)"
	value() { awk -v what="$1" '$1 == what { n += $NF } END { print n + 0 }' /tmp/o; }
	expect "read at a bad address" "$(value wrong)" 0
	expect "read before it was there" "$(value early)" 0
	expect "read when it was there" "$(grep ^late /tmp/o)" "late /there-now 50"
	expect "faults entered and left" "$(value entered)" "$(value left)"
	[ "$(value entered)" -ge 150 ] || fail "only $(value entered) page faults"
	# Each clause that loads is an error each time, but what a fault finds in place, by another thread or for writing.
	echo "fired $(value fired) errors $(value errors)" >&2
	[ "$(grep -c 'error on enabled probe' /tmp/err)" -ge $(($(value fired) + 50)) ] || fail "$(tail -3 /tmp/err)"
done
rmmod dtrace && insmod "$module"
