#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# UEFI with Secure Boot on, Debian's shim, GRUB and signed kernel: an unsigned module and one with a key that the machine
# lacks are refused, with the remedy; one whose key is enrolled (MOK, or the firmware's db) loads and traces. Besides, a
# kernel without Secure Boot that demands signatures.
. "$(dirname "${BASH_SOURCE[0]}")/lib"

krel=$(tools/buildroot kernel)
work=build/$krel/secure-boot
rm -rf "$work"; mkdir -p "$work"
# shellcheck disable=SC2016
tools/buildroot run -- bash -euc 'cd "$1"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert.pem -days 3650 -subj "/CN=dtrace-rs test key/" 2>openssl.log
	openssl x509 -in cert.pem -outform DER -out mok.der
	objcopy --strip-debug ../dtrace.ko unsigned.ko
	"$2"/scripts/sign-file sha256 key mok.der unsigned.ko signed.ko' sign "$work" "$(tools/buildroot kdir)" || { echo "no key, or no module in build/$krel"; exit 1; }
# Tells whether a boot that ended with this status has said this.
said() { [ "$1" = 0 ] && grep -qx "$2: well" "$d/log"; }
boot() { # NAME OPTIONS... -- WHAT...: one boot, in which each WHAT must be well
	local name=$1 options=() status what
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	tools/bare -n -k efivarfs -p /usr/sbin/modinfo -t 300 -f "$work/signed.ko" -f "$work/unsigned.ko" -f "$work/mok.der" "${options[@]}" \
		selftests/bare/secure-boot >"$d/log" 2>&1
	status=$?
	cp "$d/log" "$work/$name.log"
	[ $status = 0 ] || { echo "status $status"; cat "$d/log"; }
	for what; do check "${name}_${what// /_}" said $status "$what"; done
}
# This firmware knows no key, so the kernel refuses ours, too.
boot sig_enforce -a "module.sig_enforce=1 key=none" -- enforced
boot without_key -e uefi -a key=no -- lockdown unsigned "unknown key"
boot mok -e uefi -a key=yes -C "$work/cert.pem" -- lockdown unsigned signed tracing limits
boot firmware_key -e uefi -a key=yes -D "$work/cert.pem" -- lockdown unsigned signed tracing limits
result
