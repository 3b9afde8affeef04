#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the Debian packages build, hold what they should, and lintian finds no error in them. That they install and work is
# `make install-test`, which takes half an hour.
. "$(dirname "${BASH_SOURCE[0]}")/lib"
make deb >"$d/log" 2>&1; check packages_build_and_lintian_finds_no_error [ $? = 0 ]
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
for package in dtrace-rs dtrace-rs-dkms dtrace-rs-dev dtrace-rs-tools; do
	dpkg-deb -c build/deb/"${package}_${version}"_*.deb | awk '{ print $1, $2, $6 }' | sed 's|\./|/|' >"$d/$package"
done
has() { grep -qE "^-[rwx-]{9} root/root /$2$" "$d/$1" || { echo "$1 lacks $2"; return 1; }; }
for file in usr/libexec/dtrace-rs/dtrace usr/lib/udev/rules.d/60-dtrace-rs.rules usr/lib/sysusers.d/dtrace-rs.conf usr/share/man/man8/dtrace-rs.8.gz \
	usr/share/man/man5/dtrace_options.5.gz usr/share/bash-completion/completions/dtrace usr/share/zsh/vendor-completions/_dtrace \
	usr/share/fish/vendor_completions.d/dtrace.fish usr/lib/systemd/system/dtrace-anonymous.service usr/lib/systemd/system/dtrace-export@.service \
	usr/lib/systemd/system/dtrace-export@.path usr/lib/systemd/system/dtrace-export-reload@.service usr/share/dtrace/export/runqlat.d \
	usr/share/dtrace/export/biolatency.d usr/share/dtrace/export/grafana-dashboard.json \
	usr/share/dtrace/export/kubernetes.yaml usr/share/dtrace/export/Containerfile \
	usr/share/doc/dtrace-rs/examples/modules-load.d/dtrace.conf usr/share/doc/dtrace-rs/examples/modprobe.d/dtrace.conf; do
	check "dtrace_rs_has_${file##*/}" has dtrace-rs "$file"
done
# Until its group exists, nobody but root may run it.
check the_groups_copy_is_nobodys_else grep -q '^-rwxr-x--- root/root /usr/libexec/dtrace-rs/dtrace-for-group$' "$d/dtrace-rs"
for file in dtrace/sdt.h dtrace-rs/dtrace/sdt.h; do
	check "dev_has_${file//[^a-z]/_}" grep -q " /usr/include/$file$\| /usr/include/$file " "$d/dtrace-rs-dev"
done
for file in usr/include/sys/sdt.h usr/share/dtrace/rust/dtrace_sdt.rs usr/share/pkgconfig/dtrace-rs.pc usr/share/doc/dtrace-rs-dev/examples/hworld/Kbuild; do
	check "dev_has_${file##*/}" has dtrace-rs-dev "$file"
done
tools=$(find tools-d -name '*.d' | wc -l)
check tools_has_all_tools [ "$(grep -c '^-rwxr-xr-x root/root /usr/sbin/' "$d/dtrace-rs-tools")" = "$tools" ]
check each_has_a_page [ "$(grep -c ' /usr/share/man/man8/.*\.8\.gz$' "$d/dtrace-rs-tools")" = "$tools" ]
check iotop_is_another_packages [ "$(grep -c ' /usr/sbin/iotop$' "$d/dtrace-rs-tools")" = 0 ]

# A package with the module for one kernel, signed.
tools/buildroot run -b "$d=/shares/d" -- openssl req -new -x509 -newkey rsa:2048 -keyout /shares/d/key -outform DER -out /shares/d/cert \
	-nodes -days 1 -subj /CN=deb.sh/ 2>/dev/null
SIGN_KEY=$d/key SIGN_CERT=$d/cert make module-deb >"$d/log" 2>&1; check module_deb_builds [ $? = 0 ]
krel=$(tools/buildroot kernel)
dpkg-deb -x build/deb/"dtrace-rs-module-${krel}_${version}"_*.deb "$d/m"
check module_deb_has_the_module [ -s "$d/m/usr/lib/modules/$krel/updates/dtrace.ko" ]
check module_deb_is_signed grep -qa 'Module signature appended' "$d/m/usr/lib/modules/$krel/updates/dtrace.ko"
SIGN_KEY=/nosuch make module-deb >"$d/log" 2>&1; check module_deb_without_a_key_says_so grep -q '/nosuch cannot be read: a signature needs' "$d/log"

# All that the module's build reads is in the sources for DKMS: it is built from nothing else, for the build root's kernel.
mkdir "$d/x"
dpkg-deb -x build/deb/"dtrace-rs-dkms_${version}"_*.deb "$d/x"
src=$d/x/usr/src/dtrace-rs-$version
check dkms_conf_has_the_version grep -qx "PACKAGE_VERSION=\"$version\"" "$src/dkms.conf"
lacks() { while read -r file; do [ -e "$src/$file" ] || { echo "$file is not in the sources for DKMS"; return 1; }; done; }
check all_crates_are_there lacks < <(grep -oE '\$\((src|v)\)/[a-zA-Z0-9_/.-]*\.rs' Kbuild | sed 's|\$(src)/||; s|\$(v)/|rust/vendor/|')
grep -roE 'include_(str|bytes)!\("[^"]*"' "$src" --include='*.rs' | sed "s|^$src/||; s|[^/]*\.rs:.*(\"|/|; s|\"$||" >"$d/included"
check files_are_included [ -s "$d/included" ]
check all_included_files_are_there lacks <"$d/included"
check no_tests_are_there [ -z "$(find "$src" -path '*/tests/*')" ]

# What is missing on a machine is told by name: this one has nothing of a kernel.
mkdir -p "$d/machine/proc"
echo 'MemAvailable: 1000 kB' >"$d/machine/proc/meminfo"
DTRACE_RS_ROOT=$d/machine "$src/tools/dkms" --prepare 7.3.4+deb13-amd64 >"$d/log" 2>&1; check nothing_is_prepared_without_its_needs [ $? != 0 ]
for what in 'no headers here: apt install linux-headers-7.3.4+deb13-amd64' "the kernel's source is missing: apt install linux-source-7.3" \
	'1500 MiB of free memory, and there are 0 MiB'; do
	check "said_what_is_missing" grep -qF "$what" "$d/log"
done

# Whatever the command is linked with is in the copyright: tools/copyright writes it.
tools/buildroot run -- tools/cargo tree --locked --offline -p dtrace -e normal --prefix none -f '{p}' 2>/dev/null | grep -v '(/' |
	sed 's/ (.*//; s/ v/ /' | sort -u >"$d/crates"
check crates_are_known [ "$(wc -l <"$d/crates")" -gt 40 ]
sed 's/^/ /; s/$/:/' "$d/crates" | while read -r line; do grep -qF " $line " debian/copyright || echo "$line"; done >"$d/log"
check each_crate_is_in_the_copyright [ ! -s "$d/log" ]
result
