#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ASSERTION: drivers of other people's folders build, and `make install KERNEL=native` works on a machine
# whose kernel tree has the Rust metadata (the build root is one).
. "$(dirname "${BASH_SOURCE[0]}")/lib"
krel=$(tools/buildroot kernel)

mkdir "$d/my driver" "$d/driver"
cp demo/hworld/Kbuild demo/hworld/*.c "$d/driver"
make driver M="$d/driver" >"$d/log" 2>&1
check driver_elsewhere_builds [ -s "$d/driver/build/$krel/hworld.ko" ]
check driver_says_where grep -qx "built: $d/driver/build/$krel/hworld.ko, in the guest: /opt/dtrace/drivers/driver/hworld.ko" "$d/log"
check guest_sees_the_driver tools/vm --no-module -- test -s /opt/dtrace/drivers/driver/hworld.ko
check driver_builds_without_warning [ "$(grep -ci warning "$d/log")" = 0 ]
check driver_folder_stays_clean [ "$(find "$d/driver" -maxdepth 1 -name '*.o' | wc -l)" = 0 ]
make driver M="$d/my driver" >"$d/log" 2>&1
check driver_without_kbuild_is_told grep -q 'no Kbuild' "$d/log"

# shellcheck disable=SC2016
tools/buildroot run -- bash -euc '
	make install KERNEL=native KREL=$1 KDIR=$(tools/buildroot kdir) DESTDIR=/tmp/dest
	find /tmp/dest ! -type d
	echo "vermagic $(modinfo -F vermagic /tmp/dest/lib/modules/$1/updates/dtrace.ko)"
	echo "stock $(modinfo -F vermagic /lib/modules/$1/kernel/fs/overlayfs/overlay.ko.xz)"
' bash "$krel" >"$d/log" 2>&1
check native_module_is_installed grep -qx "/tmp/dest/lib/modules/$krel/updates/dtrace.ko" "$d/log"
check native_command_is_installed grep -qx /tmp/dest/usr/local/sbin/dtrace "$d/log"
check scripts_find_the_command grep -qx /tmp/dest/usr/sbin/dtrace "$d/log"
check native_header_is_installed grep -qx /tmp/dest/usr/local/include/dtrace/sdt.h "$d/log"
check vermagic_is_the_stock_kernels [ "$(sed -n 's/^vermagic //p' "$d/log")" = "$(sed -n 's/^stock //p' "$d/log")" ]

mkdir -p "$d/tree/include/config"
echo "$krel" >"$d/tree/include/config/kernel.release"
printf 'CONFIG_%s=y\n' MODULES KALLSYMS KPROBES KALLSYMS_ALL TRACEPOINTS HIGH_RES_TIMERS UNWINDER_ORC >"$d/tree/.config"
KDIR=$d/tree make module >"$d/log" 2>&1
check what_a_kernel_lacks_is_told grep -q 'lacks CONFIG_RUST: the module is written in Rust' "$d/log"
check all_that_a_tree_lacks_is_told [ "$(grep -cE "^[^ ]*/tree (is not prepared|has no Module\.symvers|has no Rust metadata)" "$d/log")" = 3 ]
check without_types_the_loss_is_told grep -q 'lacks CONFIG_DEBUG_INFO_BTF, and the module will lack: types' "$d/log"
check nothing_is_compiled_for_it [ "$(grep -cE '^ +(CC|RUSTC)' "$d/log")" = 0 ]

# A tree that another compiler has prepared.
mkdir -p "$d/tree/include/generated" "$d/tree/rust"
touch "$d/tree/include/generated/autoconf.h" "$d/tree/rust/libkernel.rmeta"
echo x >"$d/tree/Module.symvers"
printf 'CONFIG_RUST=y\nCONFIG_RUSTC_VERSION_TEXT="rustc 1.0.0 (other)"\n' >>"$d/tree/.config"
KDIR=$d/tree make install DESTDIR="$d/dest" >"$d/log" 2>&1
check another_compiler_is_told grep -qE "/tree was prepared by 'rustc 1\.0\.0 \(other\)', but the compiler here is 'rustc [0-9.]+" "$d/log"
check nothing_is_installed_then [ ! -e "$d/dest" ]

begin=$SECONDS
tools/buildroot ensure >"$d/log" 2>&1
# The first one takes minutes.
check second_set_up_does_nothing [ $((SECONDS - begin)) -lt 60 ]
check second_set_up_is_silent [ ! -s "$d/log" ]
echo
result
