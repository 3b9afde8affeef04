# SPDX-License-Identifier: GPL-2.0
# ASSERTION: stacks have the functions that are inlined, as DWARF tells: of the program's file, of the file of its build id, of the
# one that it names, compressed or not; of C++ demangled; in lines for graphs and in JSON, too; after the process has ended.
# -x inlined=no, and a program without DWARF, have the functions that are there, as usym() always does.
. /src/selftests/lib/sh
if [ -z "${OWN_LIB:-}" ]; then
	# With a /usr/lib that can be written to.
	for dir in /usr/lib/*/; do
		mkdir -p "/tmp$dir"
	done
	OWN_LIB=yes exec unshare -m bash -c '
		for dir in /usr/lib/*/; do mount --bind "$dir" "/tmp$dir" || exit 1; done
		mount --rbind /tmp/usr/lib /usr/lib && exec bash "$0"' "$0"
fi
cat >/tmp/shop.c <<'C'
#include <unistd.h>
#define INLINE extern inline __attribute__((gnu_inline, always_inline)) int
/* Names as C++ has them; there may be no compiler of that. */
INLINE price(int n) __asm__("_ZN4shop5priceEi");
INLINE add(int n) __asm__("_ZN4shop4CartIiE3addEi");
int sell(int n) __asm__("_ZN4shop4sellEi");
INLINE price(int n) { return n + getppid(); }
INLINE add(int n) { return price(n) + 1; }
__attribute__((noinline, noclone)) int sell(int n) { return add(n) + 2; }
int main(void) { return sell(getpid()) == 0; }
C
program='syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }'
frames() { # COMMAND OPTION...
	local command=$1
	shift
	dtrace -q "$@" -n "$program" -c "$command" >/tmp/o 2>/tmp/err || fail "dtrace: $(cat /tmp/err)"
	sed -n 's/^ *shop[a-z.]*`//; s/+0x[0-9a-f]*$//; /[a-z:]*(/p' /tmp/o | xargs
}
plain='shop::sell(int)'
all="shop::price(int) [inlined] shop::Cart<int>::add(int) [inlined] $plain"
build() { gcc -O2 "$@" /tmp/shop.c -o /tmp/shop || fail "gcc $*"; }
build -g
expect "of the program" "$(frames /tmp/shop)" "$all"
expect "none wanted" "$(frames /tmp/shop -x inlined=no)" "$plain"
got=$(dtrace -q -x demangle=no -n "$program" -c /tmp/shop | sed -n 's/^ *shop`//p' | head -2 | xargs)
expect "mangled" "$got" "_ZN4shop5priceEi [inlined] _ZN4shop4CartIiE3addEi [inlined]"
lines=$(dtrace -q -x oformat=collapsed -n "$program" -c /tmp/shop)
case $lines in
*';shop`shop::sell(int);shop`shop::Cart<int>::add(int)_[i];shop`shop::price(int)_[i];'*' 1') ;;
*) fail "lines: $lines" ;;
esac
dtrace -q -x oformat=json -n "$program" -c /tmp/shop >/tmp/json
grep -qF '"shop`shop::price(int) [inlined]","shop`shop::Cart<int>::add(int) [inlined]","shop`shop::sell(int)+0x' /tmp/json ||
	fail "JSON: $(cat /tmp/json)"
expect "usym" "$(dtrace -q -n 'syscall::getppid:entry /pid == $target/ { usym(ucaller); }' -c /tmp/shop | xargs)" "shop\`$plain"
for form in -gdwarf-4 -gz=zlib -gz=zstd; do
	build -g $form
	expect "$form" "$(frames /tmp/shop)" "$all"
done
build -g
id=$(readelf -n /tmp/shop | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug /tmp/shop /tmp/shop.dbg && strip /tmp/shop || fail "strip"
# Without symbols the functions have no names.
none() { expect "$1" "$(frames /tmp/shop)" ""; }
none "stripped"
debug=/usr/lib/debug/.build-id/${id%"${id#??}"}
mkdir -p "$debug" && cp /tmp/shop.dbg "$debug/${id#??}.debug" || fail "no file for $id"
expect "by its build id" "$(frames /tmp/shop)" "$all"
rm "$debug/${id#??}.debug"
objcopy --add-gnu-debuglink=/tmp/shop.dbg /tmp/shop && cp /tmp/shop /tmp/shop.linked
expect "by its link" "$(frames /tmp/shop)" "$all"
mkdir -p /tmp/.debug && mv /tmp/shop.dbg /tmp/.debug
expect "by its link in .debug" "$(frames /tmp/shop)" "$all"
mkdir -p /usr/lib/debug/tmp && mv /tmp/.debug/shop.dbg /usr/lib/debug/tmp
expect "by its link in /usr/lib/debug" "$(frames /tmp/shop)" "$all"
echo >>/usr/lib/debug/tmp/shop.dbg
none "of another version"
exit 0
