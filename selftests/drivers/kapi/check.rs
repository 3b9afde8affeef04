// SPDX-License-Identifier: GPL-2.0
//! What a test says.

/// Ends the test if this is not so, and logs it.
macro_rules! check {
    ($($what:tt)*) => {
        if !($($what)*) {
            pr_err!("FAILED: {}:{}: {}\n", file!(), line!(), stringify!($($what)*));
            return Err(EINVAL);
        }
    };
}
