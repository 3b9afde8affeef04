// SPDX-License-Identifier: GPL-2.0
//! What OTLP's requests say of their sender.

use crate::wire::Writer;

/// The machine and the program that send.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The name of the machine, as the stream has it: that of another one with `--render`.
    pub host: String,
}

impl Source {
    /// Writes the message that metrics and logs have in common: the resource, the scope, and what
    /// `put` adds to the scope.
    pub fn put(&self, to: &mut Writer, put: impl FnOnce(&mut Writer)) {
        to.nested(1, |to| {
            to.nested(1, |to| {
                attribute(to, 1, "service.name", "dtrace");
                attribute(to, 1, "service.instance.id", &self.host);
                attribute(to, 1, "host.name", &self.host);
            });
            to.nested(2, |to| {
                to.nested(1, |to| {
                    to.text(1, "dtrace");
                    to.text(2, env!("CARGO_PKG_VERSION"));
                });
                put(to);
            });
        });
    }
}

/// Writes an attribute with a text.
pub fn attribute(to: &mut Writer, field: u64, key: &str, value: &str) {
    to.nested(field, |to| {
        to.text(1, key);
        to.nested(2, |to| to.text(1, value));
    });
}
