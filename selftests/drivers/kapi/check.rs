// SPDX-License-Identifier: GPL-2.0
//! The macro for checks in tests.

/// Ends the test and logs the condition if it does not hold.
macro_rules! check {
    ($($what:tt)*) => {
        if !($($what)*) {
            pr_err!("FAILED: {}:{}: {}\n", file!(), line!(), stringify!($($what)*));
            return Err(EINVAL);
        }
    };
}
