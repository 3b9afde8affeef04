/* SPDX-License-Identifier: GPL-2.0 */
#pragma once

long patched_inner(long n);
long patched_tail(long n);
long patched_first(long n);
long patched_call(long n);
long patching_tail(long n);
long patching_first(long n);
long patching_call(long n);
