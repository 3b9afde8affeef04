// SPDX-License-Identifier: GPL-2.0
//! A Rust driver with probes of its own. Writing N to /dev/rsdt fires them all N times;
//! ../README.md has the table.

use kernel::{
    fs::{File, Kiocb},
    iov::IovIterSource,
    miscdevice::{MiscDevice, MiscDeviceOptions, MiscDeviceRegistration},
    prelude::*,
};

#[path = "../../../sdt/rust/dtrace_sdt.rs"]
#[macro_use]
mod dtrace_sdt;

module! {
    type: Module,
    name: "rsdt",
    authors: ["the dtrace-rs authors"],
    description: "DTrace probes in a Rust driver",
    license: "GPL",
}

#[pin_data]
struct Module {
    #[pin]
    device: MiscDeviceRegistration<Rsdt>,
}

impl kernel::InPlaceModule for Module {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            device <- MiscDeviceRegistration::register(MiscDeviceOptions { name: c"rsdt" }),
        })
    }
}

struct Rsdt;

#[vtable]
impl MiscDevice for Rsdt {
    type Ptr = KBox<Self>;

    fn open(_file: &File, _misc: &MiscDeviceRegistration<Self>) -> Result<KBox<Self>> {
        dtrace_probe!(rsdt, device, open, entry);
        Ok(KBox::new(Rsdt, GFP_KERNEL)?)
    }

    fn write_iter(_kiocb: Kiocb<'_, Self::Ptr>, iov: &mut IovIterSource<'_>) -> Result<usize> {
        let mut text = KVec::new();
        let len = iov.copy_from_iter_vec(&mut text, GFP_KERNEL)?;
        let text = core::str::from_utf8(&text).map_err(|_| EINVAL)?;
        let times: u32 = text.trim().parse().map_err(|_| EINVAL)?;
        for i in 0..times {
            fire(i);
        }
        Ok(len)
    }
}

#[inline(never)]
fn fire(i: u32) {
    static TEXT: [u8; 5] = *b"rsdt\0";
    dtrace_probe!(rsdt, device, fire, one, i);
    dtrace_probe!(rsdt, device, fire, three, i, -2i32, 3u8);
    dtrace_probe!(rsdt, device, fire, eight, i, 2, 3, 4, 5, 6, 7, TEXT.as_ptr());
    dtrace_probe!(rsdt, device, fire, mixed__types, -1i8, -2i16, u32::MAX, true, 'x', i64::MIN);
    inlined(i);
    inlined(i64::from(i));
}

/// One probe with a site in each instance of the function.
#[inline(always)]
fn inlined<T: Copy + TryInto<u64>>(value: T) {
    if let Ok(value) = value.try_into() {
        dtrace_probe!(rsdt, device, inlined, here, value);
    }
}
