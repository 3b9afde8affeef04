// SPDX-License-Identifier: GPL-2.0
//! Names that are lost while the last aggregations are printed. The bound of memory is one for all
//! sessions, so this test is alone in its program.

#[allow(dead_code, reason = "each test uses its part")]
mod fake;
mod sessions;

use consumer::session::{Enabled, Output, Settings};
use fake::{Fake, Steps};
use libproc::account::Account;
use libproc::budget::{self, Share};
use std::io::{self, Write};

/// Uses up a user's memory for symbols whenever something is written.
struct Greedy;

impl Write for Greedy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let hog = || {
            let mut share = Share::default();
            share.grow(100 << 20).then_some(share)
        };
        budget::on_behalf(Account::user(77), || drop(std::iter::from_fn(hog).collect::<Vec<_>>()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn they_are_told() {
    let fake = Fake::new(1, &[]);
    let programs = sessions::compile(&fake, &["BEGIN { @[\"key\"] = count(); exit(0); }"], &[]);
    let (mut kernel, mut err) = (fake.clone(), Vec::new());
    let output = Output { out: &mut Greedy, err: &mut err, file: None };
    let set = [(abi::option::OptionId::Quiet, 1)];
    let enabled =
        Enabled::new(&mut kernel, output, Settings::default(), &set, "'test'", programs).unwrap();
    drop(enabled.go().unwrap().work(&mut Steps::new(&fake)).unwrap());
    let err = String::from_utf8(err).unwrap();
    assert_eq!(err.matches("symbols of processes").count(), 1, "{err}");
}
