#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the layouts of the kernel tree's Rust bindings are compared with the kernel's own description of its types; a
# struct of another size or with a member elsewhere is named, and nothing is built.
. "$(dirname "${BASH_SOURCE[0]}")/lib"
krel=$(tools/buildroot kernel) kdir=$(tools/buildroot kdir)

compare() { tools/buildroot run -b "$d=/shares/d" -- tools/layouts "$krel" "$kdir" "$@" >"$d/log" 2>&1; }

compare; check the_stock_kernel_fits [ $? = 0 ]
check thousands_of_members_are_compared [ "$(sed -n 's/^layouts: .* with \([0-9]*\) members, all as in .*/\1/p' "$d/log")" -gt 5000 ]

# The kernel's BTF with a larger task_struct, whose member pid lies 8 bytes further.
tools/buildroot run -b "$d=/shares/d" -- python3 - "$krel" <<'P'
import importlib.machinery, importlib.util, struct, sys
loader = importlib.machinery.SourceFileLoader("layouts", "/src/tools/layouts")
layouts = importlib.util.module_from_spec(importlib.util.spec_from_loader("layouts", loader))
loader.exec_module(layouts)
btf = bytearray(layouts.btf_of(sys.argv[1])[0])
size, members = layouts.layouts(bytes(btf))["task_struct"]
_, _, _, header, types, length, strings, _ = struct.unpack_from("<HBBIIIII", btf)
text = lambda at: bytes(btf[header + strings + at:btf.index(b"\0", header + strings + at)])
at = header + types
while at < header + types + length:
    name, info, found = struct.unpack_from("<III", btf, at)
    kind, number = info >> 24 & 31, info & 0xFFFF
    if kind == layouts.STRUCT and text(name) == b"task_struct":
        struct.pack_into("<I", btf, at + 8, size + 64)
        for n in range(number):
            member, _, bits = struct.unpack_from("<III", btf, at + 12 + 12 * n)
            if text(member) == b"pid":
                struct.pack_into("<I", btf, at + 12 + 12 * n + 8, bits + 64)
    at += 12 + layouts.FOLLOWS.get(kind, lambda n: 0)(number)
open("/shares/d/btf", "wb").write(btf)
P
compare /shares/d/btf; check another_kernel_is_refused [ $? = 1 ]
check the_count_is_told grep -qE '^dtrace-rs: .* does not fit the kernel .*: 2 of [0-9]+ layouts differ' "$d/log"
check the_size_is_told grep -qE '^dtrace-rs:   the size of struct task_struct is [0-9]+ in the kernel, but [0-9]+ in the tree$' "$d/log"
check the_member_is_told grep -qE '^dtrace-rs:   the offset of pid in struct task_struct is [0-9]+ in the kernel, but [0-9]+ in the tree$' "$d/log"
check the_remedy_is_told grep -q 'Install the headers and the source of this very build' "$d/log"
result
