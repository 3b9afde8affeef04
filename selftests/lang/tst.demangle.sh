# SPDX-License-Identifier: GPL-2.0
# ASSERTION: symbols of C++ and Rust are printed as their sources have them, of the kernel and of programs; -x demangle=no
# leaves them as they are.
. /src/selftests/lib/sh
cat >/tmp/names.cc <<'C'
namespace shop {
template<typename T> struct Cart { __attribute__((noinline)) int add(T n); };
template<typename T> int Cart<T>::add(T n) { asm volatile(""); return n; }
}
int main() { return shop::Cart<int>().add(0); }
C
clang++ -O1 -fno-stack-protector -o /tmp/names /tmp/names.cc || fail "clang++"
stack() { dtrace -q "$@" -n 'pid$target:names:*Cart*:entry { ufunc(uregs[R_PC]); ustack(2); }' -c /tmp/names 2>&1 | sed 's/+0x.*//' | xargs; }
expect "C++" "$(stack)" 'names`shop::Cart<int>::add(int) names`shop::Cart<int>::add(int) names`main'
expect "C++ as it is" "$(stack -x demangle=no)" 'names`_ZN4shop4CartIiE3addEi names`_ZN4shop4CartIiE3addEi names`main'
rust=$(awk '$3 ~ /^_RNv/ && $2 == "T" && NF == 3 { print $3; exit }' /proc/kallsyms)
[ -n "$rust" ] || fail "the kernel has no Rust"
named() { dtrace -q "$@" -n "BEGIN { sym((uintptr_t)&\`$rust); exit(0); }"; }
expect "Rust as it is" "$(named -x demangle=no | xargs)" "vmlinux\`$rust"
case $(named) in
*_R*) fail "$(named)" ;;
*vmlinux\`*::*) ;;
*) fail "$(named)" ;;
esac
