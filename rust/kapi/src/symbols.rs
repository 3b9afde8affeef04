// SPDX-License-Identifier: GPL-2.0
//! Names to addresses: the symbols that the kernel does not export and that this crate works with,
//! resolved once.
//!
//! A missing one is no error here. It takes away the feature that is built on it, and one line in
//! the log says so: kernels rename such functions without notice.

use crate::sys::{self, TextFns};
use core::ffi::CStr;
use kernel::ffi::{c_char, c_int, c_ulong, c_void};
use kernel::prelude::*;
use kernel::sync::SetOnce;

struct Found {
    text: TextFns,
    on_each: c_ulong,
}

static FOUND: SetOnce<Found> = SetOnce::new();

/// One of `kallsyms_lookup_name`, through its address.
struct Lookup(c_ulong);

impl Lookup {
    fn find(&self, name: &CStr) -> c_ulong {
        // SAFETY: the address is that of `kallsyms_lookup_name`, which takes a C string.
        let addr = unsafe { sys::kapi_call4(self.0, name.as_char_ptr() as c_ulong, 0, 0, 0) };
        addr as c_ulong
    }

    /// One that a feature needs.
    fn need(&self, name: &CStr, missing: &mut bool) -> c_ulong {
        let addr = self.find(name);
        if addr == 0 {
            pr_warn!("this kernel has no symbol {}\n", name.to_str().unwrap_or("?"));
            *missing = true;
        }
        addr
    }
}

pub(crate) fn resolve(without_text: bool) {
    let lookup = Lookup(if without_text { 0 } else { sys::kapi_find_lookup() });
    if lookup.0 == 0 {
        pr_warn!("unsupported: kallsyms_lookup_name cannot be reached; no probes in kernel text\n");
        return;
    }
    let mut missing = false;
    let text = TextFns {
        batch_add: lookup.need(c"smp_text_poke_batch_add", &mut missing),
        batch_finish: lookup.need(c"smp_text_poke_batch_finish", &mut missing),
        jump_label_reserved: lookup.need(c"jump_label_text_reserved", &mut missing),
        static_call_reserved: lookup.need(c"static_call_text_reserved", &mut missing),
        ftrace_reserved: lookup.need(c"ftrace_text_reserved", &mut missing),
        // 7.3 has none: it patches no lock prefixes any more.
        alternatives_reserved: lookup.find(c"alternatives_text_reserved"),
        stext: lookup.need(c"_stext", &mut missing),
        etext: lookup.need(c"_etext", &mut missing),
        text_mutex: lookup.need(c"text_mutex", &mut missing),
        module_mutex: lookup.need(c"module_mutex", &mut missing),
        modules: lookup.need(c"modules", &mut missing),
    };
    let on_each = lookup.need(c"kallsyms_on_each_symbol", &mut missing);
    if missing {
        pr_warn!("unsupported: text patching needs the symbols above; no probes in kernel text\n");
        return;
    }
    FOUND.populate(Found { text, on_each });
}

/// Whether instructions of the kernel can be changed, and modules be looked into.
pub fn feature_text() -> bool {
    FOUND.as_ref().is_some()
}

/// Evidence in itself: all members are what their names say.
pub(crate) fn text_fns() -> Option<&'static TextFns> {
    FOUND.as_ref().map(|found| &found.text)
}

/// Calls `f` with each symbol of the kernel proper whose name begins with `prefix`. Modules' are
/// not among them.
///
/// # Context
///
/// *process*; `f` may sleep.
pub fn for_each_kernel_symbol(prefix: &[u8], f: &mut dyn FnMut(&[u8], u64)) -> Result {
    struct Ask<'a> {
        prefix: &'a [u8],
        f: &'a mut dyn FnMut(&[u8], u64),
    }
    /// # Safety
    ///
    /// `arg` is an `Ask` that nobody else uses; `name` is a C string.
    unsafe extern "C" fn symbol(arg: *mut c_void, name: *const c_char, addr: c_ulong) -> c_int {
        // SAFETY: by the caller.
        let ask = unsafe { &mut *arg.cast::<Ask<'_>>() };
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_char_ptr(name) }.to_bytes();
        if name.starts_with(ask.prefix) {
            (ask.f)(name, addr as u64);
        }
        0
    }
    let found = FOUND.as_ref().ok_or(ENODEV)?;
    let mut ask = Ask { prefix, f };
    let arg: *mut Ask<'_> = &mut ask;
    // SAFETY: the address is that of `kallsyms_on_each_symbol`, which calls `symbol` with `arg` and
    // C strings, and not after it has returned.
    unsafe { sys::kapi_each_kernel_symbol(found.on_each, symbol, arg.cast()) };
    Ok(())
}
